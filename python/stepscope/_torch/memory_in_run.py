# SPDX-License-Identifier: Apache-2.0
"""`stepscope run --memory`: memory of a program that knows nothing of it."""

import atexit
import os
import sys


def install():
    """Called at the start of Python; torch is not imported yet."""
    from . import report_always
    from .._imports import after_import

    report_always()
    if "torch" in sys.modules:
        _begin()
    else:
        after_import("torch", _begin)


def _begin():
    from . import give_way
    from .memory import HISTORY

    def end():
        # What Python frees when it takes itself apart was kept until the end.
        give_way()
        HISTORY.stop(add=not flight)

    flight = bool(os.environ.get("STEPSCOPE_MODE"))
    HISTORY.start(stacks=os.environ.get("STEPSCOPE_MEMORY") == "stacks",
                  flight=flight, folder=os.environ.get("STEPSCOPE_OUT", ""))
    # Functions that the program registers later are called before.
    atexit.register(end)
    _give_way_to_torch()


def _give_way_to_torch():
    """torch does not start its own profiler on a thread that has something in
    the place of one: what is told of allocations ends there."""
    profiler = sys.modules.get("torch.autograd.profiler")
    for name in ("_prepare_profiler", "_enable_profiler"):
        function = getattr(profiler, name, None)
        if function is not None:
            setattr(profiler, name, _after_giving_way(function))


def _after_giving_way(function):
    import functools

    @functools.wraps(function)
    def enable(*args, **kwargs):
        from . import give_way

        give_way()
        return function(*args, **kwargs)

    return enable
