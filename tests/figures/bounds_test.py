#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every figure of every table, over all real traces: a share lies between 0
and 1, nothing takes less than no time, and parts of a whole add up to it at
most.

usage: bounds_test.py STEPSCOPE TRACES
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

STEPSCOPE = sys.argv[1]
TRACES = pathlib.Path(sys.argv[2])
NOT_TRACES = {".md", ".txt", ".py"}

SHARE = re.compile(r"(?<![a-z])ratio|share|utilization|coverage|occupancy|"
                   r"unfilled|efficiency|tensor_core$")
# Of the mean of all ranks, which half of them are above.
NOT_A_SHARE = {"load"}
# Points in time, and differences between two.
NOT_A_LENGTH = re.compile(r"(start|end|begin|at|offset|error|drift|change|"
                          r"early|skew)_ns$")


def all_traces():
    for path in sorted(TRACES.rglob("*")):
        stated = path.name.endswith((".key_averages.json", "truth.json"))
        if path.is_file() and path.suffix not in NOT_TRACES and not stated:
            yield path


def numbers(value, where=()):
    """(path, number) of all numbers in a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, (*where, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from numbers(inner, (*where, index))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield where, value


def name_of(where):
    return next((part for part in reversed(where) if isinstance(part, str)), "")


def odd_figures(document):
    for where, number in numbers(document):
        name = name_of(where)
        if SHARE.search(name) and name not in NOT_A_SHARE:
            if not 0 <= number <= 1:
                yield where, number
        elif name.endswith("_ns") and not NOT_A_LENGTH.search(name):
            if number < 0:
                yield where, number


def shares(rows, *path):
    """The sum of a share that each row has."""
    total = 0
    for row in rows:
        for key in path:
            row = row.get(key) or {}
        total += row or 0
    return total


def wholes(document):
    """(what, sum of the shares of its parts) of rows that do not overlap.
    Operators, modules, functions and types of events do: what is inside one
    of them is a part of it, too."""
    for name, *path in (("kernel", "gpu", "ratio"),
                        ("memory_manipulation", "gpu", "ratio"),
                        ("critical_path", "ratio")):
        yield name, shares(document.get(name) or [], *path)
    yield "waterfall", shares((document.get("waterfall") or {}).get(
        "parts") or [], "ratio")
    devices = {}
    for row in document.get("idle") or []:
        devices.setdefault((row.get("device"), row.get("pid")), []).append(row)
    for device, rows in devices.items():
        yield f"idle of {device}", shares(rows, "ratio")
    for side in ("cpu", "gpu"):  # the first row is the steps
        yield f"model, {side}", shares((document.get("model") or [])[1:], side,
                                       "ratio")
    for row in document.get("operator") or []:
        yield f"kernels of {row['name']}", shares(row["device"], "gpu", "ratio")
        yield f"inside {row['name']}", shares(row["inner"], "gpu", "ratio")
    # TensorFlow's copies are named like nothing that copies.
    copies = sum(row["gpu"]["total_ns"]
                 for row in document.get("memory_manipulation") or [])
    copying = sum(row["time_ns"] for row in document.get(
        "overview", {}).get("gpu", []) if row["type"] in ("Memcpy", "Memset"))
    work = max(copies, copying) + sum(row["gpu"]["total_ns"]
                                      for row in document.get("kernel") or [])
    for name, key in (("operator", "self_gpu_ns"), ("modules", "self_gpu_ns"),
                      ("flops", "time_ns")):
        own = sum(row[key] for row in document.get(name) or []
                  if row.get("on_device", True))
        yield f"{name}, own device work", own / work if work else 0
    flops = document.get("flops") or []
    step = document.get("mfu")
    if flops and step:
        # Steps have a part of the operations of the trace.
        total = sum(row["flops"] for row in flops)
        yield "operations of the steps", step["flops"] / max(total, 1)
        on_device = sum(row["time_ns"] for row in flops if row["on_device"])
        if step["counted_ratio"]:
            yield "operators with operations", \
                on_device / work / step["counted_ratio"]


def more_than_whole(document):
    return [(what, total) for what, total in wholes(document)
            if total > 1 + 1e-6]


class BoundsTest(unittest.TestCase):
    def test_a_planted_fault_is_found(self):
        sound = {"a": [{"ratio": 1, "time_ns": 0, "start_ns": -1, "load": 2}]}
        self.assertEqual(list(odd_figures(sound)), [])
        odd = {"a": [{"ratio": 1.01, "time_ns": -1}], "gpu.ratio": -0.1}
        self.assertEqual(len(list(odd_figures(odd))), 3)
        kernel = {"gpu": {"ratio": 0.6, "total_ns": 5}}
        nested = {"flops": 6, "time_ns": 5, "on_device": True}
        step = {"flops": 6, "counted_ratio": 1}
        sound = {"kernel": [kernel], "flops": [nested], "mfu": step}
        self.assertEqual(more_than_whole(sound), [])
        odd = {**sound, "flops": [nested, nested]}
        self.assertEqual(len(more_than_whole(odd)), 2)
        self.assertEqual(len(more_than_whole({"kernel": [kernel] * 2})), 1)

    def test_shares_and_times(self):
        seen = 0
        for path in all_traces():
            done = subprocess.run(
                [STEPSCOPE, "summary", "--format", "json", "--views", "all",
                 str(path)], capture_output=True, text=True)
            if done.returncode == 3:
                continue  # a format that this build does not read
            with self.subTest(path.name):
                self.assertEqual(done.returncode, 0, done.stderr)
                seen += 1
                document = json.loads(done.stdout)
                self.assertEqual(list(odd_figures(document)), [])
                self.assertEqual(more_than_whole(document), [])
        self.assertGreater(seen, 10)

    def test_text_has_no_share_above_all(self):
        for path in all_traces():
            done = subprocess.run(
                [STEPSCOPE, "summary", "--layout", "paddle", "--views",
                 "overview,distribution,model", str(path)],
                capture_output=True, text=True)
            if done.returncode != 0:
                continue
            for line in done.stdout.splitlines():
                cells = re.split(r"\s{2,}", line.strip())
                if re.fullmatch(r"\d+\.\d\d", cells[-1]) and len(cells) > 2:
                    with self.subTest(path.name):
                        self.assertLessEqual(float(cells[-1]), 100, line)


if __name__ == "__main__":
    if not TRACES.is_dir():
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
