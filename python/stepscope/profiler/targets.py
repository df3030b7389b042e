# SPDX-License-Identifier: Apache-2.0
"""What can be recorded on this machine."""

from __future__ import annotations

import os
import warnings

from .._enums import ProfilerTarget
from .._native_files import GPU_PLUGIN

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, List, Optional, Union


def _gpu_is_supported() -> bool:
    if os.environ.get("STEPSCOPE_PLUGIN_PATH"):
        return True
    devices = ("/dev/nvidiactl", "/dev/dxg")
    return os.path.exists(GPU_PLUGIN) and any(map(os.path.exists, devices))


def supported_targets() -> List[ProfilerTarget]:
    supported = [ProfilerTarget.CPU]
    if _gpu_is_supported():
        supported.append(ProfilerTarget.GPU)
    return supported + [ProfilerTarget.CUSTOM_DEVICE]


def counter_interval(counters: Union[bool, int]) -> int:
    """Microseconds between samples of the hardware's counters; 0: none."""
    if isinstance(counters, bool):
        return 100 if counters else 0
    if not 10 <= counters <= 100000:
        raise ValueError("counters must be True, False or 10 to 100000 "
                         f"microseconds, not {counters!r}")
    return counters


def choose_targets(targets: Optional[Iterable[ProfilerTarget]]) -> Any:
    """A list of all that there is, or a set of what of it is wanted."""
    supported = supported_targets()
    wanted = list(targets) if targets is not None else []
    if not wanted:
        return supported
    chosen = set()
    for target in wanted:
        if target in supported:
            chosen.add(target)
        else:
            warnings.warn(
                f"Profiling {target} is not supported in current context.",
                stacklevel=4)
    return chosen
