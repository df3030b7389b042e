# SPDX-License-Identifier: Apache-2.0
"""Reads a trace of any format that stepscope knows."""

from __future__ import annotations

import logging
import os
import warnings

from .. import _core
from .._native_files import READER
from .progress import progress_for
from .result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional

_log = logging.getLogger("stepscope")


def load(source: Any, *, steps: Optional[str] = None,
         unprofiled: Optional[str] = None, align: bool = True,
         step_range: Optional[str] = None, stacklevel: int = 1) -> Result:
    """See stepscope.load()."""
    options = {"steps": steps, "unprofiled": unprofiled}
    import_options = step_range_options(step_range, "load()")
    paths: List[bytes] = []
    _core.load_reader(READER)
    if isinstance(source, (bytes, bytearray, memoryview)):
        name = "bytes"
        with progress_for(name) as progress:
            trace, said = _core.read_bytes(bytes(source), name,
                                           import_options, progress)
    else:
        paths = paths_of(source)
        name = os.fsdecode(paths[0])
        if len(paths) > 1:
            name += f" and {len(paths) - 1} more"
        with progress_for(name) as progress:
            trace, said = _core.read_files(
                paths, ["align", "yes" if align else "no", *import_options],
                progress)
    for line in said.splitlines():
        warnings.warn(line, stacklevel=stacklevel + 1)
    result = Result(trace, name, options,
                    [os.path.abspath(os.fsdecode(path)) for path in paths],
                    step_range)
    if steps is not None or unprofiled is not None:
        # What makes no sense is said here, not when a table is first used.
        result.table("steps")
    _log.debug("loaded %s", name)
    return result


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
