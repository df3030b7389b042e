# SPDX-License-Identifier: Apache-2.0
"""Paddle's node trees: protobuf, read without protobuf."""

import struct
from typing import Any, Dict, Iterator, List, Tuple

from .._enums import TracerEventType, TracerMemEventType


def fields(data: bytes) -> Iterator[Tuple[int, Any]]:
    """(number, value) of each field of a message. ValueError if it is none."""
    at, end = 0, len(data)

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            if at >= end or shift > 63:
                raise ValueError("not a protobuf message")
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    while at < end:
        key = varint()
        wire, number = key & 7, key >> 3
        if wire == 0:
            yield number, varint()
            continue
        if wire == 2:
            size = varint()
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError("not a protobuf message")
        if size > end - at:
            raise ValueError("not a protobuf message")
        value = data[at:at + size]
        at += size
        if wire == 1:
            yield number, struct.unpack("<d", value)[0]
        elif wire == 5:
            yield number, struct.unpack("<f", value)[0]
        else:
            yield number, value


def text(value: Any) -> str:
    return value.decode("utf-8", "backslashreplace")


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def event_type(value: int) -> Any:
    try:
        return TracerEventType(value)
    except ValueError:
        return value


def memory_type(value: int) -> Any:
    try:
        return TracerMemEventType(value)
    except ValueError:
        return value


