#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that somebody else put where stepscope reads or writes.

usage: planted_files_test.py STEPSCOPE

A pipe that nobody writes to holds up whoever opens it: then only the limit of
the whole test ends it.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

STEPSCOPE = ""


class PlantedFiles(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.control = self.folder / "job" / "control"
        self.control.mkdir(parents=True)
        self.victim = self.folder / "victim"
        self.victim.write_text("kept", encoding="utf-8")

    def stepscope(self, *arguments, code=0):
        done = subprocess.run([STEPSCOPE, *map(str, arguments)],
                              capture_output=True, text=True, check=False,
                              cwd=self.folder, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def trigger(self, code):
        return self.stepscope("trigger", "--job", "job", code=code).stderr

    def test_a_trigger_changes_no_file_elsewhere(self):
        lock = self.control / "trigger.lock"
        for plant in (lambda: lock.symlink_to(self.victim),
                      lambda: lock.hardlink_to(self.victim)):
            plant()
            said = self.trigger(code=4)
            self.assertIn("trigger.lock", said)
            self.assertEqual(len(said.splitlines()), 1, said)
            self.assertEqual(self.victim.read_text(encoding="utf-8"), "kept")
            lock.unlink()
        lock.symlink_to(self.folder / "made")
        self.trigger(code=4)
        self.assertFalse((self.folder / "made").exists())

    def test_a_trigger_waits_for_no_pipe(self):
        os.mkfifo(self.control / "host_1.process")
        self.assertIn("no process of the job is alive", self.trigger(code=1))
        (self.control / "trigger.lock").unlink()
        os.mkfifo(self.control / "trigger.lock")
        self.assertIn("not a regular file", self.trigger(code=4))

    def test_the_control_folder_is_not_elsewhere(self):
        self.control.rmdir()
        (self.folder / "elsewhere").mkdir()
        self.control.symlink_to(self.folder / "elsewhere")
        self.assertIn("no job runs here", self.trigger(code=3))
        self.assertEqual(list((self.folder / "elsewhere").iterdir()), [])


if __name__ == "__main__":
    STEPSCOPE = sys.argv.pop(1)
    unittest.main()
