#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Paddle 2.6 and 3.3 wrote of one run, as JSON and as a node tree.

usage: paddle_traces_test.py STEPSCOPE TRACES
"""

import json
import pathlib
import subprocess
import sys
import unittest

STEPSCOPE = sys.argv[1]
TRACES = pathlib.Path(sys.argv[2]) / "paddle"
VERSIONS = ("26", "33")
NS_PER_CALL = 10


def summary(version, ending):
    path = TRACES / f"paddle{version}_cnn.paddle_trace.{ending}"
    done = subprocess.run([STEPSCOPE, "summary", path, "--format", "json"],
                          capture_output=True, timeout=120, check=True)
    return json.loads(done.stdout)


class PaddleTraces(unittest.TestCase):
    def test_json_and_tree_say_the_same(self):
        for version in VERSIONS:
            text = summary(version, "json.gz")
            tree = summary(version, "pb")
            for one in (text, tree):
                self.assertEqual(one["ledger"]["seen"], one["ledger"]["kept"])
                self.assertGreater(one["ledger"]["kept"], 4000)
            calls = [{row["name"]: row for row in one["operator"]}
                     for one in (text, tree)]
            self.assertEqual(calls[0].keys(), calls[1].keys())
            self.assertGreater(len(calls[0]), 20)
            for name, row in calls[0].items():
                other = calls[1][name]
                self.assertEqual(row["calls"], other["calls"], name)
                apart = abs(row["cpu"]["total_ns"] - other["cpu"]["total_ns"])
                self.assertLess(apart, NS_PER_CALL * row["calls"], name)
            self.assertEqual(len(text["steps"]), len(tree["steps"]))
            for key in ("place", "peak_allocated_bytes",
                        "peak_reserved_bytes"):
                self.assertEqual([row[key] for row in text["memory"]],
                                 [row[key] for row in tree["memory"]])


if __name__ == "__main__":
    if not TRACES.is_dir():
        print(f"skipped: no traces of Paddle in {TRACES}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
