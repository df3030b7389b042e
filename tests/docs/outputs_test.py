#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows of a trace that is here is what it gives today.

usage: outputs_test.py ROOT TRACES STEPSCOPE

A block of code that begins with "$ stepscope ..." and names such a trace is run
in the trace's folder. A line "..." stands for lines that are left out.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import unittest

ROOT = TRACES = STEPSCOPE = None
LEAST = 6  # blocks that are known to be there


def blocks(text):
    """(command, what is shown of it) of all blocks of a page."""
    for block in re.findall(r"^```\n(.*?)^```$", text,
                            re.MULTILINE | re.DOTALL):
        # A command may go on in the next line, and others may follow.
        for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE):
            command, _, shown = part.replace("\\\n", "").partition("\n")
            if command.startswith("$ stepscope "):
                yield command[2:], shown


def folder_of(command):
    """Where all traces of a command are; None: they are not here."""
    names = [word for word in shlex.split(command)[2:]
             if re.search(r"\.(json\.gz|pickle|pb|sqlite)$", word)]
    if not names:
        return None
    for folder in [TRACES, *sorted(p for p in TRACES.iterdir() if p.is_dir())]:
        if all((folder / name).is_file() for name in names):
            return folder
    return None


def given(command, folder):
    words = shlex.split(command)
    done = subprocess.run([STEPSCOPE, *words[1:]], cwd=folder, check=False,
                          capture_output=True, text=True, timeout=300)
    return done.stdout


def as_pattern(shown):
    lines = [".*" if line.strip() == "..." else re.escape(line.rstrip())
             for line in shown.strip("\n").split("\n")]
    return re.compile("\n".join(lines), re.DOTALL)


def agrees(shown, output):
    output = "\n".join(line.rstrip() for line in output.split("\n"))
    return as_pattern(shown).fullmatch(output.strip("\n")) is not None


class OutputsTest(unittest.TestCase):
    maxDiff = None

    def test_a_changed_figure_is_noticed(self):
        output = "a 1.0\nb 2.0\nc 3.0  \n\n"
        self.assertTrue(agrees("a 1.0\n...\nc 3.0\n", output))
        self.assertTrue(agrees("a 1.0\nb 2.0\nc 3.0\n", output))
        self.assertFalse(agrees("a 1.0\n...\nc 3.1\n", output))
        self.assertFalse(agrees("a 1.0\n", output))

    def test_pages(self):
        found = 0
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        for page in pages:
            for command, shown in blocks(page.read_text()):
                folder = folder_of(command)
                if folder is None:
                    continue
                found += 1
                with self.subTest(page=page.name, command=command):
                    output = given(command, folder)
                    if not agrees(shown, output):
                        self.assertEqual(shown.strip("\n"),
                                         output.strip("\n"))
        self.assertGreaterEqual(found, LEAST)


if __name__ == "__main__":
    ROOT, TRACES = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    STEPSCOPE = str(pathlib.Path(sys.argv[3]).resolve())
    if not TRACES.is_dir():
        print(f"skipped: no {TRACES}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
