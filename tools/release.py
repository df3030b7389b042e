#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says whether a tag may be released, and what is new in it.

usage: release.py check TAG   exit status 1: the sources are of another version,
                              or the changelog has nothing about this one
       release.py notes TAG   the part of CHANGELOG.md about this version

TAG is v and the version of the project in CMakeLists.txt: v0.1.0.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADING = re.compile(r"^## (\S+)(?: \((\d{4}-\d\d-\d\d)\))?$", re.M)


def version_of(cmake):
    return re.search(r"project\(stepscope VERSION ([0-9.]+)", cmake)[1]


def sections(changelog):
    """(version, date or None, text) of each part, newest first."""
    found = list(HEADING.finditer(changelog))
    ends = [part.start() for part in found[1:]] + [len(changelog)]
    return [(part[1], part[2], changelog[part.end():end].strip())
            for part, end in zip(found, ends)]


def problems_of(tag, cmake, changelog):
    version = version_of(cmake)
    if tag != f"v{version}":
        yield (f"the tag is {tag}, and CMakeLists.txt has version {version}: "
               f"the tag must be v{version}")
        return
    parts = {name: (date, text) for name, date, text in sections(changelog)}
    if version not in parts:
        yield (f"CHANGELOG.md has no heading \"## {version} (DATE)\"; name the "
               "part \"Unreleased\" so, and begin a new one above it")
    elif not parts[version][0]:
        yield f"the heading of {version} in CHANGELOG.md has no date"
    elif not parts[version][1]:
        yield f"CHANGELOG.md says nothing about {version}"
    if parts.get("Unreleased", (None, ""))[1]:
        yield f"CHANGELOG.md has changes that are in no version, above {tag}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=["check", "notes"])
    parser.add_argument("tag", metavar="TAG")
    args = parser.parse_args()
    cmake = (ROOT / "CMakeLists.txt").read_text()
    changelog = (ROOT / "CHANGELOG.md").read_text()
    problems = list(problems_of(args.tag, cmake, changelog))
    if problems:
        sys.exit("\n".join(f"release: {problem}" for problem in problems))
    if args.command == "notes":
        print(next(text for name, _, text in sections(changelog)
                   if f"v{name}" == args.tag))
    return 0


if __name__ == "__main__":
    sys.exit(main())
