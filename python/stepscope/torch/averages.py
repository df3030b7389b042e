# SPDX-License-Identifier: Apache-2.0
"""Events added up by name, and lists of events."""

from __future__ import annotations

import itertools
import json
import os
from typing import Any, Dict, List, Optional

from .events import FunctionEvent, Texts, device_types
from .table import render

_STACK_METRICS = ("self_cpu_time_total", "self_device_time_total",
                  "self_cuda_time_total")


class FunctionEventAvg(Texts):
    """All events of one name. Times are in microseconds."""

    node_id = 0
    is_async = False
    is_remote = False
    is_legacy = False
    scope = 0

    def __init__(self, key: Optional[str] = None,
                 input_shapes: Any = None) -> None:
        self.key = key
        self.input_shapes = input_shapes
        self.stack: List[str] = []
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.device_time_total = 0.0
        self.self_device_time_total = 0.0
        self.cpu_memory_usage = 0
        self.self_cpu_memory_usage = 0
        self.device_memory_usage = 0
        self.self_device_memory_usage = 0
        self.flops = 0
        self.cpu_children: Optional[List[FunctionEvent]] = None
        self.cpu_parent: Optional[FunctionEvent] = None
        self.device_type: Any = device_types().CPU
        self.use_device: Optional[str] = None
        self.is_device = False
        self.is_user_annotation = False

    def add(self, event: Any) -> "FunctionEventAvg":
        """Adds an event, or an average of the same name."""
        if self.count == 0:
            self._take(event)
        self.count += event.count
        self.self_cpu_time_total += event.self_cpu_time_total
        self.self_device_time_total += event.self_device_time_total
        self.self_cpu_memory_usage += event.self_cpu_memory_usage
        self.self_device_memory_usage += event.self_device_memory_usage
        self.cpu_memory_usage += event.cpu_memory_usage
        self.device_memory_usage += event.device_memory_usage
        self.flops += event.flops
        # What is in an event of the same name is in its time already.
        if not _is_inside_its_like(event):
            self.cpu_time_total += event.cpu_time_total
            self.device_time_total += event.device_time_total
        return self

    __iadd__ = add

    def _take(self, event: Any) -> None:
        """What is the same for all."""
        if self.key is None:
            self.key = event.key
        for name in ("is_device", "device_type", "use_device", "cpu_parent",
                     "cpu_children", "is_user_annotation", "stack"):
            setattr(self, name, getattr(event, name))

    def __repr__(self) -> str:
        return (f"<FunctionEventAvg key={self.key} self_cpu_time="
                f"{self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
                f"self_device_time={self.self_device_time_total_str} "
                f"device_time={self.device_time_str} "
                f"input_shapes={self.input_shapes}>")


def _is_inside_its_like(event: Any) -> bool:
    key, outer = event.key, event.cpu_parent
    while outer is not None:
        if outer.key == key:
            return True
        outer = outer.cpu_parent
    return False


class EventList(list):
    """Events, or averages of them."""

    def __init__(self, *events: Any, profile_memory: bool = False,
                 with_flops: bool = False) -> None:
        super().__init__(*events)
        self._profile_memory = profile_memory
        self._with_flops = with_flops

    def _like(self, events: Any) -> "EventList":
        return EventList(events, profile_memory=self._profile_memory,
                         with_flops=self._with_flops)

    def key_averages(self, group_by_input_shapes: bool = False,
                     group_by_stack_n: int = 0, *,
                     group_by_input_shape: bool = False) -> "EventList":
        """Events added up by name, device and kind, and by the shapes of
        their inputs or the innermost calls of Python if asked to."""
        by_shapes = group_by_input_shapes or group_by_input_shape
        found: Dict[Any, FunctionEventAvg] = {}
        for event in self:
            shapes = event.input_shapes if by_shapes else None
            stack = event.stack[:group_by_stack_n]
            place = (event.key, event.device_type, event.is_user_annotation,
                     str(shapes), *stack)
            if place not in found:
                found[place] = FunctionEventAvg(event.key, shapes)
            found[place].add(event)
        for average in found.values():
            average.stack = average.stack[:group_by_stack_n]
        return self._like(found.values())

    def total_average(self) -> FunctionEventAvg:
        """All events as one."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.add(event)
        total.key = "Total"
        total.cpu_parent = total.cpu_children = None
        total.stack = []
        return total

    @property
    def self_cpu_time_total(self) -> float:
        return sum(event.self_cpu_time_total for event in self)

    @property
    def supported_export_stacks_metrics(self) -> List[str]:
        return list(_STACK_METRICS)

    def export_stacks(self, path: str,
                      metric: str = "self_cpu_time_total") -> None:
        """Stacks with their time in microseconds, one a line, as flame graphs
        are made from."""
        if metric not in _STACK_METRICS:
            raise ValueError(f"metric={metric!r}: expected one of "
                             + ", ".join(_STACK_METRICS))
        translation = str.maketrans(" ;\t\n", "____")
        with open(path, "w", encoding="utf-8") as file:
            for event in self:
                value = int(getattr(event, metric))
                if not event.stack or value <= 0:
                    continue
                frames = [frame.translate(translation) for frame
                          in itertools.chain(reversed(event.stack),
                                             [event.name])]
                file.write(";".join(frames) + f" {value}\n")

    def export_chrome_trace(self, path: str) -> None:
        """These events alone; profile.export_chrome_trace has all."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": [
                {"ph": "X", "name": event.name, "cat": event.category,
                 "pid": event.device_index if event.is_device else os.getpid(),
                 "tid": event.thread, "ts": event.start,
                 "dur": event.duration,
                 "args": {"External id": event.id}} for event in self]}, file)

    def table(self, sort_by: Optional[str] = None, row_limit: int = 100,
              max_src_column_width: int = 75, max_name_column_width: int = 55,
              max_shapes_column_width: int = 80,
              header: Optional[str] = None,
              top_level_events_only: bool = False,
              time_unit: Optional[str] = None) -> str:
        """The averages as text, sorted by one of their attributes, largest
        first. ``row_limit=-1`` shows all, ``time_unit`` is "s", "ms" or
        "us"."""
        return render(self, sort_by, row_limit, max_src_column_width,
                      max_name_column_width, max_shapes_column_width, header,
                      top_level_events_only, time_unit,
                      self._profile_memory, self._with_flops)

    def __str__(self) -> str:
        return self.table()