class _Node:
    """An object with the members that _NAMES gives to field numbers."""

    _NAMES: Dict[int, Tuple[str, Any]] = {}
    _DEFAULTS: Dict[str, Any] = {}

    def __init__(self, data: bytes) -> None:
        for name, value in self._DEFAULTS.items():
            setattr(self, name, value)
        self._read(data)

    def _read(self, data: bytes) -> None:
        for number, value in fields(data):
            known = self._NAMES.get(number)
            if known is not None:
                name, convert = known
                setattr(self, name, convert(value) if convert else value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {getattr(self, 'name', '')!r}>"


class MemNode(_Node):
    """Memory that was allocated or freed."""

    _NAMES = {1: ("timestamp_ns", None), 2: ("type", memory_type),
              3: ("addr", None), 4: ("process_id", None),
              5: ("thread_id", None), 6: ("increase_bytes", signed),
              7: ("place", text), 8: ("current_allocated", None),
              9: ("current_reserved", None), 10: ("peak_allocated", None),
              11: ("peak_reserved", None)}


class DeviceNode(_Node):
    """Work of a device."""

    _NAMES = {1: ("name", text), 2: ("type", event_type),
              3: ("start_ns", None), 4: ("end_ns", None),
              5: ("device_id", None), 6: ("context_id", None),
              7: ("stream_id", None), 8: ("correlation_id", None)}
    _DEFAULTS = dict.fromkeys(
        ("block_x", "block_y", "block_z", "grid_x", "grid_y", "grid_z",
         "shared_memory", "registers_per_thread", "num_bytes", "value",
         "blocks_per_sm", "warps_per_sm", "occupancy"), 0)
    _KERNEL = {1: "block_x", 2: "block_y", 3: "block_z", 4: "grid_x",
               5: "grid_y", 6: "grid_z", 9: "registers_per_thread",
               15: "blocks_per_sm", 16: "warps_per_sm", 17: "occupancy"}

    def _read(self, data: bytes) -> None:
        super()._read(data)
        for number, value in fields(data):
            if number == 9:
                for detail, amount in fields(value):
                    if detail in (7, 8):
                        self.shared_memory += amount
                    elif detail in self._KERNEL:
                        setattr(self, self._KERNEL[detail], amount)
            elif number in (10, 11):
                for detail, amount in fields(value):
                    if detail == 1:
                        self.num_bytes = amount
                    elif detail == 3 and number == 11:
                        self.value = amount


class RuntimeNode(_Node):
    """A call of a device's API, and the work that it launched."""

    _NAMES = {1: ("name", text), 2: ("start_ns", None), 3: ("end_ns", None),
              4: ("process_id", None), 5: ("thread_id", None),
              6: ("correlation_id", None)}
    type = TracerEventType.CudaRuntime

    def __init__(self, data: bytes) -> None:
        self.device_node: List[DeviceNode] = []
        self.children_node: List[Any] = []
        self.runtime_node: List[Any] = []
        self.mem_node: List[Any] = []
        for number, value in fields(data):
            if number == 1:
                self._read(value)
            elif number == 2:
                for inner, device in fields(value):
                    if inner == 1:
                        self.device_node.append(DeviceNode(device))


class HostNode(_Node):
    """An event of the host."""

    _NAMES = {1: ("name", text), 2: ("type", event_type),
              3: ("start_ns", None), 4: ("end_ns", None),
              5: ("process_id", None), 6: ("thread_id", None)}

    def __init__(self, data: bytes) -> None:
        self.id = self.parent_id = -1
        self.children_node: List[HostNode] = []
        self.runtime_node: List[RuntimeNode] = []
        self.device_node: List[DeviceNode] = []
        self.mem_node: List[MemNode] = []
        self.input_shapes: Dict[str, List[List[int]]] = {}
        self.dtypes: Dict[str, List[str]] = {}
        self.callstack = ""
        self.attributes: Dict[str, Any] = {}
        self.op_id = 0
        for number, value in fields(data):
            if number == 1:
                self.id = signed(value)
            elif number == 2:
                self.parent_id = signed(value)
            elif number == 3:
                self._read(value)
            elif number == 4:
                self.runtime_node.append(RuntimeNode(value))
            elif number == 5:
                for inner, memory in fields(value):
                    if inner == 1:
                        self.mem_node.append(MemNode(memory))
            elif number == 6:
                for inner, supplement in fields(value):
                    if inner == 1:
                        self._supplement(supplement)

    def _supplement(self, data: bytes) -> None:
        for number, value in fields(data):
            if number == 5:
                self.input_shapes = dict(_pairs(value, _shapes))
            elif number == 6:
                self.dtypes = dict(_pairs(value, _texts))
            elif number == 7:
                self.callstack = text(value)
            elif number == 8:
                self.op_id = value


def _pairs(data: bytes, convert: Any) -> List[Tuple[str, Any]]:
    keys = [text(value) for number, value in fields(data) if number == 1]
    values = [convert(value) for number, value in fields(data) if number == 2]
    return list(zip(keys, values))


def _texts(data: bytes) -> List[str]:
    return [text(value) for number, value in fields(data) if number == 1]


def _shapes(data: bytes) -> List[List[int]]:
    return [[size for inner, size in fields(value) if inner == 1]
            for number, value in fields(data) if number == 1]


class NodeTrees:
    """The whole file. ValueError if the bytes are something else."""

    def __init__(self, data: bytes) -> None:
        self.version = ""
        self.span_index = 0
        self.extra_info: Dict[str, str] = {}
        self.data: Dict[int, HostNode] = {}
        for number, value in fields(data):
            if number == 1:
                self.version = text(value)
            elif number == 2:
                self.span_index = value
            elif number == 3:
                self._thread(value)
            elif number == 4:
                (key, info) = (text(item) for _, item in fields(value))
                self.extra_info[key] = info
        if not self.version:
            raise ValueError("not Paddle's node trees")
        self.data = dict(sorted(self.data.items()))

    def _thread(self, data: bytes) -> None:
        thread, nodes = 0, {}
        for number, value in fields(data):
            if number == 1:
                thread = value
            elif number == 2:
                node = HostNode(value)
                nodes[node.id] = node
        for node in nodes.values():
            parent = nodes.get(node.parent_id)
            if parent is not None and parent is not node:
                parent.children_node.append(node)
        if 0 in nodes:
            self.data[thread] = nodes[0]
