#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The timeline of TensorFlow 1 by the command line: memory on demand, arrows
unless told not to, several workers in one file.

usage: tensorflow_timeline_test.py STEPSCOPE FIXTURES
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def node(name, label, start_us, dur_us):
    return text(2, text(1, name) + number(2, start_us) + number(4, dur_us) +
                number(5, dur_us) + text(8, label))


def worker(task, start_us):
    """StepStats of one task: a variable that is sent to task 0, or used."""
    device = f"/job:worker/replica:0/task:{task}/device:CPU:0"
    return text(1, text(1, device) +
                node("w/read", "w/read = Identity(w)", start_us, 5) +
                node("mul", "mul = Mul(w/read, w/read)", start_us + 10, 20))


class TensorFlowTimelineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def events(self, *args):
        out = self.folder / "out.json"
        subprocess.run([STEPSCOPE, "convert", *map(str, args), "-o", out],
                       check=True)
        return json.loads(out.read_text())["traceEvents"]

    def phases(self, *args):
        return collections.Counter(e["ph"] for e in self.events(*args))

    def test_memory_only_on_demand(self):
        path = FIXTURES / "tensorflow" / "run_metadata_0.pb.gz"
        plain = self.events(path)
        shown = self.events(path, "--show-memory")
        counters = [e for e in shown if e["ph"] == "C"]
        self.assertEqual([e for e in plain if e["ph"] == "C"], [])
        self.assertGreater(len(counters), 0)
        self.assertGreater(len(shown), len(plain) + len(counters),
                           "lifetimes of tensors as well")
        spans = collections.Counter(
            (e["name"], e["ts"]) for e in shown if e["ph"] == "X")
        for e in plain:
            if e["ph"] == "X":
                self.assertIn((e["name"], e["ts"]), spans)

    def test_arrows_unless_told_not_to(self):
        path = FIXTURES / "tensorflow" / "run_metadata_0.pb.gz"
        arrows = self.phases(path)
        self.assertGreater(arrows["s"], 0)
        none = self.phases(path, "--no-dataflow")
        self.assertEqual((none["s"], none["t"], none["f"]), (0, 0, 0))
        self.assertEqual(none["X"], arrows["X"])

    def check_workers(self, *paths):
        events = self.events(*paths)
        names = {e["pid"]: e["args"]["name"] for e in events
                 if e["ph"] == "M" and e["name"] == "process_name"}
        work = collections.Counter(names[e["pid"]] for e in events
                                   if e["ph"] == "X" and e["name"] == "Mul")
        self.assertEqual(sorted(work.values()), [1, 1])
        self.assertEqual(len(work), 2, "a process for each")
        for task in (0, 1):
            self.assertTrue(any(f"task:{task}" in name for name in work))
        times = sorted(e["ts"] for e in events
                       if e["ph"] == "X" and e["name"] == "Mul")
        self.assertEqual(times[1] - times[0], 300, "microseconds apart")

    def test_workers_of_one_file(self):
        path = self.folder / "both.pb"
        path.write_bytes(worker(0, 1_700_000_000_000_000) +
                         worker(1, 1_700_000_000_000_300))
        self.check_workers(path)

    def test_workers_of_several_files(self):
        paths = []
        for task in (0, 1):
            paths.append(self.folder / f"worker{task}.pb")
            paths[-1].write_bytes(worker(task,
                                         1_700_000_000_000_000 + 300 * task))
        self.check_workers(*paths)


if __name__ == "__main__":
    STEPSCOPE = sys.argv[1]
    FIXTURES = pathlib.Path(sys.argv[2])
    del sys.argv[1:3]
    unittest.main()
