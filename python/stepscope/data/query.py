# SPDX-License-Identifier: Apache-2.0
"""SQL over datasets and traces."""

from __future__ import annotations

import os
import warnings

from .. import _core
from .._native_files import READER
from .paths import paths_of, step_range_options
from .progress import progress_for
from .result import Result
from .table import Table, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional


class QueryTable(Table):
    """The rows that a query gave."""

    def to_text(self, *, top: int = 0, unit: str = "auto") -> str:
        """In columns, numbers as they are; ``top`` rows, 0 for all."""
        return text_of(self, self._rows(0, top or len(self)))


def query(source: Any, sql: Optional[str] = None, *,
          named: Optional[str] = None,
          params: Optional[Dict[str, Any]] = None,
          memory: Optional[str] = None, step_range: Optional[str] = None,
          stacklevel: int = 1) -> QueryTable:
    """See stepscope.query()."""
    if step_range is None and isinstance(source, Result):
        step_range = source._step_range  # its files are read again
    options = step_range_options(step_range, "query()")
    for name, value in (("sql", sql), ("named", named), ("memory", memory)):
        if value is not None:
            options += [name, _text(name, value)]
    for name, value in (params or {}).items():
        # Numbers alone: a value can never become SQL.
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"query(): params[{name!r}] must be a number, not "
                            f"{type(value).__name__}")
        options += ["param", _text("params", f"{name}={value}")]
    paths = _source_paths(source)
    _core.load_reader(READER)
    shown = os.fsdecode(paths[0])
    if len(paths) > 1:
        shown += f" and {len(paths) - 1} more"
    with progress_for(shown) as progress:
        table, said = _core.query(paths, options, progress)
    for line in said.splitlines():
        warnings.warn(line, stacklevel=stacklevel + 1)
    return QueryTable(table, named or "query")


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"query(): {name} must be a str, not "
                        f"{type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"query(): {name} has a null character in it")
    return value


def _source_paths(source: Any) -> List[bytes]:
    if not isinstance(source, Result):
        return paths_of(source, "query()",
                        "a path, a list of paths, or what load() returns")
    if not source._paths:
        raise ValueError("query(): this result was not read from files; "
                         "export() it to one first")
    return [os.fsencode(path) for path in source._paths]
