#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes of `stepscope run` that end without stopping their recorder.

usage: endings_test.py STEPSCOPE RANGES
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

import support
from support import RunTestCase, names

RANGES = ""
UNKNOWN = "ended without closing the capture (by _exit or a signal)"


class EndingsTest(RunTestCase):

    def check(self, how, code, complete, says):
        """As the command, whose ending is known, and as a child of it."""
        self.run_it(RANGES, how, code=code)
        self.assertEqual(list(self.out.glob("*.live*")), [])
        info = self.info()
        self.assertEqual(info["complete"], complete)
        self.assertEqual(info["ledger"]["seen"], info["ledger"]["kept"])
        self.assertIn("forward", names(self.events()))
        self.assertIn(says, self.info_text())
        return self.info_text()

    def test_exit_without_handlers_is_no_loss(self):
        text = self.check("exit", 3, True, "ended by _exit (code 3) without "
                          "closing the capture; all events are here")
        # A second instant of the clock, which so short a life did not see.
        self.assertNotIn("clock rate unknown", text)
        self.assertIn("state     complete", text)

    def test_a_request_to_end_is_no_loss(self):
        self.check("term", -int(signal.SIGTERM), True, "was ended by SIGTERM")
        self.assertIn("never ends", names(self.events()))

    def test_a_kill_and_a_crash_are_said_to_be_such(self):
        text = self.check("kill", -int(signal.SIGKILL), False,
                          "was killed by SIGKILL")
        self.assertIn("state     cut short", text)
        self.assertRegex(text, "open +[0-9.]+ [num]?s +never ends")

    def test_a_crash(self):
        self.check("segv", -int(signal.SIGSEGV), False,
                   "was killed by SIGSEGV")

    def test_the_output_names_the_process_that_was_killed(self):
        done = self.run_it(RANGES, "kill", code=-int(signal.SIGKILL))
        self.assertRegex(
            done.stderr, r"note: process \d+ \(.*run_ranges kill\): was "
            "killed by SIGKILL")

    def test_children_end_as_they_end(self):
        for how, known in (("exit", "ended by _exit (code 3)"),
                           ("term", "was ended by SIGTERM"),
                           ("kill", "was killed by SIGKILL")):
            self.out = self.folder / how
            self.run_it("sh", "-c", f"{RANGES} {how}; exit 0")
            self.assertEqual(list(self.out.glob("*.live*")), [])
            (capture,) = self.out.glob("run_ranges*.sscap")
            text = self.info_text(capture)
            # Kernels before 6.15 tell only those who wait for it.
            self.assertTrue(known in text or UNKNOWN in text, text)
            self.assertIn("forward", names(self.events(capture)))

    def test_what_is_said_of_many_processes_is_said_once(self):
        self.run_it("sh", "-c", f"{RANGES} exit; {RANGES} exit; {RANGES} exit;"
                    " exit 0")
        notes = [line.split("): ", 1) for line in
                 self.info_text().splitlines() if "without closing" in line]
        # How one of them ended may be told or not; the shell ends alike.
        self.assertGreaterEqual(len(notes), 1)
        self.assertEqual(len({text for _, text in notes}), len(notes), notes)
        listed = sum(len(re.findall(r"\d+", who.split("(", 1)[1]))
                     if " processes (" in who else 1 for who, _ in notes)
        self.assertIn(listed, (3, 4), notes)
        self.assertTrue(self.info()["complete"])

    def test_all_of_a_burst_is_kept_however_much_was_written_already(self):
        self.run_it(RANGES, "burst", code=-int(signal.SIGKILL))
        self.assertEqual(list(self.out.glob("*.live*")), [])
        ledger = self.info()["ledger"]
        self.assertEqual(ledger["seen"], ledger["kept"])
        # Six events a step; what the pool had no room for is counted.
        self.assertEqual(sum(t["events"] + t["dropped_total"]
                             for t in self.info()["threads"]), 6 * 20000)

    def test_where_there_is_no_shared_memory(self):
        live = self.folder / "live"
        live.mkdir()
        self.run_it(RANGES, "kill", code=-int(signal.SIGKILL),
                    env=dict(os.environ, STEPSCOPE_LIVE_DIR=str(live)))
        self.assertEqual(list(live.iterdir()), [])
        self.assertEqual(list(self.out.glob("*.live*")), [])
        self.assertIn("never ends", names(self.events()))

    def test_what_still_runs_keeps_its_live_file_and_a_note_says_so(self):
        ready = self.folder / "ready"
        script = (f"{RANGES} wait > {ready} 2> /dev/null & echo $!;"
                  f"until [ -s {ready} ]; do sleep 0.05; done")
        done = self.run_it("sh", "-c", script)
        pid = int(done.stdout)
        try:
            self.assertRegex(
                done.stderr,
                rf"note: process {pid} \(.*run_ranges wait\): still runs")
            (capture,) = self.out.glob("run_ranges*.sscap")
            self.assertFalse(self.info(capture)["complete"])
            self.assertTrue(pathlib.Path(str(capture) + ".live").exists())
            self.assertIn("waiting", names(self.events(capture)))
        finally:
            os.kill(pid, signal.SIGKILL)
        live = pathlib.Path(str(capture) + ".live")
        target = live.resolve()
        live.unlink()
        target.unlink(missing_ok=True)


class OutFolderTest(RunTestCase):

    def test_a_folder_with_an_earlier_run_gets_a_subfolder(self):
        self.run_it(RANGES, "1")
        first = sorted(self.out.iterdir())
        done = self.run_it(RANGES, "2")
        self.assertEqual(sorted(p for p in self.out.iterdir()
                                if p.is_file()), first)
        (second,) = [p for p in self.out.iterdir() if p.is_dir()]
        self.assertIn(f"holds an earlier run; this one goes to out/"
                      f"{second.name}\n", done.stderr)
        self.assertIn(f"stepscope summary out/{second.name}\n", done.stderr)
        self.assertEqual(names(self.events(second)).count("forward"), 2)
        self.assertEqual(names(self.events(first[0])).count("forward"), 1)

    def test_a_subfolder_that_stays_empty_is_removed(self):
        self.run_it(RANGES, "1")
        self.run_it("true")
        self.assertEqual([p for p in self.out.iterdir() if p.is_dir()], [])

    def test_ranks_that_a_launcher_started_share_the_folder(self):
        def start(rank):
            return subprocess.Popen(
                [support.STEPSCOPE, "run", "--quiet", "--out", str(self.out),
                 "--", RANGES, "wait"], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True,
                env=dict(os.environ, RANK=str(rank)))
        ranks = []
        try:
            for rank in range(2):
                ranks.append(start(rank))
                self.assertEqual(ranks[-1].stdout.readline(), "ready\n")
        finally:
            for one in ranks:
                one.terminate()
                one.wait(timeout=60)
                one.stdout.close()
        # Neither speaks of the other's processes.
        self.assertEqual([one.stderr.read() for one in ranks], ["", ""])
        for one in ranks:
            one.stderr.close()
        self.assertEqual(len(self.captures()), 2)
        self.assertTrue(self.info()["complete"])


if __name__ == "__main__":
    support.STEPSCOPE, RANGES = (
        str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
