# SPDX-License-Identifier: Apache-2.0
"""paddle.profiler, name for name."""

from .._enums import (ProfilerState, ProfilerTarget, SortedKeys, SummaryView,
                      TracerEventType)
from .._event import RecordEvent
from .export import export_capture, export_chrome_tracing, export_protobuf
from .profiler import Profiler, get_profiler
from .result import load_profiler_result
from .scheduler import make_scheduler

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
]


def __getattr__(name):
    """Modules that Paddle has here, and few programs ask for."""
    if name in ("profiler_statistic", "timer", "utils"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
