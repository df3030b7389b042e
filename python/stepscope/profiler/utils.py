# SPDX-License-Identifier: Apache-2.0
"""paddle.profiler.utils, name for name."""

from __future__ import annotations

import contextlib
import sys

from .._enums import TracerEventType
from .._event import RecordEvent
from . import beside
from .result import load_profiler_result

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

__all__ = ["RecordEvent", "TracerEventType", "in_profiler_mode",
           "job_schedule_profiler_range", "load_profiler_result",
           "switch_job_schedule_profiler", "wrap_optimizers"]


def in_profiler_mode() -> bool:
    """Whether a Profiler runs that does more than measure steps."""
    return beside.in_use()


def __getattr__(name: str) -> Any:
    if name == "_is_profiler_used":  # so Paddle's own programs ask
        return beside.in_use()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def wrap_optimizers() -> None:
    """Makes the step() of Paddle's optimizers tell of itself, which a Profiler
    does by itself where Paddle is imported."""
    theirs = sys.modules.get("paddle.profiler.utils")
    if theirs is not None:
        theirs.wrap_optimizers()


@contextlib.contextmanager
def job_schedule_profiler_range(iter_id: int, start: int, end: int,
                                exit_after_prof: bool = True) -> Iterator[bool]:
    """Whether the step ``iter_id`` is one of those from ``start`` to ``end``;
    the program ends with the last of them."""
    try:
        yield start <= iter_id < end
    finally:
        if start < end and iter_id == end - 1 and exit_after_prof:
            sys.exit()


def switch_job_schedule_profiler(model: Any, iter_id: int, start: int,
                                 end: int,
                                 exit_after_prof: bool = True) -> None:
    with job_schedule_profiler_range(iter_id, start, end,
                                     exit_after_prof) as inside:
        model._engine.enable_job_schedule_profiler = inside
