# SPDX-License-Identifier: Apache-2.0
"""The examples in the documentation of paddle.profiler, as the installed Paddle
has them, with stepscope.profiler in its place, on the processor where that
Paddle has no GPU. Skipped without Paddle."""

import ast
import importlib.util
import pathlib
import re
import unittest

import support

_PADDLE = importlib.util.find_spec("paddle")
_BLOCK = ".. code-block:: python"
_SET_DEVICE = ("set_device('gpu' if paddle.is_compiled_with_cuda() "
               "else 'cpu')")
_FEWEST = 15  # fewer: they are written in another way, and were not found


def _examples(path):
    """(name, code) of each example in a file of Paddle."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            continue
        blocks = (ast.get_docstring(node) or "").split(_BLOCK)[1:]
        for number, block in enumerate(blocks, 1):
            lines = re.findall(r"^ *(?:>>>|\.\.\.)(?: (.*))?$", block, re.M)
            if lines:
                yield f"{node.name}, example {number}", "\n".join(lines) + "\n"


@unittest.skipIf(_PADDLE is None, "Paddle is not installed")
class PaddleExamplesTest(support.InOwnFolder):
    def test_all_that_parse_run(self):
        folder = pathlib.Path(_PADDLE.origin).parent / "profiler"
        ran = 0
        for name, code in (example for file in ("profiler.py", "utils.py")
                           for example in _examples(folder / file)):
            try:
                ast.parse(code)
            except SyntaxError:  # as in Paddle
                continue
            with self.subTest(name):
                code = re.sub(r"\bpaddle\.profiler\b", "stepscope.profiler",
                              code)
                code = code.replace("set_device('gpu')", _SET_DEVICE)
                done = support.run_script("import stepscope.profiler\n" + code,
                                          check=False)
                self.assertEqual(done.returncode, 0, done.stderr[-2000:])
                ran += 1
        self.assertGreaterEqual(ran, _FEWEST)
