#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Perfetto shows of torch's own trace through `convert --to kineto` what it
shows of the original.

usage: kineto_perfetto_test.py STEPSCOPE TRACES
"""

import gzip
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser
import fetch_viewer
import viewers

STEPSCOPE, TRACES = sys.argv[1], pathlib.Path(sys.argv[2])
SKIPPED = 77
NAME = "torch_cnn.json.gz"
QUESTIONS = (
    "select category, name, count(), sum(dur) from slice "
    "group by category, name order by category, name",
    "select t.name, count() from slice s "
    "join thread_track k on s.track_id = k.id join thread t using(utid) "
    "group by t.name order by t.name",
)


class KinetoPerfettoTest(unittest.TestCase):
    def answers(self, folder, trace):
        with viewers.served(folder, trace) as address:
            with viewers.start() as page:
                viewers.open_perfetto(page, address)
                return [viewers.query(page, sql) for sql in QUESTIONS]

    def test_shows_the_same(self):
        folder = fetch_viewer.find()
        with tempfile.TemporaryDirectory() as work:
            original = pathlib.Path(work, "original.json")
            converted = pathlib.Path(work, "converted.json")
            original.write_bytes(gzip.decompress(
                (TRACES / NAME).read_bytes()))
            subprocess.run([STEPSCOPE, "convert", original, "--to", "kineto",
                            "-o", converted], check=True,
                           stdout=subprocess.DEVNULL)
            before = self.answers(folder, original)
            after = self.answers(folder, converted)
        self.assertGreater(len(before[0]), 100)
        self.assertEqual(after, before)


if __name__ == "__main__":
    if browser.find() is None or fetch_viewer.find() is None:
        print("skipped: no Chromium or no viewer; `tools/bootstrap test` "
              "fetches both")
        sys.exit(SKIPPED)
    if not TRACES.is_dir():
        print(f"skipped: no {TRACES}")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
