#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every table says the same in JSON, CSV, Markdown and Arrow.

usage: tables_test.py formats|arrow LIBRARY TRACE PYARROW_FOLDER
"""

import csv
import ctypes
import io
import json
import math
import sys

SKIPPED = 77


class Tables:
    def __init__(self, library, trace):
        self.lib = ctypes.CDLL(library)
        self.lib.tables_load.restype = ctypes.c_void_p
        self.lib.tables_keys.restype = ctypes.c_char_p
        self.lib.tables_render.restype = ctypes.c_char_p
        self.lib.tables_render.argtypes = [
            ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
        self.lib.tables_arrow.argtypes = [
            ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.lib.tables_free.argtypes = [ctypes.c_void_p]
        self.trace = self.lib.tables_load(trace.encode())
        assert self.trace, trace
        self.keys = self.lib.tables_keys().decode().split(",")

    def render(self, key, form):
        return self.lib.tables_render(
            self.trace, key.encode(), form.encode()).decode()

    def rows(self, key):
        """The table of the JSON, always as a list."""
        value = json.loads(self.render(key, "json"))
        return value if isinstance(value, list) else [value] if value else []

    def free(self):
        self.lib.tables_free(self.trace)
        self.trace = None


def is_rows(value):
    return isinstance(value, list) and (
        not value or isinstance(value[0], dict))


def flat(row):
    """{"cpu": {"total_ns": 1}} as {"cpu_total_ns": 1}."""
    result = {}
    for key, value in row.items():
        if isinstance(value, dict):
            for inner, cell in value.items():
                result[f"{key}_{inner}"] = cell
        else:
            result[key] = value
    return result


def csv_cell(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def same(text, value):
    """Whether the text of a CSV cell is the value of JSON."""
    if isinstance(value, float) and text:
        return float(text) == value
    if isinstance(value, list):
        return json.loads(text) == value
    return text == csv_cell(value)


def expected_lines(table, parent, rows):
    """What CSV has to have, in order: table, parent and cells."""
    for row in rows:
        cells = {k: v for k, v in flat(row).items() if not is_rows(v)
                 or k in ("parts_ns", "try")}
        label = ""
        if cells:
            label = csv_cell(next(iter(cells.values())))
            yield table, parent, cells
        for key, value in flat(row).items():
            if key not in cells:
                yield from expected_lines(f"{table}_{key}", label, value)


def check_csv(tables, key):
    lines = list(csv.DictReader(io.StringIO(tables.render(key, "csv"))))
    wanted = list(expected_lines(key, "", tables.rows(key)))
    assert len(lines) == len(wanted), (key, len(lines), len(wanted))
    for line, (table, parent, cells) in zip(lines, wanted):
        assert line.pop("table") == table, (line, table)
        assert line.pop("parent") == parent, (line, parent)
        for name, value in cells.items():
            if value is None and name not in line:
                continue  # a whole object that is null
            assert same(line.pop(name), value), (table, name, value)
        assert not any(line.values()), (table, line)
    return len(lines)


def markdown_cell(value, name):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return None
    if isinstance(value, (int, float)):
        share = "ratio" in name or name in (
            "utilization", "coverage", "occupancy", "unfilled")
        return 100 * value if share else value
    return "".join("\\" + c if c in "\\|`*_<>[]&" else c for c in value)


def check_markdown(tables, key):
    """Cells of the table's own rows, in order of columns."""
    rows = tables.rows(key)
    if not rows:
        return
    body = tables.render(key, "md").split("\n## ")[0].splitlines()
    body = [line.strip("|").split(" |") for line in body
            if line.startswith("| ")][1:]
    # An object that is null as a whole has its columns in another row.
    names = [k for k, v in max(map(flat, rows), key=len).items()
             if not is_rows(v) or k in ("parts_ns", "try")]
    scalars = [[(k, flat(row).get(k)) for k in names] for row in rows]
    if not scalars[0]:
        return
    if isinstance(json.loads(tables.render(key, "json")), dict):
        shown = [[line[1]] for line in body]
        scalars = [[cell] for cell in scalars[0]]
    else:
        empty = {k for k, v in scalars[0]
                 if all(dict(row).get(k) is None for row in scalars)}
        scalars = [[c for c in row if c[0] not in empty] for row in scalars]
        shown = body
    assert len(shown) == len(scalars), (key, len(shown), len(scalars))
    for line, row in zip(shown, scalars):
        assert len(line) == len(row), (key, line, row)
        for text, (name, value) in zip(line, row):
            wanted = markdown_cell(value, name)
            if isinstance(wanted, (int, float)):
                assert abs(float(text) - wanted) <= 0.0051, (
                    key, name, text, value)
            elif wanted is not None:
                assert text.strip() == wanted, (key, name, text, wanted)


def arrow_cells(row):
    return {k: [arrow_cells(x) for x in v] if is_rows(v) and v else v
            for k, v in flat(row).items()}


def equal(arrow, wanted):
    if isinstance(arrow, dict):
        return all(equal(arrow[k], wanted.get(k)) for k in arrow) and all(
            k in arrow for k, v in wanted.items() if v is not None)
    if isinstance(arrow, list):
        return wanted is not None and len(arrow) == len(wanted) and all(
            map(equal, arrow, wanted))
    if isinstance(arrow, float):
        return wanted is not None and math.isclose(arrow, wanted, abs_tol=0)
    return arrow == wanted


def check_arrow(tables, folder):
    sys.path.insert(0, folder)
    try:
        import pyarrow
    except ImportError as error:
        print(f"skipped: {error}; `tools/bootstrap test` installs it")
        return SKIPPED
    read = {}
    wanted = {}
    for key in tables.keys:
        stream = ctypes.create_string_buffer(5 * ctypes.sizeof(
            ctypes.c_void_p))
        assert tables.lib.tables_arrow(
            tables.trace, key.encode(), ctypes.addressof(stream)) == 0
        reader = pyarrow.RecordBatchReader._import_from_c(
            ctypes.addressof(stream))
        read[key] = reader.read_all()
        wanted[key] = [arrow_cells(row) for row in tables.rows(key)]
    tables.free()  # what was exported outlives the trace
    for key, table in read.items():
        table.validate(full=True)
        for field in table.schema:
            assert field.metadata[b"meaning"], (key, field)
        rows = table.to_pylist()
        assert len(rows) == len(wanted[key]), key
        for row, want in zip(rows, wanted[key]):
            assert equal(row, want), (key, row, want)
    print(f"{len(read)} tables read by pyarrow {pyarrow.__version__}")
    return 0


def main():
    part, library, trace, folder = sys.argv[1:]
    tables = Tables(library, trace)
    if part == "arrow":
        return check_arrow(tables, folder)
    lines = 0
    for key in tables.keys:
        lines += check_csv(tables, key)
        check_markdown(tables, key)
    assert lines > 50, lines
    print(f"{len(tables.keys)} tables agree in JSON, CSV and Markdown")
    return 0


if __name__ == "__main__":
    sys.exit(main())
