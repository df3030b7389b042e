#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our tables of Paddle's traces, cell by cell, against those it printed.

usage: paddle_tables_test.py STEPSCOPE TRACES DIFFERENCES

Paddle printed its tables where it wrote the traces: in nanoseconds, in
milliseconds, and by thread. Ours are made from the node tree and from the JSON
of the same run. Every cell that differs must be in a line of DIFFERENCES
(docs/guide/differences.md, the table "Cells"), and every line there must have a
cell that differs.
"""

import collections
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import unittest

VERSIONS = {"26": "2.6", "33": "3.3"}
ENDINGS = ("pb", "json.gz")
PRINTED = {"ns": ("summary_ns.txt", ["--unit", "ns"]),
           "ms": ("summary_ms.txt", ["--unit", "ms"]),
           "thread": ("summary_thread_sep_ns.txt",
                      ["--unit", "ns", "--thread-sep"])}
TITLE = re.compile(r"^-+(\w[\w ]* Summary)(?: - (.*?))?-+$")
# Paddle prints the id alone; ours has the name of the thread behind it.
THREAD = re.compile(r"^-+Thread: (.*?)(?: \(.*\))?-+$")
FIVE = re.compile(r"^(CPU|GPU) Total / Avg / Max / Min / Ratio\(%\)$")


def cells_of(heads, values):
    cells = {}
    for head, value in zip(heads, values):
        five = FIVE.match(head)
        if not five:
            cells[head] = value
            continue
        for name, part in zip(("total", "avg", "max", "min", "ratio"),
                              value.split(" / ")):
            cells[f"{five[1]} {name}"] = part
    return cells


def read_tables(text):
    """{table: {row: {column: cell}}} of a printed summary."""
    tables = collections.OrderedDict()
    table = heads = None
    group = outer = ""
    for line in text.splitlines():
        title = TITLE.match(line)
        if title:
            name = title[1].replace(" Summary", "")
            if title[2]:
                name += f" {title[2]}"
            table = tables.setdefault(name, collections.OrderedDict())
            heads, group, outer = None, "", ""
            continue
        if table is None or not line.strip():
            continue
        if line.startswith("Note:") or line.startswith("About this summary"):
            table = None
            continue
        peak = re.match(r"^(Peak \w+ Memory): (\d+)", line)
        if peak:
            table[peak[1]] = {"bytes": peak[2]}
            continue
        thread = THREAD.match(line)
        if thread:
            group = "" if thread[1].startswith("All") else f"{thread[1]}: "
            continue
        if set(line.strip()) <= {"-", " "} or line.startswith("Time unit"):
            continue
        values = re.split(r"\s{2,}", line.strip())
        if any(FIVE.match(value) for value in values) or values[0] in (
                "Device", "Event Type") or "Allocation Count" in values:
            heads = values[1:]
            continue
        if values[0] == "Calls":  # the second half of the overview
            heads = values
            group = "GPU "
            continue
        if heads is None:
            continue
        name = values[0]
        # Stages are indented below the steps, and inner rows below operators.
        if line.startswith("  ") and "Operator" in tables and (
                table is tables["Operator"]):
            name = f"{outer} / {name}"
        else:
            outer = name
        key = group + name
        while key in table:
            key += "'"
        table[key] = cells_of(heads, values[1:])
    return tables


def differing(paddle, ours):
    """(table, row, column, Paddle's, ours) of each cell."""
    found = []
    for table in list(paddle) + [name for name in ours if name not in paddle]:
        left = paddle.get(table, {})
        right = ours.get(table, {})
        for row in list(left) + [name for name in right if name not in left]:
            a, b = left.get(row), right.get(row)
            if a is None or b is None:
                found.append((table, row, "row", "no" if a is None else "yes",
                              "no" if b is None else "yes"))
                continue
            for column in sorted(set(a) | set(b)):
                if a.get(column) != b.get(column):
                    found.append((table, row, column, a.get(column),
                                  b.get(column)))
    return found


def listed(path):
    """The lines of the table: (version, table, row, column, reason)."""
    text = path.read_text().split("### Cells", 1)[1].split("\n### ", 1)[0]
    lines = []
    for line in text.splitlines():
        parts = [part.strip().strip("`")
                 for part in line.strip().strip("|").split("|")]
        if len(parts) == 5 and parts[0] not in ("version", "---"):
            lines.append(tuple(parts))
    return lines


def summary(version, ending, *options):
    path = TRACES / f"paddle{version}_cnn.paddle_trace.{ending}"
    done = subprocess.run([STEPSCOPE, "summary", path, "--layout",
                           "paddle", *options],
                          capture_output=True, timeout=120, check=True,
                          text=True)
    return done.stdout


def matches(line, version, cell):
    return (line[0] in ("all", VERSIONS[version])
            and fnmatch.fnmatchcase(cell[0], line[1])
            and fnmatch.fnmatchcase(cell[1], line[2])
            and fnmatch.fnmatchcase(cell[2], line[3]))


class PaddleTables(unittest.TestCase):
    def test_every_difference_is_listed(self):
        lines = listed(DIFFERENCES)
        self.assertGreater(len(lines), 3)
        used = set()
        compared = 0
        for version in VERSIONS:
            for file, options in PRINTED.values():
                path = TRACES / f"paddle{version}_cnn.{file}"
                paddle = read_tables(path.read_text())
                self.assertGreaterEqual(len(paddle), 6, path)
                compared += sum(len(row) for table in paddle.values()
                                for row in table.values())
                for ending in ENDINGS:
                    ours = read_tables(summary(version, ending, "--flops",
                                               *options))
                    for cell in differing(paddle, ours):
                        hits = [line for line in lines
                                if matches(line, version, cell)]
                        self.assertTrue(
                            hits, f"not in {DIFFERENCES}: {version} {ending} "
                            f"{file}: {cell}")
                        used.update(hits)
        self.assertEqual(set(lines) - used, set(), "nothing differs there")
        self.assertGreater(compared, 9000)
        print(f"{compared} cells of Paddle's compared")

    def test_operators_and_model_are_equal(self):
        """To the last digit, from both files, but for no cell."""
        for version in VERSIONS:
            for file, options in PRINTED.values():
                path = TRACES / f"paddle{version}_cnn.{file}"
                paddle = read_tables(path.read_text())
                for ending in ENDINGS:
                    ours = read_tables(summary(version, ending, "--flops",
                                               *options))
                    for table in ("Operator", "Model", "Overview", "Device"):
                        self.assertGreater(len(paddle[table]), 1)
                        self.assertEqual(
                            differing({table: paddle[table]},
                                      {table: ours[table]}), [],
                            f"{version} {ending} {file}")

    def test_json_says_the_same(self):
        """The numbers of `--format json`, in nanoseconds."""
        for version in VERSIONS:
            path = TRACES / f"paddle{version}_cnn.summary_ns.txt"
            paddle = read_tables(path.read_text())
            for ending in ENDINGS:
                ours = json.loads(summary(version, ending, "--format",
                                          "json"))
                rows = {}
                for row in ours["operator"]:
                    rows[row["name"]] = row
                    for inner in row["inner"]:
                        rows[f"{row['name']} / {inner['name']}"] = inner
                self.assertEqual(set(rows), set(paddle["Operator"]))
                for name, row in rows.items():
                    cells = paddle["Operator"][name]
                    self.assertEqual(str(row["calls"]), cells["Calls"])
                    for key in ("total", "max", "min"):
                        self.assertEqual(f"{row['cpu'][key + '_ns']}.00",
                                         cells[f"CPU {key}"], name)

    def test_a_difference_is_seen(self):
        text = (TRACES / "paddle33_cnn.summary_ns.txt").read_text()
        other = text.replace("12487357.00 / 283803.57",
                             "12487358.00 / 283803.57")
        self.assertEqual(differing(read_tables(text), read_tables(other)),
                         [("Operator", "Global_AddGradNode", "CPU total",
                           "12487357.00", "12487358.00")])
        fewer = "\n".join(line for line in text.splitlines()
                          if not line.startswith("DataPrepare"))
        self.assertIn(("UserDefined", "DataPrepare", "row", "yes", "no"),
                      differing(read_tables(text), read_tables(fewer)))


if __name__ == "__main__":
    STEPSCOPE = sys.argv[1]
    TRACES = pathlib.Path(sys.argv[2]) / "paddle"
    DIFFERENCES = pathlib.Path(sys.argv[3])
    if not TRACES.is_dir():
        print(f"skipped: no traces of Paddle in {TRACES}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
