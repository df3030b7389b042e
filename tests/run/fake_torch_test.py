#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stepscope run` on a torch that nobody has seen yet: the prebuilt observer is
taken if the probe holds, and only then.

usage: fake_torch_test.py STEPSCOPE FOLDER

FOLDER holds a folder of each layout, with a libtorch_cpu.so in it.
"""

import os
import pathlib
import shutil
import sys
import unittest

import support
from support import RunTestCase

LIBRARIES = pathlib.Path()
SCRIPT = """
import ctypes
import torch
# Attaches the observer now, not soon.
ctypes.CDLL(None).stepscope_injector_attach_torch_v1()
for _ in range(3):
    torch.run(b"fake::add", 0, 39)
    torch.run(b"AddBackward0", 1, 39)
    torch.run(b"my range", 7, -1)
print("done")
"""
PACKAGE = """
import ctypes
import os
from .version import __version__
_library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "lib",
                                    "libtorch_cpu.so"))
def run(name, scope, sequence):
    _library.fake_run(name, scope, ctypes.c_int64(sequence))
"""


class FakeTorchTest(RunTestCase):

    def train(self, layout, version="2.99.0", flags=()):
        package = self.folder / "packages" / "torch"
        (package / "lib").mkdir(parents=True)
        shutil.copy(LIBRARIES / layout / "libtorch_cpu.so", package / "lib")
        (package / "__init__.py").write_text(PACKAGE, encoding="utf-8")
        (package / "version.py").write_text(
            f"__version__ = '{version}'\n", encoding="utf-8")
        script = self.folder / "script.py"
        script.write_text(SCRIPT, encoding="utf-8")
        # No compiler: what the probe refuses is not recorded.
        env = {**os.environ, "PYTHONPATH": str(package.parent),
               "CXX": "/bin/false", "XDG_CACHE_HOME": str(self.folder)}
        done = self.run_it(sys.executable, script, env=env, flags=flags)
        self.assertEqual(done.stdout, "done\n")
        return done

    def recorded(self):
        if not self.captures():  # nothing to record, and over soon
            return []
        return sorted((e["name"], e["cat"],
                       e["args"].get("Sequence number"))
                      for e in self.events() if e["ph"] == "X")

    def test_a_later_torch_in_the_known_layout_is_observed(self):
        done = self.train("same")
        self.assertNotIn("operators", done.stderr)
        self.assertEqual(self.recorded(), sorted(
            [("fake::add", "Operator", 39), ("AddBackward0", "Backward", 39),
             ("my range", "UserDefined", None)] * 3))

    def test_a_layout_that_differs_is_refused_beforehand(self):
        for layout, reason in (
                ("scopes", "calls its observers in another way"),
                ("name", "names its operators in another way"),
                ("sequence", "keeps its sequence numbers in another way"),
                ("crash", "a process that asked torch failed")):
            with self.subTest(layout=layout):
                shutil.rmtree(self.folder / "packages", ignore_errors=True)
                shutil.rmtree(self.out, ignore_errors=True)
                done = self.train(layout)
                lines = [line for line in done.stderr.splitlines()
                         if "operators are not recorded" in line]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertIn(reason, lines[0])
                self.assertNotIn("fake::add", done.stderr)
                self.assertNotIn("fake::add",
                                 [name for name, _, _ in self.recorded()])

    def test_the_observer_asks_again_when_it_is_loaded(self):
        # The version says that the layout is known, and is wrong.
        done = self.train("scopes", version="2.15.0")
        self.assertRegex(done.stderr, r"process \d+: operators are not "
                         r"recorded: this torch calls its observers in "
                         r"another way")
        self.assertEqual(self.recorded(), [])


if __name__ == "__main__":
    support.STEPSCOPE = str(pathlib.Path(sys.argv[1]).resolve())
    LIBRARIES = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
