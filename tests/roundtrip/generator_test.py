#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every generated format must be read as what the generator says is in it.

usage: generator_test.py STEPSCOPE GENERATE

The generator walks its workload and knows nothing of the importers, so that a
record that is lost, doubled or moved shows as a wrong total.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

# Format -> kinds whose totals a table has under the same name.
HOST = ["operator", "gradient"]
FORMATS = {
    "capture": HOST,
    "kineto": HOST + ["kernel"],
    "nsys": HOST + ["kernel"],
    "paddle-json": HOST + ["kernel"],
    "paddle-pb": HOST + ["kernel"],
    "fluid": HOST + ["kernel"],
    "stepstats": HOST,
}
# In these no table has the names: everything is counted only.
COUNTED = ["chrome", "xplane"]
# Rows that the importer concludes: a step around all of a RunMetadata. Those
# of Kineto's stages depend on what was launched.
CONCLUDED = {"stepstats": 1, "kineto": None}
# Fluid has no steps, a RunMetadata is one.
STEPS = {"fluid": 0, "stepstats": 1}
# A fluid record is an allocation and what frees it; JSON has counters only.
MEMORY = {"fluid": ("memory", 2), "chrome": ("counters", 1)}
# TensorFlow lists device work once more under stream:all and memcpy.
REJECTED = {"stepstats": {"duplicate of a stream's own record"}}


def run(*args):
    return subprocess.run([str(arg) for arg in args], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


class GeneratorTest(unittest.TestCase):
    def check(self, name, kinds, path):
        answers = json.loads(run(GENERATE, name, path, "--events", 5000,
                                 "--seed", 3))
        tables = json.loads(run(STEPSCOPE, "summary", path, "--format",
                                "json"))
        self.assertEqual(len(tables["steps"]),
                         STEPS.get(name, answers["steps"]))
        self.check_counts(name, answers, path)
        ledger = tables["ledger"]
        self.assertEqual(set(ledger["rejected"]), REJECTED.get(name, set()))
        self.assertEqual(ledger["repaired"], {})
        self.assertEqual(ledger["seen"], ledger["kept"] +
                         sum(ledger["rejected"].values()))
        found = {}
        for row in tables["operator"]:
            found[row["name"]] = (row["calls"], row["cpu"]["total_ns"])
        for row in tables["kernel"]:
            found["kernel", row["name"]] = (row["calls"],
                                            row["gpu"]["total_ns"])
        if not kinds:
            return
        compared = 0
        for total in answers["totals"]:
            if total["kind"] not in kinds:
                continue
            key = total["name"]
            if total["kind"] == "kernel":
                key = "kernel", key
            self.assertEqual(found.get(key),
                             (total["calls"], total["total_ns"]), key)
            compared += 1
        self.assertGreater(compared, 50)

    def check_counts(self, name, answers, path):
        info = json.loads(run(STEPSCOPE, "info", path, "--format", "json"))
        concluded = CONCLUDED.get(name, 0)
        if concluded is not None:
            self.assertEqual(info["counts"]["events"] - concluded,
                             answers["events"])
        table, times = MEMORY.get(name, ("memory", 1))
        self.assertEqual(info["counts"][table], answers["memory"] * times)
        self.assertTrue(info["complete"])

    def test_answers(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, kinds in [*FORMATS.items(),
                                *((name, []) for name in COUNTED)]:
                with self.subTest(format=name):
                    self.check(name, kinds, pathlib.Path(folder) / name)


if __name__ == "__main__":
    STEPSCOPE, GENERATE = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
