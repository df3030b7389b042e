# SPDX-License-Identifier: Apache-2.0
"""The events of a window, with what each contains and launched, under the names
of torch.autograd.profiler_util."""

from __future__ import annotations

import ast
import collections
import enum
import gzip
import json
import sys
from typing import (Any, Dict, Iterable, Iterator, List, NamedTuple, Optional,
                    Tuple)

from .flops import flops_of
from .units import format_memory, format_time

_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation")
_ANNOTATIONS = ("user_annotation", "gpu_user_annotation")
_CALLS = ("cuda_runtime", "cuda_driver")
_MEMORY = "[memory]"  # an instant at which memory was allocated or freed
_STEPS = ("ProfileStep#", "ProfilerStep#")
# Chrome's words of our own files, and torch's of 2021.
_WORDS = {"Kernel": "kernel", "Memcpy": "gpu_memcpy", "Memset": "gpu_memset",
          "CudaRuntime": "cuda_runtime", "Runtime": "cuda_runtime",
          "Operator": "cpu_op", "PythonFunction": "python_function",
          "UserDefined": "user_annotation",
          "PythonUserDefined": "user_annotation"}


class DeviceType(enum.IntEnum):
    """Where something ran, in torch's numbers."""

    CPU = 0
    CUDA = 1


def device_types() -> Any:
    """torch's own where torch is loaded, so that programs can compare with it;
    else ours, which has the same names."""
    autograd = getattr(sys.modules.get("torch"), "autograd", None)
    return getattr(autograd, "DeviceType", DeviceType)


class Interval:
    """From when to when, in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        return self.end - self.start

    def __repr__(self) -> str:
        return f"Interval(start={self.start}, end={self.end})"


class Kernel(NamedTuple):
    """Work of a device, as the operator that launched it has it."""

    name: str
    device: int
    duration: float


class Texts:
    """The times of an event as text."""

    cpu_time_str = property(lambda self: format_time(self.cpu_time))
    device_time_str = property(lambda self: format_time(self.device_time))
    cpu_time_total_str = property(
        lambda self: format_time(self.cpu_time_total))
    device_time_total_str = property(
        lambda self: format_time(self.device_time_total))
    self_cpu_time_total_str = property(
        lambda self: format_time(self.self_cpu_time_total))
    self_device_time_total_str = property(
        lambda self: format_time(self.self_device_time_total))
    # As torch called them before 2.4.
    cuda_time = property(lambda self: self.device_time)
    cuda_time_total = property(lambda self: self.device_time_total)
    self_cuda_time_total = property(lambda self: self.self_device_time_total)
    cuda_memory_usage = property(lambda self: self.device_memory_usage)
    self_cuda_memory_usage = property(
        lambda self: self.self_device_memory_usage)
    cuda_time_str = device_time_str
    cuda_time_total_str = device_time_total_str
    self_cuda_time_total_str = self_device_time_total_str

    @property
    def cpu_time(self) -> float:
        """The average."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        return self.device_time_total / self.count if self.count else 0.0


