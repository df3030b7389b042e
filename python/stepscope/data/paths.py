# SPDX-License-Identifier: Apache-2.0
"""What users give to load() and query(), checked."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List


def step_range_options(step_range: Any, function: str) -> List[str]:
    """For the reader library, which has it beside other options."""
    if step_range is None:
        return []
    if not isinstance(step_range, str):
        raise TypeError(f"{function}: step_range must be a str, not "
                        f"{type(step_range).__name__}")
    if not step_range or "\0" in step_range:
        raise ValueError(f"{function}: step_range is the name of a range, "
                         f"such as 'decode*', not {step_range!r}")
    return ["step_range", step_range]


def paths_of(source: Any, function: str = "load()",
             takes: str = "a path, bytes, or a list of paths") -> List[bytes]:
    """The paths that a user gave to ``function``, as the system has them."""
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    elif not isinstance(source, (list, tuple)):
        raise TypeError(f"{function} takes {takes}, not "
                        f"{type(source).__name__}")
    if not source:
        raise ValueError(f"{function}: the list of paths is empty")
    paths = []
    for path in source:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"{function}: a path must be a str or os.PathLike, "
                            f"not {type(path).__name__}")
        encoded = os.fsencode(path)
        if b"\0" in encoded:
            raise ValueError(
                f"{function}: {path!r} has a null character in it")
        paths.append(encoded)
    return paths
