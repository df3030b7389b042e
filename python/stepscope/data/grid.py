# SPDX-License-Identifier: Apache-2.0
"""The first rows of a table as text and as HTML."""

from __future__ import annotations

import html

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List

    from .table import Column, Table

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