class FunctionEvent(Texts):
    """One event. Times are in microseconds, as in torch."""

    count = 1
    node_id = -1
    is_async = False
    is_remote = False
    is_legacy = False
    scope = 0
    trace_name = None

    def __init__(self, record: Dict[str, Any], zero: float = 0) -> None:
        arguments = record.get("args") or {}
        category = record.get("cat", "")
        self.name: str = record["name"]
        self.category: str = _WORDS.get(category, category)
        start = record["ts"] - zero
        self.time_range = Interval(start, start + record["dur"])
        # The rows of one thread are "7(Python)" and "7(C++)" in our own files.
        thread = str(record.get("tid", "")).split("(")[0]
        self.thread: Any = int(thread) if thread.isdigit() else thread
        self.is_device: bool = self.category in _DEVICE
        kinds = device_types()
        self.device_type: Any = kinds.CUDA if self.is_device else kinds.CPU
        self.device_index: int = arguments.get("device", 0)
        self.device_resource_id: Any = self.thread
        self.use_device: Optional[str] = "cuda" if self.is_device else None
        self.is_user_annotation: bool = self.category in _ANNOTATIONS
        self.id: int = arguments.get("External id", 0)
        self.fwd_thread: Optional[int] = arguments.get("Fwd thread id")
        self.sequence_nr: int = arguments.get("Sequence number", -1)
        # A list of tensors has shapes in files, and none here, as in torch.
        self.input_shapes: List[Any] = [
            [] if _holds_lists(shape) else shape for shape in _list(
                arguments.get("Input Dims", arguments.get("input_shapes")))]
        self.concrete_inputs: List[Any] = [
            _value(text) for text in _list(arguments.get("Concrete Inputs"))]
        self.input_types: List[Any] = _list(arguments.get("Input type"))
        self.kwinputs: Dict[str, Any] = {}
        self.correlation: Any = arguments.get(
            "correlation", arguments.get("correlation id"))
        self.stack: List[str] = []
        self.flops: int = 0
        self.cpu_parent: Optional[FunctionEvent] = None
        self.cpu_children: List[FunctionEvent] = []
        self.kernels: List[Kernel] = []  # launched by it directly
        self.device_time_total = 0.0  # also of what it contains
        self.cpu_memory_usage = 0     # of what it contains too
        self.device_memory_usage = 0

    @property
    def key(self) -> str:
        """All steps are one row of averages."""
        return "ProfilerStep*" if self.name.startswith(_STEPS) else self.name

    start = property(lambda self: self.time_range.start)
    end = property(lambda self: self.time_range.end)
    duration = property(lambda self: self.time_range.elapsed_us())
    parent = property(lambda self: self.cpu_parent)
    children = property(lambda self: self.cpu_children)

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child: "FunctionEvent") -> None:
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: "FunctionEvent") -> None:
        self.cpu_parent = parent

    @property
    def cpu_time_total(self) -> float:
        return 0.0 if self.is_device else self.duration

    @property
    def self_cpu_time_total(self) -> float:
        if self.is_device:
            return 0.0
        return self.duration - sum(child.duration
                                   for child in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:
        if self.is_device:
            return self.duration
        return sum(kernel.duration for kernel in self.kernels)

    @property
    def self_cpu_memory_usage(self) -> int:
        return self.cpu_memory_usage - sum(child.cpu_memory_usage
                                           for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        return self.device_memory_usage - sum(child.device_memory_usage
                                              for child in self.cpu_children)

    def __repr__(self) -> str:
        return (f"<FunctionEvent id={self.id} name={self.name} "
                f"device_type={self.device_type.name} start_us={self.start} "
                f"duration_us={self.duration:.3f} thread={self.thread} "
                f"input_shapes={self.input_shapes} "
                f"cpu_memory={format_memory(self.cpu_memory_usage)}>")


def _list(value: Any) -> List[Any]:
    """Shapes are lists; in Chrome's files of older versions texts of them."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return [value]
    if isinstance(value, dict):  # Paddle's, by the name of the input
        return [shape for shapes in value.values() for shape in shapes]
    return value if isinstance(value, list) else []


def _holds_lists(shape: Any) -> bool:
    return (isinstance(shape, list)
            and any(isinstance(size, list) for size in shape))


def _value(text: Any) -> Any:
    """Of an input that is not a tensor: "6", "0.5", "False", "[3, 5]"."""
    if not isinstance(text, str):
        return text
    if not text:
        return None
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def read_events(path: str, with_flops: bool = False,
                with_stack: bool = False) -> List[FunctionEvent]:
    """The events of a trace of torch or of ours, in order of time."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        records = json.load(file)["traceEvents"]
    return events_of(records, with_flops, with_stack)


def events_of(records: Iterable[Dict[str, Any]], with_flops: bool = False,
              with_stack: bool = False) -> List[FunctionEvent]:
    records = list(records)
    slices = [record for record in records
              if record.get("ph") == "X" and record.get("cat") != "Trace"]
    # As in torch, times count from the first event.
    zero = min((record["ts"] for record in slices), default=0)
    events = [FunctionEvent(record, zero) for record in slices]
    events.sort(key=lambda event: (event.start, -event.duration))
    calls = [event for event in events
             if event.category == "python_function"]
    if with_stack and calls:
        _add_stacks(events)
    events = [event for event in events
              if event.category != "python_function"]
    _nest(event for event in events if not event.is_device)
    events = _without_doubles(events)
    _join_kernels(events)
    events = _with_memory(events, records, zero)
    if with_flops:
        for event in events:
            event.flops = flops_of(event.name, event.input_shapes,
                                   event.concrete_inputs)
    return events


def _open_at(events: Iterable[FunctionEvent],
             ) -> Iterator[Tuple[FunctionEvent, List[FunctionEvent]]]:
    """Each event, and those of its thread that are open around it."""
    open_events: Dict[Any, List[FunctionEvent]] = collections.defaultdict(list)
    for event in events:
        stack = open_events[event.thread]
        while stack and stack[-1].end < event.end:
            stack.pop()
        yield event, stack
        stack.append(event)


def _add_stacks(events: List[FunctionEvent]) -> None:
    """The calls of Python around an operator, innermost first."""
    for event, stack in _open_at(event for event in events
                                 if not event.is_device):
        event.stack = [outer.name for outer in reversed(stack)
                       if outer.category == "python_function"]


def _nest(events: Iterable[FunctionEvent]) -> None:
    """An event is in the one that is open on its thread."""
    for event, stack in _open_at(events):
        if stack:
            event.set_cpu_parent(stack[-1])
            stack[-1].append_cpu_child(event)


def _without_doubles(events: List[FunctionEvent]) -> List[FunctionEvent]:
    """An operator that does nothing but call another version of itself, as
    under autocast, is one event."""
    kept = []
    for event in events:  # outer ones first
        outer = event.cpu_parent
        if (outer is not None and outer.name == event.name
                and len(outer.cpu_children) == 1):
            outer.cpu_children = event.cpu_children
            for child in event.cpu_children:
                child.set_cpu_parent(outer)
        else:
            kept.append(event)
    return kept


def _join_kernels(events: List[FunctionEvent]) -> None:
    """A kernel belongs to the call of the runtime that launched it, and counts
    for the operator around that."""
    launches = {event.correlation: event for event in events
                if event.category in _CALLS and event.correlation}
    for event in events:
        if not event.is_device or event.is_user_annotation:
            continue
        launch = launches.get(event.correlation)
        if launch is not None:
            (launch.cpu_parent or launch).append_kernel(
                event.name, event.device_index, event.duration)
    for event in reversed(events):  # inner ones first
        event.device_time_total += event.self_device_time_total
        if event.cpu_parent is not None:
            event.cpu_parent.device_time_total += event.device_time_total


def _with_memory(events: List[FunctionEvent],
                 records: Iterable[Dict[str, Any]],
                 zero: float) -> List[FunctionEvent]:
    """What was allocated less what was freed while an event was open. Outside
    all events of its thread, a change is an event of its own, as in torch."""
    changes = [record for record in records
               if record.get("ph") == "i" and record["name"] == _MEMORY
               and "Bytes" in record.get("args", {})]
    if not changes:
        return events
    changes.sort(key=lambda record: record["ts"])
    threads: Dict[Any, List[FunctionEvent]] = collections.defaultdict(list)
    for event in events:
        if not event.is_device:
            threads[event.thread].append(event)
    own = []
    for thread in {change.get("tid") for change in changes}:
        own += _add_changes(threads[thread],
                            [change for change in changes
                             if change.get("tid") == thread], zero)
    if not own:
        return events
    return sorted(events + own,
                  key=lambda event: (event.start, -event.duration))


def _add_changes(events: List[FunctionEvent], changes: List[Dict[str, Any]],
                 zero: float) -> List[FunctionEvent]:
    """Adds them to the events of their thread; returns one for each that is
    in none."""
    at = 0
    stack: List[FunctionEvent] = []
    outside = []
    for change in changes:
        time = change["ts"] - zero
        while at < len(events) and events[at].start <= time:
            stack.append(events[at])
            at += 1
        stack = [event for event in stack if event.end >= time]
        if not stack:
            outside.append(FunctionEvent({**change, "dur": 0}, zero))
        for event in stack or outside[-1:]:
            if change["args"].get("Device Type", 0) == 0:
                event.cpu_memory_usage += change["args"]["Bytes"]
            else:
                event.device_memory_usage += change["args"]["Bytes"]
    return outside
