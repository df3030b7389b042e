#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the formatters and linters, each at one version, on the sources.

usage: lint.py format [--fix] [FILE...]   C and C++: clang-format
       lint.py python [--fix] [FILE...]   Python: ruff
       lint.py ui [FILE...]               the viewer's TypeScript: eslint
       lint.py tidy [--all] [FILE...]     C++: clang-tidy

Without FILE: everything, but for `tidy`, which takes seconds per file and
looks at the public headers; --all looks at every file.

tools/bootstrap check fetches the programs into .cache/lint and ui/lint, at
the versions of tools/requirements/lint.txt and ui/lint/package-lock.json.
Exit status 77: a program is missing, and the output says how to get it.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import check_style
import find_node

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".cache/lint"
REQUIREMENTS = ROOT / "tools/requirements/lint.txt"
STYLE = f"--style=file:{ROOT / '.clang-format'}"
SKIPPED = 77
PUBLIC = ["c.h", "plugin.h", "stepscope.h"]
BATCH = 100
# Rules that are never wrong in this code; .clang-tidy has those to read, too.
TIDY_CHECKS = ("-*,readability-identifier-naming,bugprone-use-after-move,"
               "bugprone-dangling-handle,bugprone-unused-raii")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def pinned(name):
    """The version of a package in the list of requirements."""
    text = REQUIREMENTS.read_text()
    return re.search(rf"^{name}==(\S+)", text, re.M)[1]


def program(name, place):
    """The fetched program, at the version that is asked for."""
    path = TOOLS / place
    version = pinned(name)
    found = TOOLS / f"{name.replace('-', '_')}-{version}.dist-info"
    if not (path.exists() and found.is_dir()):
        skip(f"no {name} {version} in {TOOLS}; run tools/bootstrap check")
    return path


def relative(path):
    path = pathlib.Path(path).resolve()
    inside = ROOT in path.parents
    return (path.relative_to(ROOT) if inside else path).as_posix()


def code_files(given):
    """C and C++, of everything or of the files that were named."""
    files = [pathlib.Path(name).resolve() for name in given] or list(
        check_style.files_of(ROOT))
    return [path for path in files if path.suffix in check_style.CODE]


def unformatted(formatter, files, batch=BATCH):
    """Which of the files the formatter would change."""
    def ask(some):
        done = subprocess.run(
            [formatter, STYLE, "--dry-run", *some], check=True, text=True,
            stderr=subprocess.PIPE)
        return set(re.findall(r"^(/[^:\n]+):\d+:\d+: warning:", done.stderr,
                              re.M))

    batches = [files[i:i + batch] for i in range(0, len(files), batch)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {relative(path) for found in pool.map(ask, batches)
                for path in found}


def format_code(args):
    formatter = program("clang-format", "clang_format/data/bin/clang-format")
    files = code_files(args.files)
    if args.fix and files:
        subprocess.run([formatter, STYLE, "-i", *files], check=True)
    wrong = sorted(unformatted(formatter, files))
    for name in wrong:
        print(f"{name}: is not formatted")
    print(f"format: {len(files)} files, {len(wrong)} problems")
    if wrong:
        print("format: `make format` mends this")
    return 1 if wrong else 0


def python_code(args):
    ruff = program("ruff", "bin/ruff")
    return subprocess.run(
        [ruff, "check", "--no-cache", "--quiet",
         "--config", ROOT / "pyproject.toml", *(["--fix"] if args.fix else []),
         *(args.files or [ROOT])], check=False).returncode


def ui_code(args):
    eslint = ROOT / "ui/lint/node_modules/eslint/bin/eslint.js"
    if not eslint.exists():
        skip("no eslint in ui/lint; run tools/bootstrap check")
    node = find_node.find_node()
    if not node:
        skip("no Node 20.19 or newer; run tools/bootstrap check")
    files = [pathlib.Path(name).resolve() for name in args.files]
    return subprocess.run(
        [node, eslint, "--config", "lint/eslint.config.mjs",
         "--max-warnings", "0", "--no-warn-ignored",
         *(["--fix"] if args.fix else []), *(files or ["src", "test"])],
        cwd=ROOT / "ui", check=False).returncode


def tidy(args):
    tool = program("clang-tidy", "clang_tidy/data/bin/clang-tidy")
    files = [ROOT / "include/stepscope" / name for name in PUBLIC]
    if args.files:
        files = [pathlib.Path(name).resolve() for name in args.files]
    elif args.all:
        files += [path for path in code_files([]) if path.suffix == ".cc"]

    def look(path):
        return subprocess.run(
            [tool, "--quiet", f"--checks={TIDY_CHECKS}",
             f"--config-file={ROOT / '.clang-tidy'}",
             "--warnings-as-errors=*", path, "--", "-x", "c++", "-std=c++20",
             "-w", f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}",
             '-DSTEPSCOPE_VERSION="0"'], check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, done in zip(files, pool.map(look, files)):
            if done.returncode != 0:
                bad += 1
                print(f"{relative(path)}:\n{done.stdout}")
    print(f"tidy: {len(files)} files, {bad} with problems")
    return 1 if bad else 0


def main():
    commands = {"format": format_code, "python": python_code, "ui": ui_code,
                "tidy": tidy}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=commands)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("files", nargs="*", metavar="FILE")
    args = parser.parse_intermixed_args()
    return commands[args.command](args)


if __name__ == "__main__":
    sys.exit(main())
