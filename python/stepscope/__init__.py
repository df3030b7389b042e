# SPDX-License-Identifier: Apache-2.0
"""stepscope: a low-overhead profiler for deep-learning programs.

The names of ``paddle.profiler`` are here under the same names::

    import stepscope as profiler

    with profiler.Profiler(scheduler=(2, 10)) as prof:
        for batch in loader:
            with profiler.RecordEvent("DataPrepare"):
                batch = prepare(batch)
            train(batch)
            prof.step()
    prof.summary()
"""

import sys as _sys

try:
    from . import _event  # first: it says whether this interpreter can have it
    from . import _core
except ImportError as _error:
    if "interpreter" in str(_error):
        raise
    raise ImportError(
        "stepscope has no module for this Python "
        f"({_sys.implementation.name} {_sys.version.split()[0]}): {_error}. "
        "CPython 3.9 to 3.14 is supported; to build for this one, run "
        "pip install . with its headers installed") from _error
from ._enums import (ProfilerState, ProfilerTarget, SortedKeys, SummaryView,
                     TracerEventType, TracerMemEventType)
from ._event import (RecordEvent, current_request, enabled, iteration,
                     request)
from ._hooks import hook
from ._load import load, query
from ._marks import (counter, instant, read, set_metadata, set_thread_name,
                     step)
from ._view import view

_event.set_enum(TracerEventType)

from . import _torch

_torch.wait_for_import()

from .profiler import (Profiler, export_capture, export_chrome_tracing,
                       export_protobuf, get_profiler, load_profiler_result,
                       make_scheduler)

__version__ = _core.version()

__all__ = [
    "ProfilerState",
    "ProfilerTarget",
    "make_scheduler",
    "export_chrome_tracing",
    "export_protobuf",
    "Profiler",
    "RecordEvent",
    "load_profiler_result",
    "SortedKeys",
    "SummaryView",
    "TracerEventType",
    "TracerMemEventType",
    "counter",
    "current_request",
    "enabled",
    "export_capture",
    "get_profiler",
    "hook",
    "instant",
    "iteration",
    "load",
    "query",
    "read",
    "request",
    "set_metadata",
    "set_thread_name",
    "step",
    "view",
]
