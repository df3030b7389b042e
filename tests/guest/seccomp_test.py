#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorder in sandboxes: it makes no system call that docs/guide/system_calls.md
does not name, and where it is refused one, it records nevertheless or says in
one line why not. The host is unharmed.

usage: seccomp_test.py STEPSCOPE GUEST DOCUMENT
"""

import concurrent.futures
import errno
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

STEPSCOPE, GUEST, DOCUMENT = "", "", ""


def named():
    """What the page names: the first cell of each row of its table."""
    text = pathlib.Path(DOCUMENT).read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]+) \|.*\| (yes|no) \|$", text, re.MULTILINE)
    return {name: needed == "yes" for cell, needed in cells
            for name in re.findall(r"`(\w+)`", cell)}


def listed():
    return subprocess.run([GUEST, "--list"], check=True, text=True,
                          capture_output=True).stdout.split()


def record(*filter_words):
    """What a guest under the filter says, and what its captures hold."""
    with tempfile.TemporaryDirectory() as name:
        guest = subprocess.Popen([GUEST, name, *filter_words], text=True,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        out, err = guest.communicate(timeout=600)
        done = subprocess.CompletedProcess(guest.args, guest.returncode, out,
                                           err)
        known = []
        for capture in ("first.sscap", "last.sscap"):
            path = pathlib.Path(name) / capture
            if done.stdout != "recorded\n" or not path.exists():
                continue
            info = subprocess.run(
                [STEPSCOPE, "info", "--format", "json", str(path)],
                text=True, capture_output=True, check=True)
            known.append(sum(t["events"] + t["dropped_total"]
                             for t in json.loads(info.stdout)["threads"]))
        # It may have been refused to remove them.
        for live in pathlib.Path("/dev/shm").glob(f"stepscope-{guest.pid}-*"):
            live.unlink()
        return done, known


class SeccompTest(unittest.TestCase):

    def test_the_page_names_what_the_program_lists(self):
        self.assertEqual(set(listed()) - set(named()), set())

    def test_no_other_call_is_made(self):
        done, known = record("only-named")
        if done.returncode == 77:
            self.skipTest("the kernel takes no filter")
        self.assertEqual((done.returncode, done.stdout), (0, "recorded\n"),
                         done.stderr)
        self.assertEqual(len(known), 2)

    def test_a_filter_that_lacks_a_call_kills(self):
        # The planted defect: the test above can fail.
        done, _ = record("only-named", "setpriority")
        if done.returncode == 77:
            self.skipTest("the kernel takes no filter")
        self.assertEqual(done.returncode, -signal.SIGSYS)

    def test_each_call_that_is_refused(self):
        needed = named()
        cases = [(call, error) for call in listed() if not needed[call]
                 for error in (errno.EPERM, errno.ENOSYS)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = pool.map(
                lambda case: record("refuse", case[0], str(case[1])), cases)
            for (call, error), (done, known) in zip(cases, answers):
                with self.subTest(call=call, error=errno.errorcode[error]):
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stdout.count("\n"), 1, done.stdout)
                    print(f"{call} {errno.errorcode[error]}: "
                          f"{done.stdout.strip()}")
                    if done.stdout == "recorded\n":
                        self.assertEqual(len(known), 2)


if __name__ == "__main__":
    STEPSCOPE, GUEST, DOCUMENT = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
