# SPDX-License-Identifier: Apache-2.0
"""Events added up by name, and the table of them."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional

from .events import FunctionEvent

_SORT_KEYS = ("self_cpu_time_total", "cpu_time_total", "cpu_time",
              "self_device_time_total", "device_time_total", "device_time",
              "count")


class FunctionEventAvg:
    """All events of one name. Times are in microseconds."""

    def __init__(self, key: str, input_shapes: Any = None) -> None:
        self.key = key
        self.input_shapes = input_shapes
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.device_time_total = 0.0
        self.self_device_time_total = 0.0
        self.is_device = False

    def add(self, event: FunctionEvent) -> None:
        self.count += 1
        self.is_device = event.is_device
        self.self_cpu_time_total += event.self_cpu_time_total
        self.self_device_time_total += event.self_device_time_total
        # What is in an event of the same name is in its time already.
        if not _is_inside_its_like(event):
            self.cpu_time_total += event.cpu_time_total
            self.device_time_total += event.device_time_total

    @property
    def cpu_time(self) -> float:
        """The average."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        return self.device_time_total / self.count if self.count else 0.0

    # As torch called them before 2.4.
    cuda_time = device_time
    cuda_time_total = property(lambda self: self.device_time_total)
    self_cuda_time_total = property(lambda self: self.self_device_time_total)

    def __repr__(self) -> str:
        return (f"<FunctionEventAvg {self.key!r}: {self.count} calls, "
                f"{self.cpu_time_total:.3f} us>")


def _is_inside_its_like(event: FunctionEvent) -> bool:
    key, outer = event.key, event.parent
    while outer is not None:
        if outer.key == key:
            return True
        outer = outer.parent
    return False


class EventList(list):
    """Events, or averages of them."""

    def key_averages(self, group_by_input_shape: bool = False) -> "EventList":
        found: Dict[Any, FunctionEventAvg] = {}
        for event in self:
            shapes = event.input_shapes if group_by_input_shape else None
            place = (event.key, event.is_device, str(shapes))
            if place not in found:
                found[place] = FunctionEventAvg(event.key, shapes)
            found[place].add(event)
        return EventList(found.values())

    @property
    def self_cpu_time_total(self) -> float:
        return sum(event.self_cpu_time_total for event in self)

    def table(self, sort_by: Optional[str] = None, row_limit: int = 100,
              max_name_column_width: int = 55,
              header: Optional[str] = None) -> str:
        """The averages as text, sorted by one of their attributes, largest
        first. ``row_limit=-1`` shows all."""
        rows = self
        if rows and isinstance(rows[0], FunctionEvent):
            rows = rows.key_averages()
        if sort_by is not None:
            rows = _sorted(rows, sort_by)
        shown = list(rows) if row_limit < 0 else list(rows)[:row_limit]
        return _render(rows, shown, max_name_column_width, header)

    def __str__(self) -> str:
        return self.table()


def _sorted(rows: "EventList", sort_by: str) -> "EventList":
    key = sort_by.replace("cuda", "device")
    if key not in _SORT_KEYS:
        raise ValueError(f"sort_by={sort_by!r}: expected one of "
                         + ", ".join(_SORT_KEYS))
    return EventList(sorted(rows, key=lambda row: getattr(row, key),
                            reverse=True))


def _time(microseconds: float) -> str:
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "0.00%"


def _cut(name: str, width: int) -> str:
    return name if len(name) <= width else name[:width - 3] + "..."


def _render(rows: Iterable[FunctionEventAvg], shown: List[FunctionEventAvg],
            name_width: int, header: Optional[str]) -> str:
    cpu = sum(row.self_cpu_time_total for row in rows)
    device = sum(row.self_device_time_total for row in rows if row.is_device)
    columns = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total",
               "CPU time avg"]
    if device:
        columns += ["Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"]
    columns += ["# of Calls"]
    with_shapes = any(row.input_shapes is not None for row in shown)
    if with_shapes:
        columns += ["Input Shapes"]
    lines = []
    for row in shown:
        line = [_cut(row.key, name_width),
                _share(row.self_cpu_time_total, cpu),
                _time(row.self_cpu_time_total),
                _share(row.cpu_time_total, cpu), _time(row.cpu_time_total),
                _time(row.cpu_time)]
        if device:
            line += [_time(row.self_device_time_total),
                     _share(row.self_device_time_total, device),
                     _time(row.device_time_total), _time(row.device_time)]
        line += [str(row.count)]
        if with_shapes:
            line += [_cut(str(row.input_shapes), 80)]
        lines.append(line)
    widths = [max(len(line[i]) for line in [columns] + lines)
              for i in range(len(columns))]
    rule = "  ".join("-" * width for width in widths)
    text = [header] if header else []
    text += [rule, "  ".join(map(str.rjust, columns, widths)), rule]
    text += ["  ".join(map(str.rjust, line, widths)) for line in lines]
    text += [rule, f"Self CPU time total: {_time(cpu)}"]
    if device:
        text.append(f"Self CUDA time total: {_time(device)}")
    return "\n".join(text) + "\n"
