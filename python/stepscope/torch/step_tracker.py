# SPDX-License-Identifier: Apache-2.0
"""Tells torch's own count of steps of those that a profile makes. Tools that
trigger recordings by the number of a step ask it."""

from __future__ import annotations

import sys
from typing import Any

_NAME = "ProfilerStep"  # under which torch.profiler counts


def _tracker() -> Any:
    """None: torch is not imported, or has none (before 2.0)."""
    module = sys.modules.get("torch.autograd.profiler")
    return getattr(module, "KinetoStepTracker", None)


def begin() -> None:
    tracker = _tracker()
    if tracker is not None:
        tracker.init_step_count(_NAME)


def step() -> None:
    tracker = _tracker()
    if tracker is not None:
        tracker.increment_step(_NAME)


def end() -> None:
    tracker = _tracker()
    if tracker is not None:
        tracker.erase_step_count(_NAME)
