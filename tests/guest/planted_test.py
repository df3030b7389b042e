#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each patch in planted/ takes a mend out of a copy of the recorder; a guest
must then find harm, and of the kind that the patch names.

usage: planted_test.py --stepscope CLI --cxx CXX --guest-archive GUEST
                       [--only NAME]

A patch begins with lines of its own: why the mend is needed, "Scenario:" and
the name of a directed scenario, "Finding:" and a regular expression. The
recorder is compiled anew for each, as one file and without the optimiser, which
would be a third of the cost.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Whatever is rare is tried again: a planted defect need not harm each time.
TRIES = 10
LONELY_S = 15


def word(text, key):
    found = re.search(rf"^{key}: (.+)$", text, re.MULTILINE)
    if not found:
        raise ValueError(f'the patch has no line "{key}: ..."')
    return found.group(1).strip()


def build(args, copy, patch):
    """A guest around a recorder with the defect."""
    shutil.copytree(ROOT / "include", copy / "include")
    for module in ("collector", "format"):
        shutil.copytree(ROOT / "src" / module, copy / "src" / module)
    subprocess.run(["patch", "-p1", "--no-backup-if-mismatch", "-s", "-d",
                    copy, "-i", patch], check=True)
    recorder = copy / "recorder.cc"
    recorder.write_text("".join(
        f'#include "collector/{path.name}"\n'
        for path in sorted((copy / "src/collector").glob("*.cc"))
        if not path.stem.endswith("_test")))
    guest = copy / "guest"
    subprocess.run(
        [args.cxx, "-std=c++20", "-O0", "-w", f"-I{copy}/src",
         f"-I{copy}/include", '-DSTEPSCOPE_VERSION="planted"', "-o", guest,
         recorder, args.guest_archive, "-pthread", "-ldl"], check=True)
    return guest


def is_found(args, guest, text):
    """Whether a guest finds the defect, and what it said last."""
    said = ""
    for _ in range(TRIES):
        said = subprocess.run(
            [sys.executable, HERE / "guest_test.py", "--stepscope",
             args.stepscope, "--guest", guest, "--lonely", str(LONELY_S),
             "--scenario", word(text, "Scenario")],
            check=False, text=True, stdout=subprocess.PIPE).stdout
        if re.search(r"FOUND .*(?:" + word(text, "Finding") + ")", said):
            return True, said
    return False, said


def main():
    parser = argparse.ArgumentParser()
    for name in ("--stepscope", "--cxx", "--guest-archive"):
        parser.add_argument(name, required=True)
    parser.add_argument("--only", default="*")
    args = parser.parse_args()
    patches = sorted((HERE / "planted").glob(args.only + ".patch"))
    missed = 0
    for patch in patches:
        with tempfile.TemporaryDirectory(prefix="planted_") as name:
            guest = build(args, pathlib.Path(name), patch)
            found, said = is_found(args, guest, patch.read_text())
        print(f"{patch.stem}: {'found' if found else 'NOT FOUND'}")
        print(said, flush=True)
        missed += not found
    print(f"{len(patches) - missed} planted defects found, {missed} missed")
    return 1 if missed or not patches else 0


if __name__ == "__main__":
    sys.exit(main())
