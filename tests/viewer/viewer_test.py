#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real viewers must show all of a file that has everything in it.

usage: viewer_test.py VIEWER_SAMPLE_TRACE

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
PROCESS = "Process 100 (CPU)"
EVIL = '<img src=x onerror="alert(1)">'
# Row of the timeline -> its events, by start.
ROWS = {
    (PROCESS, "thread 100:main(Python)"):
        ["ProfileStep#0", "Dataloader", "forward", "ProfileStep#1"],
    (PROCESS, "thread 100:main(C++)"):
        ["conv2d", "cudaLaunchKernel", "mark", "wait"],
    (PROCESS, "thread 101:loader(C++)"):
        ["read", "[memory]", "[memory]", "bytes", EVIL],
    (PROCESS, "thread 101:loader(C++) lane 1"): ["overlapping"],
    ("Device 0 (GPU) of process 100", "stream 7"): ["gemm"],
    ("Process 101 (CPU)", "thread 100:main(C++)"): ["other_rank"],
}
# The same where a thread is one row, and has lanes and memory below it.
PROTOBUF_ROWS = {
    (100, "main", None):
        ["ProfileStep#0", "Dataloader", "forward", "conv2d",
         "cudaLaunchKernel", "mark", "ProfileStep#1", "wait"],
    (100, "loader", None): ["read", "bytes", EVIL],
    (100, "loader", "lane 1"): ["overlapping"],
    (100, "loader", "memory"): ["allocate", "free"],
    (100, None, "stream 7"): ["gemm"],
    (101, "main", None): ["other_rank"],
}
ARROWS = [("cudaLaunchKernel", "gemm"), ("read", "Dataloader")]


def shown(name):
    """Viewers cut or replace bytes that cannot be shown; the start stays."""
    return "bytes" if name.startswith("bytes ") else name


class ViewerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = fetch_viewer.find()
        cls.files = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.files.cleanup)
        cls.trace = pathlib.Path(cls.files.name) / "trace.json"
        subprocess.run([PROGRAM, cls.trace, "chrome"], check=True)
        cls.address = cls.enterClassContext(
            viewers.served(cls.folder, cls.trace))

    def test_perfetto(self):
        with viewers.start() as page:
            viewers.open_perfetto(page, self.address)
            ask = lambda sql: viewers.query(page, sql)
            self.assertEqual(ask(
                "select name, value from stats "
                "where severity != 'info' and value > 0"), [])
            rows = {}
            for process, thread, name in ask(
                    "select p.name, t.name, s.name from slice s "
                    "join thread_track k on s.track_id = k.id "
                    "join thread t using(utid) join process p using(upid) "
                    "order by s.ts, s.dur desc"):
                rows.setdefault((process, thread), []).append(shown(name))
            self.assertEqual(rows, ROWS)
            self.assertEqual(sorted(map(tuple, ask(
                "select a.name, b.name from flow "
                "join slice a on a.id = slice_out "
                "join slice b on b.id = slice_in"))), ARROWS)
            # Nanoseconds come back whole.
            self.assertEqual(ask(
                "select ts, dur from slice where name = 'conv2d'"),
                [[100001, 200002]])
            self.assertEqual(ask(
                "select c.value from counter c join counter_track t "
                "on c.track_id = t.id where t.name like 'loss%' "
                "order by c.ts"), [[2.5], [1.5]])
            self.assertEqual(ask(
                "select max(c.value) from counter c join counter_track t "
                "on c.track_id = t.id where t.name like 'Memory Place(cpu)%'"),
                [[2048]])
            self.assertEqual(ask(
                "select extract_arg(arg_set_id, 'args.input_shapes.X[0][1]') "
                "from slice where name = 'conv2d'"), [[3]])
            self.assertEqual(ask(
                "select extract_arg(arg_set_id, 'args.open_at_end') "
                "from slice where name = 'wait'"), [[1]])

    def test_perfetto_protobuf(self):
        trace = pathlib.Path(self.files.name) / "trace.pftrace"
        subprocess.run([PROGRAM, trace, "perfetto"], check=True)
        with viewers.served(self.folder, trace) as address, \
                viewers.start() as page:
            viewers.open_perfetto(page, address)
            ask = lambda sql: viewers.query(page, sql)
            self.assertEqual(ask(
                "select name, value from stats "
                "where severity != 'info' and value > 0"), [])
            rows = {}
            for process, thread, track, name in ask(
                    "select coalesce(p.pid, q.pid), t.name, k.name, s.name "
                    "from slice s join track k on s.track_id = k.id "
                    "left join thread_track h on s.track_id = h.id "
                    "left join thread t using(utid) "
                    "left join process p using(upid) "
                    "left join process_track g on s.track_id = g.id "
                    "left join process q on g.upid = q.upid "
                    "order by s.ts, s.dur desc"):
                rows.setdefault((process, thread, track), []).append(
                    shown(name))
            self.assertEqual(rows, PROTOBUF_ROWS)
            self.assertEqual(sorted(map(tuple, ask(
                "select a.name, b.name from flow "
                "join slice a on a.id = slice_out "
                "join slice b on b.id = slice_in"))), ARROWS)
            self.assertEqual(ask(
                "select ts, dur, category from slice where name = 'conv2d'"),
                [[100001, 200002, "Operator"]])
            self.assertEqual(ask(
                "select c.value from counter c join counter_track t "
                "on c.track_id = t.id where t.name = 'loss' "
                "order by c.ts"), [[2.5], [1.5]])
            self.assertEqual(ask(
                "select max(c.value), t.unit from counter c "
                "join counter_track t on c.track_id = t.id "
                "where t.name = 'Memory Place(cpu) allocated'"),
                [[1024, "bytes"]])
            self.assertEqual(ask(
                "select extract_arg(arg_set_id, 'debug.input_shapes[1]') "
                "from slice where name = 'conv2d'"), [[3]])
            self.assertEqual(ask(
                "select extract_arg(arg_set_id, 'debug.open_at_end') "
                "from slice where name = 'wait'"), [[1]])

    def test_chrome_tracing(self):
        with viewers.start() as page:
            model = viewers.import_in_catapult(page, self.address,
                                               self.folder)
        self.assertEqual(model["warnings"], [])
        rows = {(process, thread): sorted(map(shown, names))
                for process, thread, names in model["rows"]}
        self.assertEqual(rows, {row: sorted(names)
                                for row, names in ROWS.items()})
        self.assertEqual(sorted(map(tuple, model["flows"])), ARROWS)
        self.assertIn(["Process 101 (CPU)", "loss", 2], model["counters"])
        self.assertIn([PROCESS, "Memory Place(cpu)", 2], model["counters"])


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: no Chromium; `tools/bootstrap test` installs one")
        sys.exit(SKIPPED)
    if fetch_viewer.find() is None:
        print("skipped: no viewer; `tools/bootstrap test` fetches one")
        sys.exit(SKIPPED)
    PROGRAM = sys.argv.pop(1)
    unittest.main()
