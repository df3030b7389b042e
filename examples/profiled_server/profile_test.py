#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles profiled_server by environment variables alone.

usage: profile_test.py PROFILED_SERVER
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""  # set from the command line
PATIENCE_S = 120
WINDOWS = 20  # looked at, one after another


class ProfileTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "pserver_0"

    def start(self, *flags, **environment):
        server = subprocess.Popen([PROGRAM, *flags],
                                  env={**os.environ, **environment},
                                  cwd=self.path.parent,
                                  stdout=subprocess.DEVNULL)
        self.addCleanup(self.end, server)
        return server

    # Not by a kill: that leaves the live part of a capture behind, on purpose.
    @staticmethod
    def end(server):
        server.terminate()
        server.wait(PATIENCE_S)

    def wait_for(self, condition):
        give_up = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), give_up, "waited in vain")
            time.sleep(0.02)

    def events(self):
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)["traceEvents"]

    def count(self, **wanted):
        return sum(all(e.get(k) == v for k, v in wanted.items())
                   for e in self.events())

    def test_a_period_of_steps_is_replaced_while_the_server_runs(self):
        server = self.start(STEPSCOPE_PERIOD="20",
                            STEPSCOPE_PATH=str(self.path))
        # Period follows period without a gap, and each must be whole.
        seen = set()

        def read_on():
            with open(self.path, encoding="utf-8") as file:
                window = os.fstat(file.fileno()).st_mtime_ns
                events = json.load(file)["traceEvents"]
            if window not in seen:
                steps = [e for e in events if e.get("cat") == "ProfileStep"]
                self.assertEqual(len(steps), 20, f"window {len(seen)}")
            seen.add(window)
            return len(seen) >= WINDOWS

        self.wait_for(self.path.exists)
        self.wait_for(read_on)
        self.assertEqual(self.count(name="sgd", ph="X"), 20)
        self.assertGreater(self.count(name="RequestSend", ph="X"), 60)
        self.assertGreater(self.count(ph="f"), 60)
        self.assertIsNone(server.poll())

    def test_a_period_of_time(self):
        self.start(STEPSCOPE_PERIOD="1s", STEPSCOPE_PATH=str(self.path))
        self.wait_for(self.path.exists)
        # A stall may be longer than a period, which then holds nothing.
        self.wait_for(lambda: self.count(name="RequestGet", ph="X") > 0)

    def test_paddles_variables(self):
        self.start(FLAGS_rpc_server_profile_period="10",
                   FLAGS_rpc_server_profile_path=str(self.path))
        self.wait_for(self.path.exists)
        self.assertEqual(self.count(cat="ProfileStep", ph="X"), 10)

    def test_nothing_is_written_unasked(self):
        server = self.start("--rounds", "30")
        self.assertEqual(server.wait(PATIENCE_S), 0)
        self.assertEqual(list(self.path.parent.iterdir()), [])

    def test_an_interrupted_server_leaves_a_whole_file(self):
        server = self.start(STEPSCOPE_PERIOD="10",
                            STEPSCOPE_PATH=str(self.path))
        self.wait_for(self.path.exists)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(PATIENCE_S), 0)
        self.assertEqual(self.count(cat="ProfileStep", ph="X"), 10)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
