#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The linters find faults that are planted, and pass files without them.

usage: planted_lint_test.py ROOT
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
SKIPPED = 77
CODE = "int Twice(int value) { return 2 * value; }\n"
CONFIG = ["--config", "lint/eslint.config.mjs", "--stdin", "--stdin-filename",
          "src/planted.ts"]


class Lint(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def look(self, what, name, text, *options):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text)
        done = subprocess.run(
            [sys.executable, ROOT / "tools/lint.py", what, *options, path],
            check=False, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        if done.returncode == SKIPPED:
            self.skipTest(done.stdout)
        return done.returncode, done.stdout, path.read_text()

    def test_format(self):
        self.assertEqual(self.look("format", "a.cc", CODE)[0], 0)
        wrong = CODE.replace(" { ", "{")
        code, said, _ = self.look("format", "a.cc", wrong)
        self.assertEqual(code, 1)
        self.assertIn("a.cc: is not formatted", said)
        code, _, text = self.look("format", "a.cc", wrong, "--fix")
        self.assertEqual((code, text), (0, CODE))

    def test_tidy(self):
        code, said, _ = self.look("tidy", "a.cc", CODE)
        self.assertEqual(code, 0, said)
        code, said, _ = self.look("tidy", "a.cc", CODE.replace("value", "Val"))
        self.assertEqual(code, 1)
        self.assertIn("invalid case style for parameter 'Val'", said)

    def test_python(self):
        self.assertEqual(self.look("python", "a.py", "A = 1\n")[0], 0)
        code, said, _ = self.look("python", "a.py", "import os\n")
        self.assertEqual(code, 1)
        self.assertIn("F401", said)

    def test_ui(self):
        sys.path.insert(0, str(ROOT / "tools"))
        import find_node
        eslint = ROOT / "ui/lint/node_modules/eslint/bin/eslint.js"
        node = find_node.find_node()
        if not eslint.exists() or not node:
            self.skipTest("no Node, or no eslint in ui/lint")
        for text, code in (("export const a = 1;\n", 0),
                           ("export let a: any = 1;\n", 1)):
            done = subprocess.run(
                [node, eslint, *CONFIG], cwd=ROOT / "ui", input=text,
                check=False, text=True, stdout=subprocess.PIPE)
            self.assertEqual(done.returncode, code, done.stdout)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if result.wasSuccessful() and len(result.skipped) == result.testsRun:
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())
