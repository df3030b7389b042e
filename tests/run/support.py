# SPDX-License-Identifier: Apache-2.0
"""Runs commands under `stepscope run` and reads what they left."""

import json
import pathlib
import subprocess
import tempfile
import unittest

STEPSCOPE = ""  # the program, set by the test


class RunTestCase(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def run_it(self, *command, flags=(), code=0, env=None, timeout=120):
        """The command under `stepscope run`; fails on another exit code."""
        done = subprocess.run(
            [STEPSCOPE, "run", "--out", str(self.out), *flags, "--",
             *map(str, command)],
            capture_output=True, text=True, timeout=timeout, check=False,
            cwd=self.folder, env=env, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def captures(self):
        return sorted(self.out.glob("*.sscap"))

    def events(self, path=None):
        """Events with a duration, marks, of one capture or of all."""
        target = self.folder / "timeline.json"
        subprocess.run([STEPSCOPE, "convert", str(path or self.out), "-o",
                        str(target)], check=True, timeout=120)
        with open(target, encoding="utf-8") as file:
            return json.load(file)["traceEvents"]

    def info_text(self, path=None):
        return subprocess.run(
            [STEPSCOPE, "info", str(path or self.out)], check=True,
            capture_output=True, text=True, timeout=120).stdout

    def info(self, path=None):
        done = subprocess.run(
            [STEPSCOPE, "info", "--format", "json", str(path or self.out)],
            check=True, capture_output=True, text=True, timeout=120)
        return json.loads(done.stdout)


def names(events, phase="X"):
    return [e["name"] for e in events if e["ph"] == phase]
