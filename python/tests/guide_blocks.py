# SPDX-License-Identifier: Apache-2.0
"""Runs the Python blocks of a page, or the cells of a notebook, in order.

usage: guide_blocks.py FILE

A block that imports what is not installed is left out, and the output says so.
One namespace for all: a page is one program. Exit status 1 if a block fails.
"""

import ast
import importlib.util
import json
import re
import sys
import traceback

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks_of(path):
    """(line or cell, source) of each."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".ipynb"):
        for number, cell in enumerate(json.loads(text)["cells"], 1):
            if cell["cell_type"] == "code":
                yield f"cell {number}", "".join(cell["source"])
        return
    for match in BLOCK.finditer(text):
        yield f"line {text.count(chr(10), 0, match.start()) + 2}", match[1]


def missing_module(source):
    """The first module that a block imports and that is not installed."""
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        for name in names:
            top = name.split(".")[0]
            if importlib.util.find_spec(top) is None:
                return top
    return None


def show(value):
    """As a notebook would: the last expression of a cell is displayed."""
    if value is None:
        return
    for method in ("_repr_html_", "_repr_markdown_"):
        if hasattr(value, method):
            text = getattr(value, method)()
            assert isinstance(text, str) and text, method
    print(repr(value))


def run_block(source, where, namespace):
    tree = ast.parse(source)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, where, "exec"), namespace)
    if last is not None:
        show(eval(compile(last, where, "eval"), namespace))


def run_page(path):
    """(blocks run, what was left out)."""
    namespace = {"__name__": "__main__"}
    ran, left_out = 0, []
    for where, source in blocks_of(path):
        absent = missing_module(source)
        if absent is not None:
            left_out.append(f"{where}: {absent} is not installed")
            continue
        run_block(source, f"{path}, {where}", namespace)
        ran += 1
    return ran, left_out


def main():
    try:
        ran, left_out = run_page(sys.argv[1])
    except Exception:
        traceback.print_exc()
        return 1
    for line in left_out:
        print("left out:", line, file=sys.stderr)
    print("ran:", ran, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
