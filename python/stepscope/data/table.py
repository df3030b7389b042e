# SPDX-License-Identifier: Apache-2.0
"""One table of a trace, for pandas, polars, pyarrow, duckdb or plain Python."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional

_SHOWN = 20  # rows, where a table is looked at
_SLICE = 4096  # rows of a table that are in Python at a time
_WIDEST = 60  # characters of a cell

# Names begin with ours: the style holds for the whole page.
_STYLE = """<style>
.stepscope-table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.stepscope-table th,.stepscope-table td{padding:2px 8px;text-align:left;
color-scheme:light dark;color:CanvasText;background:Canvas;
border-bottom:1px solid ButtonFace}
.stepscope-table .n{text-align:right}
</style>
"""


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
            return text_of(self, self._rows(0, top or len(self)))
        return self._data.ask("text", ["top", str(int(top)), "unit", unit])

    def _rows(self, first: int, count: int) -> List[Dict[str, Any]]:
        return json.loads(self._data.ask(
            "rows", ["first", str(first), "count", str(count)]))

    def __repr__(self) -> str:
        return self.to_text(top=_SHOWN)

    def _repr_html_(self) -> str:
        return html_of(self, self._rows(0, _SHOWN))


def _module(name: str, method: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{method}() needs {name}: pip install {name}",
                          name=name) from error


def _cell(column: Column, value: Any) -> str:
    if value is None:
        return ""
    if column.type == "bool":
        return "yes" if value else "no"
    if column.type == "number":
        return f"{value:.4g}"
    if column.type == "list":
        return f"{len(value)} rows" if len(value) != 1 else "1 row"
    text = str(value)
    if column.type == "integer":
        return f"{value:,}" if column.unit else text
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return text if len(text) <= _WIDEST else text[:_WIDEST - 3] + "..."


def _is_number(column: Column) -> bool:
    return column.type in ("integer", "number")


def _more(table: Table, rows: List[Dict[str, Any]]) -> str:
    more = len(table) - len(rows)
    if more == 0:
        return ""
    return f"{more:,} more row{'s' if more != 1 else ''}"


def text_of(table: Table, rows: List[Dict[str, Any]]) -> str:
    """In columns; what stands for a number stands at the right."""
    columns = table.columns
    cells = [[column.name for column in columns]]
    cells += [[_cell(column, row[column.name]) for column in columns]
              for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = []
    for line in cells:
        lines.append("  ".join(
            cell.rjust(width) if _is_number(column) else cell.ljust(width)
            for cell, width, column in zip(line, widths, columns)).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    if _more(table, rows):
        lines.append(_more(table, rows))
    return "\n".join(lines) + "\n"


def html_of(table: Table, rows: List[Dict[str, Any]]) -> str:
    """A table in HTML, without scripts. Names of events are text."""
    import html

    out = [_STYLE, '<table class="stepscope-table"><thead><tr>']
    columns = table.columns
    for column in columns:
        style = ' class="n"' if _is_number(column) else ""
        out.append(f'<th{style} title="{html.escape(column.meaning)}">'
                   f"{html.escape(column.name)}</th>")
    out.append("</tr></thead><tbody>\n")
    for row in rows:
        out.append("<tr>")
        for column in columns:
            style = ' class="n"' if _is_number(column) else ""
            value = html.escape(_cell(column, row[column.name]))
            out.append(f"<td{style}>{value}</td>")
        out.append("</tr>\n")
    out.append("</tbody></table>\n")
    if _more(table, rows):
        out.append(f"<p>{_more(table, rows)}</p>\n")
    return "".join(out)
