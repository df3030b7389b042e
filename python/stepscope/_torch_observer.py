# SPDX-License-Identifier: Apache-2.0
"""Operators of torch become events of this process's recording.

The observer is a library without Python: torch calls it directly. Under
``stepscope run`` the injector looks after it, and this module does nothing.
"""

from __future__ import annotations

import os
import sys

from . import _core
from ._native_files import FOLDER

_SHAPES = 1  # STEPSCOPE_TORCH_SHAPES
_VALUES = 2  # STEPSCOPE_TORCH_VALUES
_learned = False  # how this torch passes lists and truth values
_library = None  # libstepscope_torch.so, once it is bound to torch


def attach(shapes: bool = False, values: bool = False) -> str:
    """Binds the observer to the torch of this process. Nothing is observed
    yet. Returns "", or in one line why it cannot be done.

    With `shapes`, `values` records also strides, shapes in lists, and inputs
    that are not tensors. May be called again: while nothing is observed, that
    changes both.
    """
    global _library
    if "torch" not in sys.modules:
        return "torch is not imported"
    import ctypes  # here: a program without torch never needs it

    folder = os.path.join(FOLDER, "lib")
    major = _core.version().split(".")[0]
    try:
        # The observer takes the recorder's symbols from whoever has them:
        # the injector or, after this, the library that this package loaded.
        ctypes.CDLL(os.path.join(folder, f"libstepscope.so.{major}"),
                    mode=os.RTLD_NOLOAD | os.RTLD_GLOBAL | os.RTLD_NOW)
        library = ctypes.CDLL(os.path.join(folder, "libstepscope_torch.so"),
                              mode=os.RTLD_NOW)
    except OSError as error:
        return f"the observer of torch cannot be loaded: {error}"
    why = ctypes.create_string_buffer(256)
    if library.stepscope_torch_attach_here_v1(
            ctypes.c_uint32((_SHAPES if shapes else 0)
                            | (_VALUES if shapes and values else 0)), why,
            ctypes.c_size_t(len(why))) != 0:
        return why.value.decode("utf-8", "replace")
    _library = library
    if shapes and values:
        _learn()
    return ""


def _learn() -> None:
    """By one call whose inputs are known."""
    global _learned
    if _learned:
        return
    _learned = True
    torch = sys.modules["torch"]
    _library.stepscope_torch_learn_v1(1)
    try:
        torch.ones((3, 5), device="cpu", pin_memory=False)
    except Exception:  # pylint: disable=broad-except
        pass  # a mode of the program took it; values stay without lists
    finally:
        _library.stepscope_torch_learn_v1(0)


def report_memory(on: bool) -> str:
    """Allocations and frees of torch are events from here on, or no more:
    those of this thread, and of the threads that torch sets to work for it.
    Returns "", or in one line why it cannot be done."""
    if _library is None:
        return "the observer of torch is not attached"
    import ctypes

    why = ctypes.create_string_buffer(256)
    _library.stepscope_torch_report_memory_v1(
        ctypes.c_int(on), why, ctypes.c_size_t(len(why)))
    return why.value.decode("utf-8", "replace")


def announce(on: bool) -> None:
    """torch takes this thread for one that a profiler records: only then are
    ranges by _RecordFunctionFast told to observers. Without attach() it does
    nothing."""
    if _library is not None:
        import ctypes

        _library.stepscope_torch_announce_v1(ctypes.c_int(on))


def is_attached() -> bool:
    """True after a successful attach()."""
    return _library is not None


def observe(on: bool, operators: bool = True) -> None:
    """Operators and ranges of torch are events from here on, or ranges alone,
    or no more: then torch does not even call the observer. Without attach() it
    does nothing."""
    if _library is not None:
        what = (1 if operators else 2) if on else 0
        _library.stepscope_torch_observe_v1(what)
