#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A profile of Paddle that is read, written as a profile again and read once
more gives the same timeline and the same report.

usage: fluid_roundtrip_test.py STEPSCOPE FIXTURES
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest


def run(*command):
    return subprocess.run([STEPSCOPE, *map(str, command)], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


class FluidRoundtripTest(unittest.TestCase):
    def test_same_timeline(self):
        profile = FIXTURES / "fluid/profile.pb.gz"
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            written = folder / "again.fluid"
            run("convert", profile, "-o", written)
            timelines = []
            for name in (profile, written):
                path = folder / "timeline"
                run("timeline", "--profile_path", name, "--timeline_path",
                    path)
                timelines.append(path.read_bytes())
                self.assertIn(b'"ph":"X"', timelines[0])
            self.assertEqual(*timelines)
            for place in ("CPU", "GPU", "All"):
                one, two = (run("summary", name, "--format", "fluid",
                                "--place", place, "--sort", "total")
                            for name in (profile, written))
                self.assertEqual(one, two)
                shown = {"GPU": "CUDA"}.get(place, place)
                self.assertIn(f"Place: {shown}\n".encode(), one)


if __name__ == "__main__":
    STEPSCOPE = sys.argv.pop(1)
    FIXTURES = pathlib.Path(sys.argv.pop(1))
    unittest.main()
