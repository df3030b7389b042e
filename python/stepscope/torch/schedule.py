# SPDX-License-Identifier: Apache-2.0
"""Which steps are recorded, in the words of torch.profiler."""

from __future__ import annotations

import enum
import warnings
from typing import Any, Callable

from .._enums import ProfilerState


class ProfilerAction(enum.Enum):
    """What is done in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3  # recorded; on_trace_ready gets the window then


_STATES = {
    "NONE": ProfilerState.CLOSED,
    "WARMUP": ProfilerState.READY,
    "RECORD": ProfilerState.RECORD,
    "RECORD_AND_SAVE": ProfilerState.RECORD_AND_RETURN,
}


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0,
             skip_first: int = 0, skip_first_wait: int = 0,
             ) -> Callable[[int], ProfilerAction]:
    """Skips ``skip_first`` steps, then goes through cycles of ``wait`` idle
    steps, ``warmup`` steps in which recording is prepared and ``active``
    recorded ones; ``repeat`` cycles, or without end if it is 0. With
    ``skip_first_wait`` the first cycle has no idle steps."""
    if min(wait, warmup, repeat, skip_first) < 0 or active < 1:
        raise ValueError("schedule: active must be at least 1 and the others "
                         "at least 0")
    if warmup == 0:
        warnings.warn("schedule: without warmup the first recorded step may "
                      "be slower than the others", stacklevel=2)
    cycle = wait + warmup + active

    def action_of(step: int) -> ProfilerAction:
        at = step - skip_first
        if at < 0:
            return ProfilerAction.NONE
        if skip_first_wait:
            at += wait
        if repeat > 0 and at >= repeat * cycle:
            return ProfilerAction.NONE
        at %= cycle
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        if at < cycle - 1:
            return ProfilerAction.RECORD
        return ProfilerAction.RECORD_AND_SAVE

    return action_of


def state_of(action: Any) -> ProfilerState:
    """Of our ProfilerAction, or of torch's."""
    state = _STATES.get(getattr(action, "name", ""))
    if state is None:
        raise TypeError(f"the schedule returned {action!r}, which is not a "
                        "ProfilerAction")
    return state
