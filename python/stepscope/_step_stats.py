# SPDX-License-Identifier: Apache-2.0
"""How much memory the tensors of a TensorFlow step took at once, by allocator:
StepStats, read without TensorFlow."""

import re
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple

from .profiler.node_trees import fields, text

_LABEL = re.compile(r".* = .*\((.*)\)")  # name = op(input, input)


class AllocationMaximum(NamedTuple):
    """``tensors`` are those that lived when most bytes were in use."""

    timestamp: int  # microseconds
    num_bytes: int
    tensors: Set[str]


class _Tensor:
    def __init__(self, allocator: str, num_bytes: int, begin: int,
                 end: int) -> None:
        self.allocator, self.num_bytes = allocator, num_bytes
        self.begin, self.end = begin, end


class _Node:
    """An execution of an operator."""

    def __init__(self, data: bytes, on_stream: bool) -> None:
        self.name = self.label = ""
        self.begin = self.duration = 0
        self.outputs: List[Tuple[str, int]] = []  # allocator, bytes
        for number, value in fields(data):
            if number == 1:
                self.name = text(value)
            elif number == 2:
                self.begin = value
            elif number == 5:
                self.duration = value
            elif number == 7:
                self.outputs.append(_allocation(value))
            elif number == 8:
                self.label = text(value)
        self.end = self.begin + self.duration
        self.reads = not on_stream and self.name != "RecvTensor"

    def inputs(self) -> List[str]:
        found = _LABEL.match(self.label) if self.reads else None
        return found[1].split(", ") if found and found[1] else []


def _inside(data: bytes, *path: int) -> bytes:
    """The message at the end of a path of field numbers; empty if none."""
    for wanted in path:
        data = next((value for number, value in fields(data)
                     if number == wanted), b"")
    return data


def _allocation(output: bytes) -> Tuple[str, int]:
    allocator, num_bytes = "", 0
    for number, value in fields(_inside(output, 3, 4)):
        if number == 1:
            num_bytes = value
        elif number == 3:
            allocator = text(value)
    return allocator, num_bytes


def _step_stats(data: bytes) -> bytes:
    """Of a RunMetadata, which begins with it. The first field of a device is
    its name, and no name begins as a message does."""
    first = _inside(data, 1)
    return first if _inside(first, 1)[:1] == b"\n" else data


def _nodes(data: bytes) -> Iterator[_Node]:
    for number, device in fields(_step_stats(data)):
        if number != 1:
            continue
        name = text(_inside(device, 1))
        on_stream = "/stream:" in name or "/memcpy" in name
        for inner, node in fields(device):
            if inner == 2:
                yield _Node(node, on_stream)


def _tensors(nodes: List[_Node]) -> Dict[str, _Tensor]:
    """By name, from the start of what made them to the end of what read them
    last."""
    found = {}
    for node in nodes:
        for index, (allocator, num_bytes) in enumerate(node.outputs):
            name = f"{node.name}:{index}" if index else node.name
            found[name] = _Tensor(allocator, num_bytes, node.begin, node.end)
    for node in nodes:
        for name in node.inputs():
            if name not in found:  # between devices it has a number more
                name = name.rpartition("/_")[0]
            if name in found:
                found[name].end = max(found[name].end, node.end - 1)
    return found


def _maximum(tensors: Dict[str, _Tensor]) -> AllocationMaximum:
    changes: List[Tuple[int, int, str]] = []
    for name, tensor in tensors.items():
        changes.append((tensor.begin, tensor.num_bytes, name))
        changes.append((tensor.end, -tensor.num_bytes, name))
    most = AllocationMaximum(0, 0, set())
    in_use, living = 0, set()
    for time, change, name in sorted(changes):
        in_use += change
        if change < 0:
            living.discard(name)
        else:
            living.add(name)
        if in_use > most.num_bytes:
            most = AllocationMaximum(time, in_use, set(living))
    return most


def allocator_maximums(data: Any) -> Dict[str, AllocationMaximum]:
    """Of the bytes of a StepStats or a RunMetadata. ValueError if they are
    neither."""
    by_allocator: Dict[str, Dict[str, _Tensor]] = {}
    for name, tensor in _tensors(list(_nodes(bytes(data)))).items():
        by_allocator.setdefault(tensor.allocator, {})[name] = tensor
    return {allocator: _maximum(tensors)
            for allocator, tensors in by_allocator.items()}
