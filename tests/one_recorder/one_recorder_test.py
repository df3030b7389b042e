#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No process holds the state of two recorders (docs/decisions/0014).

usage: one_recorder_test.py INJECTOR LINKED HOST MODULE
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

INJECTOR, LINKED, HOST, MODULE = sys.argv[1:5]


class OneRecorderTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check(self, command, injected):
        env = {key: value for key, value in os.environ.items()
               if not key.startswith("STEPSCOPE_")}
        if injected:  # as `stepscope run` does it
            env |= {"LD_PRELOAD": INJECTOR, "STEPSCOPE_FOLLOW": "1",
                    "STEPSCOPE_OUT": os.path.join(self.folder.name, "out")}
        done = subprocess.run(command, env=env, cwd=self.folder.name,
                              text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = dict(line.split(": ", 1) for line in done.stdout.splitlines())
        library = "libstepscope_inject.so" if injected else "libstepscope.so"
        self.assertTrue(said["recorder"].startswith(library), said)
        self.assertEqual(said["rings"], "1", said)
        self.assertEqual(said["writers"], "1", said)
        self.assertEqual(said["recording"], "1", said)
        self.assertEqual(said["last error"], "[]", said)
        (timeline,) = pathlib.Path(self.folder.name).glob("timelines/*.json")
        self.assertEqual(timeline.read_text().count('"work"'), 2)

    def test_program_that_is_linked_with_the_library(self):
        self.check([LINKED], injected=False)

    def test_the_same_with_the_injector(self):
        self.check([LINKED], injected=True)

    def test_module_that_a_program_loads(self):
        self.check([HOST, MODULE], injected=False)

    def test_the_same_module_with_the_injector(self):
        self.check([HOST, MODULE], injected=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
