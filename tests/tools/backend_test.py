#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `pip install .` fetches in a clone where nothing was fetched before.

usage: backend_test.py ROOT
"""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

# The backend that does the rest; it need not be installed for this.
HOOKS = ["build_wheel", "build_sdist", "build_editable",
         "get_requires_for_build_wheel", "get_requires_for_build_sdist",
         "get_requires_for_build_editable",
         "prepare_metadata_for_build_wheel",
         "prepare_metadata_for_build_editable"]
stand_in = types.ModuleType("scikit_build_core.build")
for hook in HOOKS:
    setattr(stand_in, hook, lambda *arguments: ["ninja"])
package = types.ModuleType("scikit_build_core")
package.build = stand_in
sys.modules.update({"scikit_build_core": package,
                    "scikit_build_core.build": stand_in})

import build_backend  # noqa: E402
import find_node  # noqa: E402

PREBUILT = {"cmake.define.STEPSCOPE_PREBUILT": "build"}


class Backend(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "ui").mkdir()
        self.fetched = []
        changes = [
            unittest.mock.patch.object(build_backend, "ROOT", self.root),
            unittest.mock.patch.object(find_node, "npm_command",
                                       lambda node=None: self.npm),
            unittest.mock.patch.object(
                find_node, "find_node",
                lambda: self.npm and pathlib.Path("/none/node")),
            unittest.mock.patch.object(build_backend.fetch_duckdb, "fetch",
                                       self.fetch),
            unittest.mock.patch.object(build_backend.subprocess, "run",
                                       self.run_program),
            unittest.mock.patch.dict(os.environ, {"STEPSCOPE_NO_FETCH": "",
                                                  "CUDA_HOME": "/none"}),
        ]
        for change in changes:
            change.start()
            self.addCleanup(change.stop)
        self.npm = ["npm"]
        self.fails = False

    def fetch(self, folder):
        self.fetched.append("duckdb")
        if self.fails:
            raise ValueError("no network")
        folder.mkdir(parents=True)
        (folder / "libduckdb.so").touch()

    def run_program(self, command, **how):
        self.fetched.append(pathlib.Path(str(command[1])).name)
        return types.SimpleNamespace(returncode=int(self.fails))

    def build(self, settings=None):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), (
                contextlib.redirect_stdout(io.StringIO())):
            build_backend.build_wheel("out", settings)
        return said.getvalue()

    def test_fetches_once(self):
        self.assertEqual(self.build(), "")
        self.assertEqual(self.fetched, ["duckdb", "ci"])
        (self.root / "ui/dist").mkdir()
        (self.root / "ui/dist/index.html").touch()
        self.build()
        self.assertEqual(self.fetched, ["duckdb", "ci"])

    def test_headers_of_the_gpu(self):
        del os.environ["CUDA_HOME"]
        if pathlib.Path("/usr/local/cuda/include/cuda.h").exists():
            self.skipTest("there is a CUDA toolkit")
        self.build()
        self.assertIn("fetch_cuda_headers.py", self.fetched)

    def test_says_what_is_left_out_and_what_to_do(self):
        self.fails = True
        said = self.build()
        self.assertEqual(said.count("\n"), 2)
        self.assertIn("without SQL (DuckDB's library): no network. Run "
                      "tools/bootstrap build, then pip install again.", said)
        self.assertIn("without the viewer: npm ci failed", said)

    def test_says_what_to_do_where_the_build_fails(self):
        def fail(*arguments):
            raise SystemExit(1)

        said = io.StringIO()
        with unittest.mock.patch.object(stand_in, "build_wheel", fail), (
                contextlib.redirect_stderr(said)), (
                contextlib.redirect_stdout(io.StringIO())), (
                self.assertRaises(SystemExit)):
            build_backend.build_wheel("out")
        self.assertIn("run tools/bootstrap build", said.getvalue())

    def test_asks_for_node_where_there_is_none(self):
        ask = build_backend.get_requires_for_build_wheel
        self.assertEqual(ask(), ["ninja"])
        self.npm = None
        self.assertEqual(ask(), ["ninja", build_backend.NODE])
        self.assertEqual(ask(PREBUILT), ["ninja", build_backend.NODE])
        self.fetch(self.root / ".cache/duckdb")
        self.assertEqual(ask(PREBUILT), ["ninja"])
        self.assertEqual(ask(), ["ninja", build_backend.NODE])
        os.environ["STEPSCOPE_NO_FETCH"] = "1"
        self.assertEqual(ask(), ["ninja"])

    def test_fetches_nothing_if_told_so(self):
        os.environ["STEPSCOPE_NO_FETCH"] = "1"
        self.assertEqual(self.build(), "")
        self.assertEqual(self.fetched, [])

    def test_a_finished_tree_has_the_viewer(self):
        self.build(PREBUILT)
        self.assertEqual(self.fetched, ["duckdb"])

    def test_same_node_as_bootstrap(self):
        self.assertIn(build_backend.NODE,
                      (ROOT / "tools/bootstrap").read_text())


if __name__ == "__main__":
    unittest.main()
