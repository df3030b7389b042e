#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on what a formatter does not see; tools/lint.py runs the formatters.

usage: check_style.py [ROOT]

That is: licence line, 80 columns, tabs, trailing blanks, newline at the end,
#pragma once, notes to self, files above 600 lines, and tests in C++ that no
CMakeLists.txt names, which nothing compiles.
"""

import argparse
import pathlib
import re
import sys

FOLDERS = ["include", "src", "examples", "benchmarks", "tests", "tools",
           "cmake", "python"]
CODE = {".h", ".cc", ".c"}
SCRIPTS = {".py", ".sh", ".cmake"}
MAX_COLUMNS = 80
MAX_LINES = 600
EXCUSE = "lines because"  # in the first comment: "Above 600 lines because ..."
LICENCE = "SPDX-License-Identifier: Apache-2.0"
RAW_STRING = re.compile(r'\bR"(\w*)\(')
NOTES = ["TO" + "DO", "FIX" + "ME", "XX" + "X:"]


def files_of(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "golden" not in path.parts:
                if path.suffix in CODE | SCRIPTS or (
                        path.name == "CMakeLists.txt"):
                    yield path


def unbroken(path, lines):
    """Numbers of lines that may be long, because breaking them would change
    or hide what they say: raw strings, expected text in tests, addresses, and
    what is kept from the formatter."""
    found = set()
    raw_end, off = None, False
    for number, line in enumerate(lines, 1):
        off = (off or "clang-format off" in line) and (
            "clang-format on" not in line)
        opens = RAW_STRING.search(line)
        if opens:
            raw_end = f'){opens[1]}"'
        expected = path.stem.endswith("_test") and (
            line.lstrip().startswith('"'))
        if raw_end or off or expected or "http" in line or (
                "#include" in line):
            found.add(number)
        if raw_end and raw_end in line:
            raw_end = None
    return found


def problems_of(path):
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        yield 1, f"not UTF-8: {error}"
        return
    lines = text.split("\n")
    if LICENCE not in "\n".join(lines[:2]):
        yield 1, "no licence line"
    if lines[-1] != "":
        yield len(lines), "no newline at the end"
    if len(lines) > MAX_LINES and EXCUSE not in text[:4000]:
        yield len(lines), f"more than {MAX_LINES} lines"
    if path.suffix == ".h" and "#pragma once\n" not in text:
        yield 1, "no #pragma once"
    free = unbroken(path, lines)
    for number, line in enumerate(lines, 1):
        if number not in free and len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns"
        if "\t" in line:
            yield number, "tab"
        if line != line.rstrip():
            yield number, "blank at the end"
        for note in NOTES:
            if note in line:
                yield number, f"{note} in the sources"


def tests_named(files):
    """The tests in C++ that some CMakeLists.txt names."""
    found = set()
    for lists in [path for path in files if path.name == "CMakeLists.txt"]:
        for name in re.findall(r"[\w./-]+_test\.cc\b", lists.read_text()):
            found.add((lists.parent / name).resolve())
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", default=".")
    args = parser.parse_args()
    root = pathlib.Path(args.root).resolve()
    files = list(files_of(root))
    if not files:
        sys.exit(f"check_style: no sources under {root}")
    count = 0
    named = tests_named(files)
    for path in files:
        for number, what in problems_of(path):
            print(f"{path.relative_to(root)}:{number}: {what}")
            count += 1
        if path.name.endswith("_test.cc") and path not in named:
            print(f"{path.relative_to(root)}:1: in no CMakeLists.txt")
            count += 1
    print(f"check_style: {len(files)} files, {count} problems")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
