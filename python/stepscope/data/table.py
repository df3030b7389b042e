# SPDX-License-Identifier: Apache-2.0
"""One table of a trace, for pandas, polars, pyarrow, duckdb or plain Python."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional

_SHOWN = 20  # rows, where a table is looked at
_SLICE = 4096  # rows of a table that are in Python at a time


class Column:
    """What a column holds. ``columns`` are those of the rows inside it."""

    __slots__ = ("name", "type", "unit", "meaning", "columns")

    def __init__(self, name: str, type: str, unit: str, meaning: str,
                 columns: Any = ()) -> None:
        self.name = name
        self.type = type
        self.unit = unit
        self.meaning = meaning
        self.columns = [Column(**column) for column in columns]

    def __repr__(self) -> str:
        unit = f" ({self.unit})" if self.unit else ""
        return f"<Column {self.name}{unit}: {self.meaning}>"


class Table:
    """Rows and columns that never change. ``pyarrow.table(table)``,
    ``polars.DataFrame(table)`` and duckdb take it as it is, without a copy."""

    def __init__(self, data: Any, key: str) -> None:
        self._data = data
        self.key = key
        self._columns: Optional[List[Column]] = None

    @property
    def columns(self) -> List[Column]:
        """The columns with their units and meanings."""
        if self._columns is None:
            self._columns = [Column(**column) for column in
                             json.loads(self._data.ask("columns", []))]
        return self._columns

    def __len__(self) -> int:
        return self._data.rows()

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        for first in range(0, len(self), _SLICE):
            yield from self._rows(first, _SLICE)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A new stream over the same memory, which it keeps alive."""
        return self._data.stream()

    def to_dicts(self) -> List[Dict[str, Any]]:
        """The rows as dicts."""
        return list(self)

    def to_arrow(self) -> Any:
        """As a pyarrow.Table."""
        pyarrow = _module("pyarrow", "to_arrow")
        return pyarrow.table(self)

    def to_polars(self) -> Any:
        """As a polars.DataFrame."""
        return _module("polars", "to_polars").DataFrame(self)

    def to_pandas(self) -> Any:
        """As a pandas.DataFrame; by pyarrow if it is installed, which is
        quicker."""
        pandas = _module("pandas", "to_pandas")
        try:
            import pyarrow
        except ImportError:
            names = [column.name for column in self.columns]
            return pandas.DataFrame(self.to_dicts(), columns=names)
        return pyarrow.table(self).to_pandas()

    def to_text(self, *, top: int = 0, unit: str = "auto") -> str:
        """As the command prints it; ``top`` rows, 0 for all."""
        if self.key == "events":
            from .grid import text_of

            return text_of(self, self._rows(0, top or len(self)))
        return self._data.ask("text", ["top", str(int(top)), "unit", unit])

    def _rows(self, first: int, count: int) -> List[Dict[str, Any]]:
        return json.loads(self._data.ask(
            "rows", ["first", str(first), "count", str(count)]))

    def __repr__(self) -> str:
        return self.to_text(top=_SHOWN)

    def _repr_html_(self) -> str:
        from .grid import html_of

        return html_of(self, self._rows(0, _SHOWN))


def _module(name: str, method: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{method}() needs {name}: pip install {name}",
                          name=name) from error
