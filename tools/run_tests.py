#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Configures, builds and tests one tree per preset; counts over all of them.

usage: run_tests.py [--quick | --peers] [--bootstrap] [--beside N] [PRESET...]

The default is release, asan, tsan and fuzz, which gives what reads foreign
bytes some seconds under libFuzzer, see tools/fuzz; its targets are built in the
tree asan. A tree that does not build
counts as one failed test. With --beside N the tests, not the builds, run beside
N busy processes: no test may depend on how fast the machine is. What the failed
tests said comes again at the end, where a log that was cut still has it. The
last line is "N passed, N failed", with ", N skipped" after it when there are
skipped tests; the exit status is 1 if anything failed.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Labels that a tree leaves out. "once": says the same in every tree.
# "peers": needs a large package of others; --peers runs these alone.
# "no_asan", "no_tsan": the test measures, forks or kills in a way which that
# sanitizer's runtime does not survive; the test says why.
LEAVE_OUT = {
    "release": "^peers$",
    "asan": "^(once|install|no_asan)$",
    "tsan": "^(once|install|no_tsan)$",
}
# What a tree builds and runs alone. ThreadSanitizer has nothing to say about
# code that runs on one thread; its tree also compares the definitions of all
# modules, for which their objects are enough.
ONLY = {"tsan": ("thread_tests one_definition_objects",
                 "^(threads|definitions)$")}
# What can be compiled before `tools/bootstrap test` has brought its things.
EARLY = "demo"
ONLY[EARLY] = ("stepscope_program", None)
FOLDERS = {"release": "build", EARLY: "build"}
FUZZ_SECONDS = 5  # a target
LAST_WORDS = 20  # lines repeated of a failed test


def run(*command, **how):
    return subprocess.run([str(part) for part in command], cwd=ROOT,
                          check=False, **how).returncode


def last_words(case):
    """The end of what a test printed, without gtest's own frame."""
    said = (case.findtext("system-out") or "").splitlines()
    said = [line for line in said if line.strip() and
            not line.startswith(("[---", "[===", "Note: Google Test"))]
    return "".join(f"\n    {line[:300]}" for line in said[-LAST_WORDS:])


def count(report):
    """Passed, the failed with their last words, skipped, from a JUnit file."""
    passed, skipped, failed = 0, 0, []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        status = case.get("status")
        reason = case.find("skipped")
        if status == "run":
            passed += 1
        elif status == "disabled" or (
                reason is not None and "SKIP" in reason.get("message", "")):
            skipped += 1
        else:
            failed.append(case.get("name") + last_words(case))
    return passed, failed, skipped


def wrapper(preset):
    """g++ 12's ThreadSanitizer refuses to start where the kernel spreads
    mappings over 32 random bits, so its tests run with a fixed layout."""
    command = ["setarch", "--addr-no-randomize"]
    if preset == "tsan" and shutil.which("setarch") and (
            subprocess.run(command + ["true"], check=False).returncode == 0):
        return command
    return []


@contextlib.contextmanager
def busy(processes):
    """Keeps so many processes busy meanwhile."""
    # They end by themselves if this program is killed: their pipe then closes.
    loop = ("import select, sys\n"
            "while not select.select([sys.stdin], [], [], 0)[0]:\n"
            "  for _ in range(1000000): pass\n")
    running = []
    try:
        for _ in range(processes):
            running.append(subprocess.Popen([sys.executable, "-c", loop],
                                            stdin=subprocess.PIPE))
        yield
    finally:
        for process in running:
            process.kill()
            process.communicate()


class Build:
    """A tree that is configured and built, once."""

    def __init__(self, preset, jobs):
        self.folder = ROOT / FOLDERS.get(preset, f"build-{preset}")
        self.log = self.folder / "early_build.log"
        target = ONLY.get(preset, ("all",))[0]
        self.command = ["sh", "-c", f"cmake --preset {preset} "
                        f"--log-level=WARNING && cmake --build "
                        f"'{self.folder}' --parallel {jobs} --target {target}"]
        self.made = threading.Event()
        self.code = None

    def make(self):
        self.log.unlink(missing_ok=True)  # of a run that was interrupted
        self.code = run(*self.command)
        self.made.set()

    def make_beside_tests(self):
        """Takes what tests leave of the machine, and says nothing yet."""
        try:
            self.folder.mkdir(exist_ok=True)
            with open(self.log, "w", encoding="utf-8") as out:
                self.code = run("nice", "-n", "15", *self.command, stdout=out,
                                stderr=out)
        finally:
            self.made.set()  # or somebody waits for ever

    def wait(self):
        """Whether it went well; what an early one said is told then."""
        self.made.wait()
        if self.log.exists():
            said = self.log.read_text(errors="replace").splitlines()
            self.log.unlink()
            print("\n".join(said if self.code else said[-1:]), flush=True)
        return self.code == 0


