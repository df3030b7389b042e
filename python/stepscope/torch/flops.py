# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations of an operator by the shapes of its inputs, for the
operators that torch's profiler counts them for."""

from __future__ import annotations

from math import prod
from typing import Any, List


def _dims(shapes: List[Any], *indices: int) -> List[List[int]]:
    """The shapes at these places; nothing where one is missing."""
    found = []
    for index in indices:
        if index >= len(shapes) or not isinstance(shapes[index], list):
            return []
        if not all(isinstance(size, int) for size in shapes[index]):
            return []
        found.append(shapes[index])
    return found


def _product(shapes: List[Any], first: int) -> int:
    """A matrix, or a batch of them, times another."""
    found = _dims(shapes, first, first + 1)
    if not found or min(map(len, found)) < 2:
        return 0
    left, right = found
    return 2 * prod(left) * right[-1]


def _numbers(text: Any) -> List[int]:
    try:
        return [int(part) for part in str(text).strip("[]()").split(",")]
    except ValueError:
        return []


def _convolution(shapes: List[Any], concrete: List[Any]) -> int:
    """Needs stride, padding and dilation, which are no shapes: 0 where they
    were not recorded."""
    found = _dims(shapes, 0, 1)
    if not found or len(found[0]) != 4 or len(found[1]) != 4:
        return 0
    (batch, _, height, width), (out, ins, rows, columns) = found
    if len(concrete) < 6:
        return 0
    stride, padding, dilation = map(_numbers, concrete[3:6])
    if not (len(stride) == len(padding) == len(dilation) == 2
            and all(stride)):
        return 0
    out_height = (height + 2 * padding[0]
                  - dilation[0] * (rows - 1) - 1) // stride[0] + 1
    out_width = (width + 2 * padding[1]
                 - dilation[1] * (columns - 1) - 1) // stride[1] + 1
    return 2 * batch * out_height * out_width * ins * out * rows * columns


def _elements(shapes: List[Any]) -> int:
    found = _dims(shapes, 0, 1) or _dims(shapes, 0)
    return max((prod(shape) for shape in found if shape), default=0)


def flops_of(name: str, shapes: List[Any], concrete: List[Any]) -> int:
    if name in ("aten::mm", "aten::bmm"):
        return _product(shapes, 0)
    if name in ("aten::addmm", "aten::baddbmm"):
        return _product(shapes, 1)
    if name == "aten::conv2d":
        return _convolution(shapes, concrete)
    if name in ("aten::mul", "aten::add"):
        return _elements(shapes)
    return 0
