# SPDX-License-Identifier: Apache-2.0
"""The programs of the guides and of the notebook run."""

import importlib.util
import pathlib
import subprocess
import sys
import unittest

import guide_blocks
import support

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GUIDES = ROOT / "docs/guide"
NOTEBOOK = ROOT / "examples/notebooks/first_look.ipynb"


class GuidesTest(support.InOwnFolder):
    def run_page(self, path, at_least):
        if not path.exists():
            self.skipTest(f"no {path}: the tests run outside a checkout")
        done = subprocess.run(
            [sys.executable, str(HERE / "guide_blocks.py"), str(path)],
            check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        *left_out, ran = [line for line in done.stderr.splitlines()
                          if line.startswith(("left out:", "ran:"))]
        self.assertGreaterEqual(int(ran.split(":")[1]), at_least)
        for line in left_out:  # shown by unittest where it is asked to
            print(path.name, line)
        return done.stdout

    def test_data(self):
        self.assertIn("prepare", self.run_page(GUIDES / "data.md", 6))

    def test_from_paddle(self):
        self.assertIn("Overview Summary",
                      self.run_page(GUIDES / "from_paddle.md", 3))

    def test_from_tensorflow(self):
        self.assertIn("train step",
                      self.run_page(GUIDES / "from_tensorflow.md", 2))

    def test_notebook(self):
        said = self.run_page(NOTEBOOK, 9)
        self.assertIn("read a batch", said)
        self.assertIn("<stepscope view at http://127.0.0.1:", said)
        for name in ("outputs", "execution_count"):  # kept without results
            for cell in guide_blocks.json.loads(
                    NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
                self.assertFalse(cell.get(name))

    @unittest.skipUnless(importlib.util.find_spec("nbclient")
                         and importlib.util.find_spec("ipykernel"),
                         "nbclient and ipykernel are not installed")
    def test_notebook_in_jupyter(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(NOTEBOOK, as_version=4)
        left = [cell for cell in notebook.cells if cell.cell_type != "code"
                or guide_blocks.missing_module(cell.source) is None]
        notebook.cells = left
        nbclient.NotebookClient(notebook, timeout=300).execute()
        kinds = {kind for cell in notebook.cells
                 for output in cell.get("outputs", ())
                 for kind in output.get("data", ())}
        self.assertIn("text/html", kinds)
        self.assertIn("text/markdown", kinds)

    def test_a_block_that_fails_fails_the_page(self):
        for name, text in (("page.md", "```python\nraise ValueError(1)\n```\n"),
                           ("book.ipynb", '{"cells": [{"cell_type": "code", '
                                          '"source": ["1 / 0"]}]}')):
            pathlib.Path(name).write_text(text, encoding="utf-8")
            with self.assertRaises((ValueError, ZeroDivisionError)):
                guide_blocks.run_page(name)
        pathlib.Path("page.md").write_text(
            "```python\nimport no_such_module_at_all\n```\n",
            encoding="utf-8")
        self.assertEqual(guide_blocks.run_page("page.md")[0], 0)


if __name__ == "__main__":
    unittest.main()
