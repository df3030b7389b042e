# SPDX-License-Identifier: Apache-2.0
"""stepscope.load(), without what it needs until it is called."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import List, Optional, Union

    from .data import Result

    Path = Union[str, "os.PathLike[str]"]


def load(source: Union[Path, List[Path], bytes, bytearray, memoryview], *,
         steps: Optional[str] = None,
         unprofiled: Optional[str] = None) -> Result:
    """Reads a trace: a file, a folder that holds one job, a list of files of
    one job, or bytes, in any format that ``stepscope summary`` reads.

    ``steps`` says which steps the tables are of: ``"all"``, ``"settled"``
    (without warm-up) or numbers such as ``"3:8"``; without it they are of
    everything that was recorded. ``unprofiled`` is how long a step takes that
    is not recorded, such as ``"14.9ms"``.

    FileNotFoundError, OSError or ValueError, with one line, where nothing can
    be read; a warning where a part of it cannot::

        result = stepscope.load("trace.json.gz", steps="settled")
        print(result.operators)
        frame = result.events.to_pandas()
    """
    from .data.load import load as _load

    return _load(source, steps=steps, unprofiled=unprofiled, stacklevel=2)
