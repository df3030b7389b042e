# SPDX-License-Identifier: Apache-2.0
"""The events of a window, with what each contains and launched."""

from __future__ import annotations

import gzip
import json
from typing import Any, Dict, Iterable, List, Optional

_DEVICE = ("Kernel", "Memcpy", "Memset")
_STEPS = ("ProfileStep#", "ProfilerStep#")


class FunctionEvent:
    """One event. Times are in microseconds, as in torch."""

    def __init__(self, record: Dict[str, Any]) -> None:
        arguments = record.get("args") or {}
        self.name: str = record["name"]
        self.category: str = record.get("cat", "")
        self.start: float = record["ts"]
        self.end: float = record["ts"] + record["dur"]
        self.duration: float = record["dur"]
        # The rows of one thread are "7(Python)" and "7(C++)".
        self.thread: Any = str(record.get("tid", "")).split("(")[0]
        self.is_device: bool = self.category in _DEVICE
        self.input_shapes: Any = arguments.get(
            "input_shapes", arguments.get("Input Dims"))
        self.correlation: Any = arguments.get("correlation id")
        self.parent: Optional[FunctionEvent] = None
        self.children: List[FunctionEvent] = []
        self.kernels: List[FunctionEvent] = []  # launched by it directly
        self.device_time_total = 0.0  # also of what it contains

    @property
    def key(self) -> str:
        """All steps are one row of averages."""
        return "ProfilerStep*" if self.name.startswith(_STEPS) else self.name

    @property
    def cpu_time_total(self) -> float:
        return 0.0 if self.is_device else self.duration

    @property
    def self_cpu_time_total(self) -> float:
        if self.is_device:
            return 0.0
        return self.duration - sum(child.duration for child in self.children)

    @property
    def self_device_time_total(self) -> float:
        if self.is_device:
            return self.duration
        return sum(kernel.duration for kernel in self.kernels)

    def __repr__(self) -> str:
        return (f"<FunctionEvent {self.name!r} at {self.start:.3f} us, "
                f"{self.duration:.3f} us>")


def read_events(path: str) -> List[FunctionEvent]:
    """The events of a Chrome trace, in order of time."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        records = json.load(file)["traceEvents"]
    events = [FunctionEvent(record) for record in records
              if record.get("ph") == "X"]
    events.sort(key=lambda event: (event.start, -event.duration))
    _nest(event for event in events if not event.is_device)
    events = _without_doubles(events)
    _join_kernels(events)
    return events


def _nest(events: Iterable[FunctionEvent]) -> None:
    """An event is in the one that is open on its thread."""
    open_events: Dict[Any, List[FunctionEvent]] = {}
    for event in events:
        stack = open_events.setdefault(event.thread, [])
        while stack and stack[-1].end < event.end:
            stack.pop()
        if stack:
            event.parent = stack[-1]
            stack[-1].children.append(event)
        stack.append(event)


def _without_doubles(events: List[FunctionEvent]) -> List[FunctionEvent]:
    """An operator that does nothing but call another version of itself, as
    under autocast, is one event."""
    kept = []
    for event in events:  # outer ones first
        outer = event.parent
        if (outer is not None and outer.name == event.name
                and len(outer.children) == 1):
            outer.children = event.children
            for child in event.children:
                child.parent = outer
        else:
            kept.append(event)
    return kept


def _join_kernels(events: List[FunctionEvent]) -> None:
    """A kernel belongs to the call of the runtime that launched it, and counts
    for the operator around that."""
    launches = {event.correlation: event for event in events
                if event.category == "CudaRuntime" and event.correlation}
    for event in events:
        if not event.is_device:
            continue
        launch = launches.get(event.correlation)
        if launch is not None:
            (launch.parent or launch).kernels.append(event)
    for event in reversed(events):  # inner ones first
        event.device_time_total += event.self_device_time_total
        if event.parent is not None:
            event.parent.device_time_total += event.device_time_total
