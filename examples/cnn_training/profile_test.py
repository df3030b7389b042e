#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cnn_training under the profiler and reads its timeline back.

usage: profile_test.py CNN_TRAINING
"""

import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""  # set from the command line

# So long that it outlasts the computation of a step on a busy machine too.
LATENCY_MS = 200


def run(out, *flags):
    """What the program printed, and the events of its one timeline."""
    done = subprocess.run([PROGRAM, "--out", out, *flags], check=True,
                          capture_output=True, text=True, timeout=240)
    timelines = list(pathlib.Path(out).glob("*.json"))
    if len(timelines) != 1:
        raise AssertionError(f"{timelines} is not one timeline")
    with open(timelines[0], encoding="utf-8") as file:
        return done.stdout, json.load(file)["traceEvents"]


def total_us(events, category):
    return sum(e["dur"] for e in events if e.get("cat") == category)


def median_us(events, category):
    """Of a step: a machine that stalls does so in few of them."""
    return statistics.median(e["dur"] for e in events
                             if e.get("cat") == category)


class ProfileTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def out(self, name):
        return str(pathlib.Path(self.folder.name) / name)

    def test_timeline_holds_every_event_of_the_window(self):
        _, events = run(self.out("a"), "--steps", "8", "--profile", "2:6",
                        "--storage-latency-ms", "5", "--batch", "8")
        count = collections.Counter(
            (e["cat"], e["name"]) for e in events if e["ph"] == "X")
        steps = 4
        for step in range(2, 6):
            self.assertEqual(count["ProfileStep", f"ProfileStep#{step}"], 1)
        self.assertEqual(
            sum(n for (cat, _), n in count.items() if cat == "ProfileStep"),
            steps)
        self.assertEqual(count["Forward", "forward"], steps)
        self.assertEqual(count["Backward", "backward"], steps)
        self.assertEqual(count["Optimization", "optimizer"], steps)
        self.assertEqual(count["Dataloader", "Dataloader"], steps)
        self.assertEqual(count["Operator", "conv2d"], 2 * steps)
        self.assertEqual(count["OperatorInner", "conv2d::im2col"], 2 * steps)
        self.assertEqual(count["Operator", "adam"], 6 * steps)

        first = next(e for e in events if e["name"] == "conv2d")
        self.assertEqual(first["args"]["input_shape"], [8, 3, 32, 32])
        losses = [e for e in events if e["ph"] == "C" and e["name"] == "loss"]
        self.assertEqual(len(losses), steps)
        names = " ".join(e["args"]["name"] for e in events
                         if e["ph"] == "M" and e["name"] == "thread_name")
        self.assertIn("training", names)
        self.assertIn("loader 0", names)
        self.assertTrue(any(e.get("cat") == "Allocate" for e in events))

    def test_more_loader_threads_hide_the_storage(self):
        shares = {}
        for threads in (1, 8):
            text, events = run(
                self.out(str(threads)), "--steps", "20", "--profile", "0:20",
                "--loader-threads", str(threads), "--batch", "8",
                "--storage-latency-ms", str(LATENCY_MS))
            shares[threads] = (median_us(events, "Dataloader") /
                               median_us(events, "ProfileStep"))
            # The program's own measure of the same steps.
            own = re.search(r"waiting for data ([\d.]+) %", text)
            self.assertIsNotNone(own)
            waited = total_us(events, "Dataloader")
            self.assertAlmostEqual(waited / total_us(events, "ProfileStep"),
                                   float(own[1]) / 100, delta=0.25)
        self.assertGreater(shares[1], 0.1)
        self.assertLess(shares[8], 0.6 * shares[1])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
