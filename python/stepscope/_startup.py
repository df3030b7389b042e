# SPDX-License-Identifier: Apache-2.0
"""Called at the start of each Python under ``stepscope run``."""

import atexit
import os
import sys


def _patterns(variable: str) -> list:
    return [line for line in os.environ.get(variable, "").split("\n") if line]


def _record_functions() -> None:
    try:
        from . import _functions
    except ImportError as error:
        if "interpreter" in str(error):
            raise
        raise ImportError(
            "stepscope has no module for this Python "
            f"({sys.implementation.name} {sys.version.split()[0]})") from error
    from ._function_filter import FunctionFilter

    _functions.follow_children()
    why = _functions.start(FunctionFilter(
        include=_patterns("STEPSCOPE_PYTHON_INCLUDE"),
        exclude=_patterns("STEPSCOPE_PYTHON_EXCLUDE")))
    if why:
        sys.stderr.write(f"stepscope: Python functions may be missing: {why}\n")
    # Registered first, so called last: after it Python takes itself apart.
    atexit.register(_functions.stop)


def begin() -> None:
    from . import _fork_warning

    _fork_warning.install()
    if os.environ.get("STEPSCOPE_PYTHON") == "1":
        _record_functions()
    if os.environ.get("STEPSCOPE_MEMORY"):
        from ._torch import memory_in_run

        memory_in_run.install()
    if os.environ.get("STEPSCOPE_HOOK"):
        from . import _hooks

        _hooks.follow_environment()
    try:
        from . import _frameworks
    except ImportError:  # no stages of frameworks in this build
        return
    _frameworks.install()
