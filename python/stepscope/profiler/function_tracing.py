# SPDX-License-Identifier: Apache-2.0
"""Profiler(with_python=...): calls of Python functions, while steps are
recorded."""

from __future__ import annotations

import warnings

from .._function_filter import FunctionFilter

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class FunctionTracing:
    def __init__(self, with_python: Any) -> None:
        self.filter = FunctionFilter.from_argument(with_python)
        self.on = False

    def turn(self, on: bool) -> None:
        """On or off; nothing if it is so already, or not wanted."""
        if self.filter is None or on == self.on:
            return
        from .. import _functions  # here: a Profiler without needs none of it

        why = _functions.start(self.filter) if on else _functions.stop()
        self.on = on
        if why:
            warnings.warn(f"Python functions may be missing: {why}",
                          stacklevel=4)
