#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each patch in planted/ takes a mend out of a copy of the recorder; a guest
must then find harm, and of the kind that the patch names.

usage: planted_test.py --stepscope CLI --cxx CXX --archive COLLECTOR
                       --guest-archive GUEST [--only NAME]

A patch begins with lines of its own: why the mend is needed, "Scenario:" and
the name of a directed scenario, "Finding:" and a regular expression. Only what
it changes is compiled; the rest comes from the archives.
"""

import argparse
import concurrent.futures
import os
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


def compile_all(args, copy, sources):
    """Objects of the sources, compiled against the copy."""
    def one(source):
        target = copy / (source.stem + ".o")
        subprocess.run(
            [args.cxx, "-std=c++20", "-O1", "-g1", f"-I{copy}/src",
             f"-I{copy}/include", f"-I{ROOT}/tests",
             '-DSTEPSCOPE_VERSION="planted"', "-c", source, "-o", target],
            check=True)
        return target
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, sources))


def build(args, copy, patch):
    """A guest around a recorder with the defect."""
    shutil.copytree(ROOT / "include", copy / "include")
    for module in ("collector", "format"):
        shutil.copytree(ROOT / "src" / module, copy / "src" / module)
    text = patch.read_text()
    subprocess.run(["patch", "-p1", "--no-backup-if-mismatch", "-s", "-d",
                    copy, "-i", patch], check=True)
    changed = [copy / name for name in
               re.findall(r"^\+\+\+ b/(\S+)", text, re.MULTILINE)]
    sources, archives = changed, [args.guest_archive, args.archive]
    if any(path.suffix == ".h" for path in changed):
        sources = [path for path in (copy / "src/collector").glob("*.cc")
                   if not path.stem.endswith("_test")]
    if any(copy / "include" in path.parents for path in changed):
        sources += [p for p in HERE.glob("*.cc") if p.stem != "seccomp_guest"]
        archives = []
    objects = compile_all(args, copy, sources)
    guest = copy / "guest"
    subprocess.run([args.cxx, "-o", guest, *objects, *archives, "-pthread",
                    "-ldl"], check=True)
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
    for name in ("--stepscope", "--cxx", "--archive", "--guest-archive"):
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
