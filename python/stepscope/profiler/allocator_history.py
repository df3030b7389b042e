# SPDX-License-Identifier: Apache-2.0
"""The history of torch's allocator of each window of a Profiler."""

from __future__ import annotations

import os
import threading

from .. import _core

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WAIT_S = 60.0  # for a history to be taken


class AllocatorHistory:
    """Taken when the last step of a window is over, so that no step is longer
    for it. Python cannot run meanwhile, whichever thread takes it: it is the
    one that trains. Whoever delivers the window waits for it."""

    def __init__(self, profiler: Any) -> None:
        # Now: importing it would be part of a step.
        from .._torch import memory

        self._module = memory
        self._profiler = profiler
        self._flies = profiler.mode == "flight"
        self._on = False
        self._session = 0  # whose history is to be taken
        self._taken = threading.Event()
        self._taken.set()

    def turn(self, on: bool) -> None:
        """Off: the window ends with the step."""
        if on and not self._on:
            self._module.HISTORY.start(self._profiler.memory_stacks,
                                       self._flies, self._folder())
        elif self._on and not on:
            self._session = _core.session()
            self._taken.clear()
        self._on = on

    def _folder(self) -> str:
        """Where files beside the windows go."""
        profiler = self._profiler
        if profiler._job is not None:
            return os.fspath(profiler._job)
        return getattr(profiler.on_trace_ready, "dir_name", "profiler_log")

    def sealed(self) -> None:
        """The step is over."""
        if self._taken.is_set():
            return
        try:
            self._module.HISTORY.stop(not self._flies, self._session)
        finally:
            self._taken.set()

    def wait(self) -> None:
        """Until the history of a window is there."""
        self._taken.wait(_WAIT_S)
