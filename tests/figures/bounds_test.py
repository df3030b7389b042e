#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every figure of every table, over all real traces: a share lies between 0
and 1, and nothing takes less than no time.

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


class BoundsTest(unittest.TestCase):
    def test_a_planted_fault_is_found(self):
        sound = {"a": [{"ratio": 1, "time_ns": 0, "start_ns": -1, "load": 2}]}
        self.assertEqual(list(odd_figures(sound)), [])
        odd = {"a": [{"ratio": 1.01, "time_ns": -1}], "gpu.ratio": -0.1}
        self.assertEqual(len(list(odd_figures(odd))), 3)

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
                self.assertEqual(list(odd_figures(json.loads(done.stdout))),
                                 [])
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
