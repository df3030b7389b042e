# SPDX-License-Identifier: Apache-2.0
"""Which steps are recorded."""

from __future__ import annotations

import warnings

from .._enums import ProfilerState

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Scheduler = Callable[[int], ProfilerState]


def make_scheduler(*, closed: int, ready: int, record: int, repeat: int = 0,
                   skip_first: int = 0) -> Scheduler:
    """A scheduler that skips ``skip_first`` steps and then goes through cycles
    of ``closed``, ``ready`` and ``record`` steps, ``repeat`` times (0: for
    ever). The last step of each cycle ends a window::

        # records the steps 2 to 5, 8 to 11 and 14 to 17
        make_scheduler(closed=1, ready=1, record=4, repeat=3)
    """
    def state_of(step: int) -> ProfilerState:
        assert step >= 0, f"a step is counted from 0, not {step}"
        if step < skip_first:
            return ProfilerState.CLOSED
        step = step - skip_first
        period = closed + ready + record
        if repeat > 0 and step // period >= repeat:
            return ProfilerState.CLOSED
        at = step % period
        if at < closed:
            return ProfilerState.CLOSED
        if at < closed + ready:
            return ProfilerState.READY
        if at < period - 1:
            return ProfilerState.RECORD
        return ProfilerState.RECORD_AND_RETURN

    assert (closed >= 0 and ready >= 0 and record > 0 and repeat >= 0
            and skip_first >= 0), (
                "Invalid profiler scheduler arguments: record must be at "
                "least 1 and the others at least 0")
    if ready == 0:
        warnings.warn(
            "Profiler will record data after enabling profiler immediately, "
            "          some data collected at the beginning of profiling may "
            "be 'noisy' because of overhead.", stacklevel=2)
    return state_of


def always(step: int) -> ProfilerState:
    """Records every step."""
    del step
    return ProfilerState.RECORD


def from_argument(scheduler: Any) -> Scheduler:
    """What Profiler(scheduler=...) means."""
    if scheduler is None:
        return always
    if isinstance(scheduler, (tuple, list)):
        assert len(scheduler) == 2 and scheduler[1] > scheduler[0], (
            f"scheduler={scheduler!r}: expected (first, last), the steps from "
            "first up to, but not including, last")
        first, last = scheduler
        first = max(first, 0)
        if first >= 1:
            return make_scheduler(closed=first - 1, ready=1,
                                  record=last - first, repeat=1)
        return make_scheduler(closed=0, ready=0, record=last - first, repeat=1)
    if callable(scheduler):
        return scheduler
    warnings.warn(
        f"scheduler={scheduler!r} is neither a function nor (first, last): "
        "every step is recorded", stacklevel=3)
    return always


def warn_of_transition(before: ProfilerState, after: ProfilerState) -> None:
    """Of a schedule that says nothing useful. For Profiler.step()."""
    if before is ProfilerState.RECORD and after in (ProfilerState.READY,
                                                    ProfilerState.CLOSED):
        warnings.warn(f"Improper schedule: RECORD->{after.name}, the window is "
                      "delivered as it is", stacklevel=3)
    elif before is ProfilerState.READY and after is ProfilerState.CLOSED:
        warnings.warn("Improper schedule: READY->CLOSED, profiler will start "
                      "and stop without saving data", stacklevel=3)
