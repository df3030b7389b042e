#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A timeline of trainers and parameter servers must open in real viewers.

usage: dist_timeline_test.py STEPSCOPE GENERATE

Exit status 77 means skipped: no browser, or no viewer to open in it.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser
import fetch_viewer
import viewers

SKIPPED = 77
LABELS = ["trainer0", "trainer1", "pserver0", "pserver1"]
KINDS = [":cpu:block:0", ":cuda_api", ":gpu:0"]
PLACES = [":gpu:0", ":cpu:0", ":cudapinnedplace:0"]


class DistTimelineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = fetch_viewer.find()
        cls.files = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.files.cleanup)
        work = pathlib.Path(cls.files.name)
        for number, label in enumerate(LABELS):
            subprocess.run([GENERATE, "fluid", work / label, "--events", "700",
                            "--seed", str(number + 1)], check=True,
                           stdout=subprocess.DEVNULL)
        cls.trace = work / "dist.timeline"
        done = subprocess.run(
            [STEPSCOPE, "timeline", "--profile_path",
             ",".join(f"{label}={work / label}" for label in LABELS),
             "--timeline_path", cls.trace], check=True, capture_output=True,
            text=True)
        cls.said = done.stdout + done.stderr
        cls.address = cls.enterClassContext(
            viewers.served(cls.folder, cls.trace))

    def test_clocks_are_aligned_without_a_word(self):
        self.assertEqual(self.said, "")

    def test_perfetto(self):
        with viewers.start() as page:
            viewers.open_perfetto(page, self.address)
            ask = lambda sql: viewers.query(page, sql)
            self.assertEqual(ask(
                "select name, value from stats "
                "where severity != 'info' and value > 0"), [])
            events = dict(ask(
                "select p.name, count() from slice s "
                "join thread_track k on s.track_id = k.id "
                "join thread t using(utid) join process p using(upid) "
                "group by p.name"))
            self.assertEqual(sorted(events), sorted(
                label + kind for label in LABELS for kind in KINDS))
            # Two steps of 321 slices each.
            for label in LABELS:
                self.assertEqual(sum(events[label + kind] for kind in KINDS),
                                 642, label)
            # In microseconds: a step takes about two milliseconds.
            (longest,), = ask("select max(dur) from slice")
            self.assertTrue(1e6 < longest < 1e7, longest)
            memory = dict(ask(
                "select p.name, max(c.value) from counter c "
                "join process_counter_track t on c.track_id = t.id "
                "join process p using(upid) group by p.name"))
            self.assertEqual(sorted(memory), sorted(
                f"memory usage on {label}:gpu:0" for label in LABELS))
            self.assertTrue(all(peak > 1e6 for peak in memory.values()))

    def test_chrome_tracing(self):
        with viewers.start() as page:
            model = viewers.import_in_catapult(page, self.address, self.folder)
        self.assertEqual(model["warnings"], [])
        shown = {process for process, _, names in model["rows"] if names}
        self.assertEqual(shown, {label + kind for label in LABELS
                                 for kind in KINDS})


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: no Chromium; `tools/bootstrap test` installs one")
        sys.exit(SKIPPED)
    if fetch_viewer.find() is None:
        print("skipped: no viewer; `tools/bootstrap test` fetches one")
        sys.exit(SKIPPED)
    STEPSCOPE, GENERATE = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
