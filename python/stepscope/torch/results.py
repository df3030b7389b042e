# SPDX-License-Identifier: Apache-2.0
"""What programs look for behind ``prof.profiler``: the events, and what tools
ask of Kineto's results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

if TYPE_CHECKING:
    from .averages import EventList, FunctionEventAvg
    from .events import FunctionEvent


_next_id = 0  # ids of one recording are not those of another


def _first_id_of(events: "EventList") -> int:
    global _next_id
    first = getattr(events, "_first_id", None)
    if first is None:
        first = events._first_id = _next_id
        _next_id += max((max(event.correlation or 0, event.id)
                         for event in events), default=0) + 1
    return first


class KinetoEvent:
    """An event under the names of torch's C++ class."""

    def __init__(self, event: "FunctionEvent", start_ns: int,
                 first_id: int) -> None:
        self._event = event
        self._start_ns = start_ns
        self._first_id = first_id

    def name(self) -> str:
        return self._event.name

    def start_ns(self) -> int:
        return self._start_ns

    def duration_ns(self) -> int:
        return round(self._event.duration * 1000)

    def end_ns(self) -> int:
        return self._start_ns + self.duration_ns()

    def device_type(self) -> Any:
        return self._event.device_type

    def device_index(self) -> int:
        return self._event.device_index

    def device_resource_id(self) -> Any:
        return self._event.device_resource_id

    def correlation_id(self) -> int:
        own = self._event.correlation or self._event.id
        return self._first_id + own if own else 0

    def linked_correlation_id(self) -> int:
        event = self._event
        return self._first_id + event.id if event.is_device else 0

    def start_thread_id(self) -> Any:
        return self._event.thread

    def sequence_nr(self) -> int:
        return self._event.sequence_nr

    def fwd_thread_id(self) -> int:
        return self._event.fwd_thread or 0

    def shapes(self) -> List[Any]:
        return self._event.input_shapes

    def dtypes(self) -> List[Any]:
        return self._event.input_types

    def stack(self) -> List[str]:
        return self._event.stack

    def flops(self) -> int:
        return self._event.flops

    def is_user_annotation(self) -> bool:
        return self._event.is_user_annotation

    def is_async(self) -> bool:
        return False


class KinetoResults:
    def __init__(self, events: "EventList") -> None:
        self._events = events

    def events(self) -> List[KinetoEvent]:
        first_id = _first_id_of(self._events)
        return [KinetoEvent(event, round(event.start * 1000), first_id)
                for event in self._events]

    def trace_start_ns(self) -> int:
        return round(min((event.start for event in self._events),
                         default=0) * 1000)


class ProfilerResults:
    """``prof.profiler``; ``owner`` is that profile."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    @property
    def function_events(self) -> "EventList":
        return self._owner.events()

    @property
    def kineto_results(self) -> KinetoResults:
        return KinetoResults(self._owner.events())

    @property
    def trace_id(self) -> Optional[str]:
        return self._owner.get_trace_id()

    @property
    def self_cpu_time_total(self) -> float:
        return self.function_events.self_cpu_time_total

    def key_averages(self, group_by_input_shape: bool = False,
                     group_by_stack_n: int = 0) -> "EventList":
        return self._owner.key_averages(group_by_input_shape,
                                        group_by_stack_n)

    def total_average(self) -> "FunctionEventAvg":
        return self._owner.total_average()

    def table(self, *arguments: Any, **named: Any) -> str:
        return self.function_events.table(*arguments, **named)
