# SPDX-License-Identifier: Apache-2.0
"""Numbers as torch's tables show them."""

from __future__ import annotations

from typing import Optional, Tuple


def format_time(microseconds: float, unit: Optional[str] = None) -> str:
    if unit == "s" or (unit is None and microseconds >= 1e6):
        return f"{microseconds / 1e6:.3f}s"
    if unit == "ms" or (unit is None and microseconds >= 1e3):
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


def format_memory(count: float) -> str:
    """Bytes; those freed are negative."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if abs(count) >= unit:
            return f"{count / unit:.2f} {name}"
    return f"{count:.0f} b"


def format_share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "0.00%"


def cut(name: str, width: Optional[int]) -> str:
    if width is None or len(name) <= width:
        return name
    return name[:width - 3] + "..."


def flops_scale(least: float) -> Tuple[float, str]:
    """How the smallest number of a column is shown, and so all of it: divisor
    and heading."""
    for unit, name in ((1e15, "PFLOPs"), (1e12, "TFLOPs"), (1e9, "GFLOPs"),
                       (1e6, "MFLOPs"), (1e3, "KFLOPs")):
        if least >= unit:
            return unit, "Total " + name
    return 1.0, "Total FLOPs"
