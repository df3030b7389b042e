# SPDX-License-Identifier: Apache-2.0
"""How much memory was allocated when: export_memory_timeline, in the formats
of torch's."""

from __future__ import annotations

import gzip
import json
import os
from html import escape
from typing import Any, Dict, List, NamedTuple, Tuple

from .units import format_memory

# By their numbers in torch's files.
_CREATE = 2
_DESTROY = 4
# torch tells parameters, gradients and so on apart by what operators do with
# each tensor. That is not recorded: all memory is in the last category, which
# torch calls Unknown.
_CATEGORIES = 8
_UNKNOWN = 7
_DEVICE_TYPES = {"cpu": 0, "cuda": 1, "xpu": 12, "mtia": 19}


class Change(NamedTuple):
    time_ns: int  # since 1970
    bytes: int    # negative: freed


def _device(text: str) -> Tuple[int, int]:
    """Type and index, as traces state them."""
    name, _, index = str(text).partition(":")
    if name not in _DEVICE_TYPES or (index and not index.isdigit()):
        raise ValueError(f"device={text!r}: expected a name such as \"cpu\" or "
                         "\"cuda:0\"")
    return _DEVICE_TYPES[name], -1 if name == "cpu" else int(index or 0)


def changes_of(trace: Dict[str, Any], device: str) -> List[Change]:
    """The allocations and frees on that device, in order of time."""
    kind, index = _device(device)
    base = int(trace.get("baseTimeNanoseconds", 0))
    changes = []
    for event in trace["traceEvents"]:
        if event["name"] != "[memory]" or event.get("ph") != "i":
            continue
        arguments = event["args"]
        if (arguments["Device Type"] == kind
                and (kind == 0 or arguments["Device Id"] == index)):
            changes.append(Change(base + round(event["ts"] * 1000),
                                  arguments["Bytes"]))
    return sorted(changes, key=lambda change: change.time_ns)


def _totals(changes: List[Change]) -> Tuple[List[int], List[List[int]]]:
    """Times in microseconds, and what was allocated then by category; the
    first of each list is 0, on which torch stacks the others."""
    times: List[int] = []
    sizes: List[List[int]] = []
    total = 0
    for change in changes:
        time = change.time_ns // 1000
        total += change.bytes
        if not times or time != times[-1]:
            times.append(time)
            sizes.append([0] * (1 + _CATEGORIES))
        sizes[-1][1 + _UNKNOWN] = total
    return times, sizes


def _raw(changes: List[Change]) -> List[Tuple[int, int, int, int]]:
    return [(change.time_ns, _DESTROY if change.bytes < 0 else _CREATE,
             change.bytes, _UNKNOWN) for change in changes]


_WIDTH, _HEIGHT = 1200, 480


def _page(changes: List[Change], device: str) -> str:
    """A page that needs nothing else: a picture with its scale in words."""
    times, sizes = _totals(changes)
    totals = [size[1 + _UNKNOWN] for size in sizes]
    begin = times[0] if times else 0
    lasts = max(times[-1] - begin, 1) if times else 1
    low, high = min([0, *totals]), max([1, *totals])

    def place(time: int, total: int) -> str:
        return (f"{(time - begin) / lasts * _WIDTH:.1f},"
                f"{(high - total) / (high - low) * _HEIGHT:.1f}")

    points = [place(begin, 0)]
    before = 0
    for time, total in zip(times, totals):
        points += [place(time, before), place(time, total)]
        before = total
    points += [place(begin + lasts, before), place(begin + lasts, 0)]
    least = f"{format_memory(low)} at least, " if low < 0 else ""
    return f"""<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>Memory timeline</title></head>
<body style="font-family: sans-serif">
<h1>Memory on {escape(device)}</h1>
<p>Allocated since recording began: {least}{format_memory(max([0, *totals]))}
at most, {format_memory(before)} at the end; {len(changes)} allocations and
frees in {lasts / 1000:.3f} ms. Memory that was allocated before is not
counted.</p>
<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" style="width: 100%; max-width: 90rem;
border: 1px solid gray"><polygon fill="#4477aa" points="{' '.join(points)}"/>
</svg>
</body>
</html>
"""


def write(trace: Dict[str, Any], path: str, device: str) -> None:
    """By the end of the name: a page (.html), each change (raw.json.gz), or
    totals by time (.json, .json.gz)."""
    changes = changes_of(trace, device)
    if path.endswith(".html"):
        text = _page(changes, device)
    elif path.endswith("raw.json.gz"):
        text = json.dumps(_raw(changes))
    else:
        text = json.dumps(_totals(changes))
    partial = f"{path}.{os.getpid()}.partial"
    try:
        if path.endswith(".gz"):
            with gzip.open(partial, "wt", encoding="utf-8") as file:
                file.write(text)
        else:
            with open(partial, "w", encoding="utf-8") as file:
                file.write(text)
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.unlink(partial)
