#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of Paddle's timeline tool as its manual has them: without paths
it reads /tmp/profile and writes /tmp/timeline.

usage: timeline_defaults_test.py STEPSCOPE GENERATE

Exit status 77 means skipped: somebody has files of these names.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

PROFILE = pathlib.Path("/tmp/profile")
TIMELINE = pathlib.Path("/tmp/timeline")
SKIPPED = 77


class TimelineDefaultsTest(unittest.TestCase):
    def test_no_paths(self):
        # Fails where another was faster: nothing of anybody's is replaced.
        os.close(os.open(PROFILE, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        self.addCleanup(PROFILE.unlink)
        answers = json.loads(subprocess.run(
            [GENERATE, "fluid", PROFILE, "--events", "700"], check=True,
            stdout=subprocess.PIPE).stdout)
        self.addCleanup(TIMELINE.unlink)
        subprocess.run([STEPSCOPE, "timeline"], check=True)
        events = json.loads(TIMELINE.read_text())["traceEvents"]
        slices = [e for e in events if e["ph"] == "X"]
        self.assertEqual(len(slices), answers["events"])
        names = {e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertIn("trainer:cpu:block:0", names)
        # Microseconds, not nanoseconds under that name.
        span = (max(e["ts"] + e["dur"] for e in slices) -
                min(e["ts"] for e in slices))
        self.assertAlmostEqual(
            span, (answers["end_ns"] - answers["start_ns"]) / 1000, places=2)
        self.assertTrue(all("name" in e["args"] for e in slices))


if __name__ == "__main__":
    if PROFILE.exists() or TIMELINE.exists():
        print(f"skipped: {PROFILE} or {TIMELINE} is there already")
        sys.exit(SKIPPED)
    STEPSCOPE, GENERATE = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
