# SPDX-License-Identifier: Apache-2.0
"""What is said and done when there is no caller to raise an exception to."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


def is_closed(stream: Any) -> bool:
    """Whether its descriptor is gone. A line written there would stay in the
    buffer, and the interpreter would end with code 120 for it."""
    try:
        descriptor = stream.fileno()
    except Exception:  # not a file
        return False
    try:
        os.fstat(descriptor)
    except OSError:
        return True
    return False


def say(text: str) -> None:
    try:
        if not is_closed(sys.stderr):
            sys.stderr.write(f"stepscope: {text}\n")
    except Exception:  # there is none, or it is not what it was
        pass


def place(function: Any) -> str:
    """upload (train.py:12)"""
    name = getattr(function, "__qualname__", None) or repr(function)
    code = getattr(function, "__code__", None)
    if code is None:
        return name
    return f"{name} ({code.co_filename}:{code.co_firstlineno})"


def brief(error: BaseException) -> str:
    """KeyError: 'mine' (train.py:12)"""
    trace = error.__traceback__
    place = ""
    while trace is not None:
        place = f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{place}"


def end_forked_child(error: Optional[BaseException]) -> None:
    """A child that on_trace_ready forked has no thread to go back to."""
    code = 0
    if isinstance(error, SystemExit) and isinstance(error.code,
                                                    (int, type(None))):
        code = error.code or 0
    elif error is not None:
        code = 1
        sys.excepthook(type(error), error, error.__traceback__)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(code)
