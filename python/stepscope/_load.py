# SPDX-License-Identifier: Apache-2.0
"""stepscope.load() and query(), without what they need until called."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Dict, List, Optional, Union

    from .data import QueryTable, Result

    Path = Union[str, "os.PathLike[str]"]


def load(source: Union[Path, List[Path], bytes, bytearray, memoryview], *,
         steps: Optional[str] = None,
         unprofiled: Optional[str] = None,
         align: bool = True,
         step_range: Optional[str] = None) -> Result:
    """Reads a trace: a file, a folder that holds one job, a list of files of
    one job, or bytes, in any format that ``stepscope summary`` reads.

    ``steps`` says which steps the tables are of: ``"all"``, ``"settled"``
    (without warm-up) or numbers such as ``"3:8"``; without it they are of
    everything that was recorded. ``unprofiled`` is how long a step takes that
    is not recorded, such as ``"14.9ms"``. ``step_range`` makes the ranges of
    that name the steps, in place of those that were recorded: ``"decode*"``,
    where ``*`` matches any text. Ranks are laid on one clock by their
    collectives; ``align=False`` leaves their clocks as recorded.

    FileNotFoundError, OSError or ValueError, with one line, where nothing can
    be read; a warning where a part of it cannot::

        result = stepscope.load("trace.json.gz", steps="settled")
        print(result.operators)
        frame = result.events.to_pandas()
    """
    from .data import load as _load

    return _load(source, steps=steps, unprofiled=unprofiled, align=align,
                 step_range=step_range, stacklevel=2)


def query(source: Union[Path, List[Path], Result],
          sql: Optional[str] = None, *, named: Optional[str] = None,
          params: Optional[Dict[str, Union[int, float]]] = None,
          memory: Optional[str] = None,
          step_range: Optional[str] = None) -> QueryTable:
    """The rows that an SQL query gives, as a table for pyarrow, polars, pandas
    or plain Python: of a dataset (``stepscope convert --to parquet``), a
    trace, a folder of traces, a list of them, or of the files that ``load()``
    has read. Tables, views and named queries are those of ``stepscope query``.

    ``named`` is the name of a query that is there already, and ``params`` are
    its numbers. ``step_range`` is that of ``load()``, for traces. ``memory``,
    such as ``"4GB"``, bounds what DuckDB takes; what
    does not fit is sorted on disk, below ``$TMPDIR``.

    ValueError with DuckDB's message where the SQL is wrong or does more than
    read; ImportError, which says what to do, where DuckDB's library is not
    there; FileNotFoundError, OSError or ValueError where nothing can be read;
    a warning where a file of a folder cannot be read::

        stepscope.query("traces/", named="top_kernels", params={"top": 5})
        stepscope.query("dataset", "SELECT rank, sum(dur_ns) AS dur_ns "
                        "FROM kernels GROUP BY rank").to_pandas()
    """
    from .data.query import query as _query

    return _query(source, sql, named=named, params=params, memory=memory,
                  step_range=step_range, stacklevel=2)
