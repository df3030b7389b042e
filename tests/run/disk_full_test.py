#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stepscope run` where the capture cannot be written to its end.

usage: disk_full_test.py STEPSCOPE RANGES
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

import support
from support import RunTestCase

RANGES = ""
STEPS = ["--step-range", "step *"]


class DiskFullTest(RunTestCase):

    def check(self, stderr, info, why):
        # At once, and at the end.
        self.assertRegex(
            stderr, r"stepscope: process \d+ \(run_ranges\): events are being "
            r"lost: capture: write failed after \d+ bytes: \w+")
        said = re.search(r"\.sscap is incomplete: (.*)\n", stderr)
        self.assertIsNotNone(said, stderr)
        self.assertRegex(said[1],
                         why + r", [\d,]+ events dropped \(\d+ %\)$")
        # Names that found no room either are in the live file, with the end.
        state = re.search(r"^state +(.*?)(; the capture has no end)?$", info,
                          re.MULTILINE)
        self.assertEqual(state[1], "incomplete: " + said[1])

    def test_a_limit_on_the_size_of_files(self):
        done = self.run_it(RANGES, "full", flags=STEPS)
        self.check(done.stderr, self.info_text(),
                   "the file reached the largest size allowed")
        self.assertNotIn("all events are here", self.info_text())
        self.assertFalse(self.info()["complete"])
        # A step that lost its end is not a step: the program sleeps for half a
        # second behind its last one.
        done = subprocess.run(
            [support.STEPSCOPE, "summary", "--format", "json", str(self.out)],
            check=True, capture_output=True, text=True, timeout=120)
        lengths = [step["dur_ns"] for step in json.loads(done.stdout)["steps"]]
        self.assertGreater(len(lengths), 10)
        self.assertLess(lengths[-1], 400e6)

    def small_disk(self, size):
        """Records on a disk of so many bytes until it is full."""
        small = self.folder / "small"
        small.mkdir(exist_ok=True)
        unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare",
                                                               "-Urm"]
        mount = f"mount -t tmpfs -o size={size} none {shlex.quote(str(small))}"
        try:
            subprocess.run([*unshare, "sh", "-c", mount], check=True,
                           capture_output=True, timeout=60)
        except (OSError, subprocess.CalledProcessError) as error:
            self.skipTest(f"no small file system can be mounted: {error}")
        out = shlex.quote(str(small / "out"))
        info = self.folder / "info.txt"
        stepscope = shlex.quote(support.STEPSCOPE)
        done = subprocess.run(
            [*unshare, "sh", "-c",
             f"{mount} && {stepscope} run --step-range 'step *' --out {out} "
             f"-- {shlex.quote(RANGES)} 100000 && "
             f"{stepscope} info {out} > {shlex.quote(str(info))}"],
            capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(done.stderr, info.read_text(), "disk full")

    def test_a_small_disk(self):
        # Which of its last blocks would find no room by chance differs.
        for pages in (80, 101, 124):
            with self.subTest(pages=pages):
                self.small_disk(pages * 4096)


if __name__ == "__main__":
    support.STEPSCOPE, RANGES = (
        str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
