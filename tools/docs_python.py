#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the reference of the Python package from its sources.

usage: docs_python.py MODULE

Nothing is imported: names in `__all__` are followed through the `from . import`
lines to where they are defined, in a .py or a .pyi. Docstrings are shown as
they are; text that is indented, and doctest's, becomes code.
"""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python"
NATIVE = ROOT / "src/python/event.c"
MODULES = ["stepscope", "stepscope.data", "stepscope.profiler",
           "stepscope.torch", "stepscope.fluid.profiler", "stepscope.spark",
           "stepscope.timeline", "stepscope.integrations.transformers",
           "stepscope.integrations.accelerate",
           "stepscope.integrations.lightning", "stepscope.integrations.keras"]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def source_of(module):
    """Path and tree of a module by its full name."""
    base = PACKAGE.joinpath(*module.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py"),
                 base.with_suffix(".pyi")):
        if path.exists():
            return path, ast.parse(path.read_text())
    raise LookupError(f"{module}: no such module")


def exported(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "__all__"
                for target in node.targets):
            return ast.literal_eval(node.value)
    return [node.name for node in tree.body
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and
            not node.name.startswith("_")]


def defined(module, name):
    for node in ast.walk(source_of(module)[1]):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.name == name:
            return node
    return None


def find(module, name):
    """Where the name is defined: its module and its node."""
    node = defined(module, name)
    if node:
        return module, node
    path, tree = source_of(module)
    package = module if path.name == "__init__.py" else module.rpartition(
        ".")[0]
    others = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and node.module:
            parent = package.split(".")
            parent = parent[:len(parent) - node.level + 1]
            others.append(".".join([*parent, node.module]))
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return find(others[-1], alias.name)
    # A name that the module's __getattr__ makes, out of what it imports.
    for other in others:
        node = defined(other, name)
        if node:
            return other, node
    raise LookupError(f"{module}: {name} is not defined")


def plain_text(line):
    """Sphinx's quotes and roles as Markdown's quotes; no other markup."""
    line = re.sub(r"::$", ":", line)
    line = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", line)
    line = re.sub(r"``(.*?)``", r"`\1`", line)
    return "".join(part if part.startswith("`") else
                   re.sub(r"([<>*_\[\]])", r"\\\1", part)
                   for part in re.split(r"(`[^`]*`)", line))


def prose(text):
    """Markdown of a docstring."""
    out, block = [], False
    for line in (text or "").split("\n"):
        starts = line.startswith(("    ", ">>>"))
        if starts and not block and (not out or not out[-1].strip()):
            block = True
            out.append("```python")
        elif block and line.strip() and not line.startswith((" ", ">>>")):
            block = False
            out.append("```\n")
        out.append(line.removeprefix("    ") if block else plain_text(line))
    if block:
        out.append("```")
    return "\n".join(out).strip()


def signature(node, name=None):
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^self(: \w+)?(, )?", "", arguments)
    arguments = re.sub(r"^cls(, )?", "", arguments)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if name or returns == " -> None":
        returns = ""
    return wrapped(f"{name or node.name}({arguments}){returns}")


def wrapped(line):
    """One argument per line if the line is long."""
    if len(line) <= 76 or "(" not in line:
        return line
    head, inside = line.split("(", 1)
    inside, tail = inside.rsplit(")", 1)
    parts, depth = [""], 0
    for char in inside:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    lines = ",\n    ".join(part.strip() for part in parts)
    return f"{head}(\n    {lines},\n){tail}"


def is_property(node):
    return any("property" in ast.unparse(mark) for mark in node.decorator_list)


def native_doc(name):
    """The text of a class in C; its methods have theirs in the same file."""
    text = NATIVE.read_text()
    found = re.search(rf'PyDoc_STRVAR\(\s*\w+,\s*((?:"{name}\()(?:.|\n)*?)\);',
                      text)
    if not found:
        return ""
    doc = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', found[1]))
    doc = doc.replace("\\n", "\n").replace('\\"', '"')
    return doc.partition("--\n\n")[2]


def fields(node):
    """Members that are values: of an enum, a dataclass or a named tuple."""
    return [ast.unparse(part) for part in node.body
            if isinstance(part, (ast.Assign, ast.AnnAssign)) and
            not ast.unparse(part).startswith("_")]


def show_class(name, node, module):
    methods = [part for part in node.body if isinstance(part, FUNCTIONS)]
    start = [part for part in methods if part.name == "__init__"]
    code = signature(start[0], name) if start else f"class {name}"
    values = fields(node)
    if values:
        code += "\n" + "\n".join(f"    {value}" for value in values)
    doc = ast.get_docstring(node) or native_doc(name)
    out = [f"## {name}", "", f"```python\n{code}\n```", "", prose(doc), ""]
    for part in methods:
        if part.name.startswith("_"):
            continue
        line = part.name if is_property(part) else signature(part)
        out += [f"### {name}.{part.name}", "", f"```python\n{line}\n```", "",
                prose(ast.get_docstring(part)), ""]
    return out


def page(module):
    _, tree = source_of(module)
    out = [f"# {module}", "", prose(ast.get_docstring(tree)), ""]
    count = 0
    for name in exported(tree):
        place, node = find(module, name)
        count += 1
        first = module
        for known in MODULES:  # explained once, where it comes first
            _, other = source_of(known)
            if name in exported(other) and find(known, name)[0] == place:
                first = known
                break
        if first != module:
            out += [f"## {name}", "", f"The same as [`{first}.{name}`]"
                    f"({first}.md#{name.lower()}).", ""]
        elif isinstance(node, ast.ClassDef):
            out += show_class(name, node, place)
        else:
            out += [f"## {name}", "", f"```python\n{signature(node)}\n```", "",
                    prose(ast.get_docstring(node)), ""]
    return "\n".join(out), count


if __name__ == "__main__":
    print(page(sys.argv[1])[0])