def make_beside_tests(builds):
    """One after the other, however long the tests of a tree take: while tests
    wait, something is there to do."""
    def make_all():
        for build in builds:
            try:
                build.make_beside_tests()
            except OSError as error:  # and the next one is made all the same
                print(f"run_tests: {error}", flush=True)

    # A daemon, so that an interrupted run does not begin the next one.
    threading.Thread(target=make_all, daemon=True).start()


def test_tree(preset, build, jobs, args):
    folder = build.folder
    label = ONLY.get(preset, ("all", None))[1]
    if not build.wait():
        return 0, [f"{preset}: build"], 0
    # Many tests wait, and builds beside them take only what is left. The
    # runtime of ThreadSanitizer waits for a second at the end of most, for
    # races there.
    at_once = jobs * 4 if preset == "tsan" else jobs + (jobs + 1) // 2
    report = folder / "test_report.xml"
    report.unlink(missing_ok=True)
    select = ["--label-exclude", LEAVE_OUT[preset]]
    if args.peers:
        select = ["--label-regex", "^peers$"]
    if label:
        select += ["--label-regex", label]
    if args.quick:
        select += ["--label-regex", "^unit$"]
    with busy(args.beside):
        code = run(*wrapper(preset), "ctest", "--test-dir", folder,
                   "--parallel", at_once, "--output-on-failure",
                   "--no-tests=error", "--progress", "--output-junit", report,
                   *select)
    if not report.exists():
        return 0, [f"{preset}: ctest"], 0
    passed, failed, skipped = count(report)
    if code != 0 and not failed:
        failed = [f"{preset}: ctest exit {code}"]
    return passed, [f"{preset}: {name}" for name in failed], skipped


def bootstrap(jobs, what):
    """Fetches what the tests need. Most of that is waiting for downloads, so
    the modules are compiled meanwhile."""
    modules = Build(EARLY, jobs)
    make_beside_tests([modules])
    code = run(ROOT / "tools/bootstrap", what)
    modules.wait()  # a failure shows again in the tree release
    return code == 0


def fuzz(jobs):
    """Each fuzz target is one test. They are part of the tree asan."""
    if not shutil.which("clang++-19"):
        print("fuzz: no clang++-19, skipped", flush=True)
        return 0, [], 1
    result = subprocess.run([str(ROOT / "tools/fuzz"), str(FUZZ_SECONDS)],
                            cwd=ROOT, check=False, text=True,
                            stdout=subprocess.PIPE,
                            env=os.environ | {"FUZZ_JOBS": str(jobs)})
    print(result.stdout, end="", flush=True)
    lines = result.stdout.splitlines()
    passed = sum(line.startswith("ok ") for line in lines)
    failed = [line.removeprefix("FAILED ") for line in lines
              if line.startswith("FAILED ")]
    if result.returncode != 0 and not failed:
        failed = [f"tools/fuzz exit {result.returncode}"]
    return passed, [f"fuzz: {name}" for name in failed], 0


OTHERS = ["fuzz"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true",
                        help="only tests with the label unit")
    parser.add_argument("--peers", action="store_true",
                        help="only tests beside large packages of others, on "
                        "the tree release")
    parser.add_argument("--bootstrap", action="store_true",
                        help="first install and fetch what the tests need")
    parser.add_argument("--beside", type=int, default=0, metavar="N",
                        help="run the tests beside N busy processes")
    parser.add_argument("presets", nargs="*",
                        help="of " + ", ".join([*LEAVE_OUT, *OTHERS]))
    args = parser.parse_args()
    jobs = len(os.sched_getaffinity(0))
    passed, failed, skipped = 0, [], 0
    presets = args.presets or (
        ["release"] if args.peers else [*LEAVE_OUT, *OTHERS])
    for preset in presets:
        if preset not in OTHERS and preset not in LEAVE_OUT:
            parser.error(f"no such preset: {preset}")
    if args.bootstrap and not bootstrap(
            jobs, "peers" if args.peers else "test"):
        return 1
    builds = {preset: Build(preset, jobs) for preset in presets
              if preset not in OTHERS}
    first = next(iter(builds), None)
    for preset in presets:
        start = time.monotonic()
        print(f"== {preset}", flush=True)
        if preset == "asan" and not shutil.which("clang++-19"):
            print("asan: no clang++-19: the usual compiler builds this tree, "
                  "without fuzz targets", flush=True)
        if preset == "fuzz":
            result = fuzz(jobs)
        else:
            build = builds.pop(preset)
            if preset == first:
                build.make()
                make_beside_tests(list(builds.values()))
            result = test_tree(preset, build, jobs, args)
        print(f"== {preset}: {result[0]} passed, {len(result[1])} failed, "
              f"{time.monotonic() - start:.0f} s", flush=True)
        passed += result[0]
        failed += result[1]
        skipped += result[2]
    for name in failed:
        print(f"FAILED {name}")
    tail = f", {skipped} skipped" if skipped else ""
    print(f"{passed} passed, {len(failed)} failed{tail}", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
