#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words and colours of parts, stages and classes are in src/analysis/looks.h
alone: a table of them elsewhere fails, and planted ones are caught first.

usage: said_once_test.py ROOT
"""

import pathlib
import re
import sys

DECLARATION = "src/analysis/looks.h"
FOLDERS = ("src", "include", "python/stepscope", "ui/src")
SUFFIXES = {".h", ".cc", ".c", ".py", ".ts", ".tsx", ".css"}
LEFT_OUT = re.compile(r"_test\.|\.test\.|_support\.|/generated/|_bench\.")
# What programs record, files store and options take under these names, not
# what people read.
DATA = {
    "src/analysis/replay/critical_path.cc", "src/exporters/kineto/words.cc",
    "src/gpu/kinds.cc", "src/python/stages.c", "src/trace/event_type.cc",
    "src/analysis/serving/iteration_mark.cc", "src/cli/frame/commands.cc",
    "src/python/iterations.c",
}
COLOUR = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b(?!\()")
QUOTED = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
ROW = re.compile(r'\{\{?"([^"]+)",\s*"([^"]+)"')
WINDOW = 14  # lines in which a table of names stands
NAMES = 4    # that many of one table are a table


def declared(text):
    """Names and titles of each table of the declaration, in lower case."""
    tables = {}
    for name, body in re.findall(r"constexpr \w+ (k\w+)\[\w*\] = \{(.*?)\n\};",
                                 text, re.S):
        if name not in ("kGrounds", "kHues", "kCurveLooks"):
            tables[name] = {word.lower() for row in ROW.findall(body)
                            for word in row[:2]}
    return tables


def problems_of(text, tables):
    colours = COLOUR.findall(re.sub(r"&#\d+;", "", text))
    if len(colours) > 1:
        yield f"{len(colours)} colours, such as {colours[0]}"
    words = [(number, (a or b).lower())
             for number, line in enumerate(text.splitlines(), 1)
             for a, b in QUOTED.findall(line)]
    # A key of an object in TypeScript needs no quotes.
    words += [(number, key.lower())
              for number, line in enumerate(text.splitlines(), 1)
              for key in re.findall(r"(?<![\w.?])(\w+): [\"{\[]", line)]
    words.sort()
    for table, known in tables.items():
        hits = [(number, word) for number, word in words if word in known]
        for at, (number, _) in enumerate(hits):
            near = {word for line, word in hits[at:] if line < number + WINDOW}
            if len(near) >= NAMES:
                yield f"line {number}: {len(near)} words of {table}"
                break


PLANTED = [
    ('a = "#2260b8"; b = "#5490ee";', "2 colours"),
    ('{"kernel", "copy",\n "launch gap", "host sync"}', "kStepPartLooks"),
    ('{"GPU computes", "Launch gap",\n "Input stall", "Unexplained"}',
     "kStepPartLooks"),
    ('kernel: "x", runtime: "y",\npython: "z", overhead: "w"',
     "kEventClassLooks"),
    ("['Forward', 'Backward', 'Data loading', 'Optimizer']", "kStageLooks"),
]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    tables = declared((root / DECLARATION).read_text())
    failures = [] if len(tables) >= 5 else [f"only {sorted(tables)} are found"]
    for text, wanted in PLANTED:
        if not any(wanted in said for said in problems_of(text, tables)):
            failures.append(f"planted, and not caught: {text}")
    for text in ('a = "#2260b8";', '"kernel", "copy", "a", "b"', "&#39;&#40;"):
        if found := list(problems_of(text, tables)):
            failures.append(f"no table, yet caught: {text}: {found}")
    files = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in SUFFIXES or LEFT_OUT.search(name) or (
                    name in DATA or name == DECLARATION):
                continue
            files += 1
            failures += [f"{name}: {said}; {DECLARATION} declares them"
                         for said in problems_of(
                             path.read_text(errors="replace"), tables)]
    print("\n".join(failures + [f"said_once: {files} files, "
                                f"{len(failures)} problems"]))
    return 1 if failures or files < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
