# SPDX-License-Identifier: Apache-2.0
"""The table of events, in torch's columns."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional

from .units import (cut, flops_scale, format_memory, format_share,
                    format_time)

_SORT_KEYS = ("cpu_time", "cpu_time_total", "self_cpu_time_total",
              "device_time", "device_time_total", "self_device_time_total",
              "cpu_memory_usage", "self_cpu_memory_usage",
              "device_memory_usage", "self_device_memory_usage", "count",
              "flops")


class _Column(NamedTuple):
    name: str
    text: Callable[[Any], str]


def _sorted(rows: List[Any], sort_by: str) -> List[Any]:
    key = sort_by.replace("cuda", "device")
    if key not in _SORT_KEYS:
        raise ValueError(f"sort_by={sort_by!r}: expected one of "
                         + ", ".join(_SORT_KEYS))
    return sorted(rows, key=lambda row: getattr(row, key), reverse=True)


def _time_columns(cpu: float, device: float, with_device: bool,
                  unit: Optional[str]) -> List[_Column]:
    def time(name: str) -> Callable[[Any], str]:
        return lambda row: format_time(getattr(row, name), unit)

    def share(name: str, whole: float) -> Callable[[Any], str]:
        return lambda row: format_share(getattr(row, name), whole)

    columns = [
        _Column("Self CPU %", share("self_cpu_time_total", cpu)),
        _Column("Self CPU", time("self_cpu_time_total")),
        _Column("CPU total %", share("cpu_time_total", cpu)),
        _Column("CPU total", time("cpu_time_total")),
        _Column("CPU time avg", time("cpu_time"))]
    if with_device:
        columns += [
            _Column("Self CUDA", time("self_device_time_total")),
            _Column("Self CUDA %", share("self_device_time_total", device)),
            _Column("CUDA total", time("device_time_total")),
            _Column("CUDA time avg", time("device_time"))]
    return columns


def _memory_columns(with_device: bool) -> List[_Column]:
    names = [("CPU Mem", "cpu_memory_usage"),
             ("Self CPU Mem", "self_cpu_memory_usage")]
    if with_device:
        names += [("CUDA Mem", "device_memory_usage"),
                  ("Self CUDA Mem", "self_device_memory_usage")]
    return [_Column(title, lambda row, name=name:
                    format_memory(getattr(row, name)))
            for title, name in names]


def _flops_column(rows: List[Any]) -> List[_Column]:
    counted = [row.flops for row in rows if row.flops > 0]
    if not counted:
        return []
    unit, title = flops_scale(min(counted))
    return [_Column(title, lambda row:
                    f"{row.flops / unit:.3f}" if row.flops > 0 else "--")]


def _device_time(rows: List[Any]) -> float:
    """Of the devices' own work: what they did for an annotation is in it."""
    return sum(row.self_device_time_total for row in rows
               if row.is_device and not row.is_user_annotation)


def render(events: Any, sort_by: Optional[str], row_limit: int,
           src_width: int, name_width: int, shapes_width: int,
           header: Optional[str], top_level_only: bool,
           unit: Optional[str], with_memory: bool, with_flops: bool) -> str:
    rows = list(events)
    if not rows:
        return ""
    cpu = sum(row.self_cpu_time_total for row in rows)
    device = _device_time(rows)
    if sort_by is not None:
        rows = _sorted(rows, sort_by)
    if top_level_only:
        rows = [row for row in rows if row.cpu_parent is None]
    shown = rows if row_limit < 0 else rows[:row_limit]
    columns = [_Column("Name", lambda row: cut(row.key, name_width))]
    columns += _time_columns(cpu, device, device > 0, unit)
    if with_memory:
        columns += _memory_columns(device > 0)
    columns.append(_Column("# of Calls", lambda row: str(row.count)))
    if any(row.input_shapes for row in shown):
        columns.append(_Column("Input Shapes", lambda row: cut(
            str(row.input_shapes or []), shapes_width)))
    if any(row.stack for row in shown):
        columns.append(_Column("Source Location", lambda row: cut(
            row.stack[0] if row.stack else "", src_width)))
    if with_flops:
        columns += _flops_column(rows)
    return _text(columns, shown, header, cpu, device, unit)


def _text(columns: List[_Column], shown: List[Any], header: Optional[str],
          cpu: float, device: float, unit: Optional[str]) -> str:
    lines = [[column.text(row) for column in columns] for row in shown]
    titles = [column.name for column in columns]
    widths = [max(len(line[i]) for line in [titles] + lines)
              for i in range(len(columns))]
    rule = "  ".join("-" * width for width in widths)
    text = [header] if header else []
    text += [rule, "  ".join(map(str.rjust, titles, widths)), rule]
    text += ["  ".join(map(str.rjust, line, widths)) for line in lines]
    text += [rule, f"Self CPU time total: {format_time(cpu, unit)}"]
    if device:
        text.append(f"Self CUDA time total: {format_time(device, unit)}")
    return "\n".join(text) + "\n"
