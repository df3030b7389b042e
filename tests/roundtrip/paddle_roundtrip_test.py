#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paddle's files, read, written as Paddle would, and read again.

usage: paddle_roundtrip_test.py STEPSCOPE TRACES

The tables are the matter of tables_roundtrip_test.py; here it is what stands
beside them: dates, windows, names, types, processes, peaks.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ENDINGS = ("json", "pb")
EPOCH_US = 1794782521000000  # 2026-11-15


def event(name, start, dur, cat="Operator", pid=5, tid=6, **args):
    return {"name": f"{name}[{dur / 1000:.3f} us]", "pid": pid,
            "tid": f"{tid}(C++)", "ts": EPOCH_US + start // 1000,
            "dur": dur / 1000, "ph": "X", "cat": cat,
            "args": {"start_time": f"{start / 1000:.3f} us",
                     "end_time": f"{(start + dur) / 1000:.3f} us", **args}}


def memory(start, bytes_, peak):
    return {"name": "[memory]", "pid": 5, "tid": "6(C++)",
            "ts": EPOCH_US + start // 1000, "ph": "i", "cat": "Allocate",
            "args": {"place": "Place(cpu)", "addr": "77",
                     "increase_bytes": bytes_, "current_allocated": 100,
                     "current_reserved": 50, "peak_allocated": peak,
                     "peak_reserved": peak + 1}}


def document(events, span="2", **more):
    return {"displayTimeUnit": "ms", "schemaVersion": "1.0.2",
            "span_index": span, "traceEvents": events + [{}], **more}


class PaddleRoundTrip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.files.cleanup)
        cls.folder = pathlib.Path(cls.files.name)

    def run_program(self, *args):
        done = subprocess.run([STEPSCOPE, *map(str, args)], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def say(self, verb, path):
        return json.loads(self.run_program(verb, path, "--format", "json"))

    def write(self, content, name="in.paddle_trace.json"):
        path = self.folder / name
        path.write_text(json.dumps(content))
        return path

    def again(self, path, ending):
        out = self.folder / f"again.paddle_trace.{ending}"
        self.run_program("convert", *(path if isinstance(path, list)
                                      else [path]),
                         "--to", "paddle", "-o", out)
        return out

    def exact(self, path):
        """The events with their times, as our Chrome files have them."""
        out = self.folder / "exact.json"
        self.run_program("convert", path, "--to", "chrome", "-o", out)
        return json.loads(out.read_text())

    def names(self, path):
        return sorted((e["name"], e["cat"]) for e in
                      self.exact(path)["traceEvents"] if e.get("ph") == "X")

    def test_the_date_stays(self):
        path = self.write(document([event("op", 123456, 5000)]))
        want = self.exact(path)["baseTimeNanoseconds"]
        self.assertEqual(want // 10**9, EPOCH_US // 10**6)
        for ending in ENDINGS:
            content = self.exact(self.again(path, ending))
            self.assertEqual(content["baseTimeNanoseconds"], want, ending)
            self.assertTrue(content["stepscope"]["epochKnown"])
            self.assertLess(content["stepscope"]["windowEnd"], 10**9)

    def test_windows_keep_their_number(self):
        for span in ("0", "1", "7"):
            path = self.write(document([event("op", 0, 5000)], span))
            for ending in ENDINGS:
                out = self.again(path, ending)
                self.assertEqual(self.exact(out)["span_indx"], span, ending)
                if ending == "json":
                    content = json.loads(out.read_text())
                    self.assertEqual(content["span_indx"], span)
                    self.assertEqual(content["span_index"], span)

    def test_names_and_types(self):
        events = [event("", 0, 9000), event("a[1 us]", 10000, 9000),
                  event("b", 11000, 5000, "DygraphKernelLaunch"),
                  event("c", 20000, 5000, "StaticKernelLaunch"),
                  event("two\nlines", 30000, 5000)]
        path = self.write(document(events))
        want = [("", "Operator"), ("a[1 us]", "Operator"),
                ("b", "DygraphKernelLaunch"), ("c", "StaticKernelLaunch"),
                ("two\nlines", "Operator")]
        self.assertEqual(self.names(path), want)
        for ending in ENDINGS:
            self.assertEqual(self.names(self.again(path, ending)), want)
        text = self.run_program("summary", path, "--layout", "paddle")
        self.assertIn("(empty name)", text)
        self.assertIn("DygraphKernelLaunch", text)

    def test_utilisation(self):
        known = {"Process Cpu Utilization": "1.250000",
                 "System Cpu Utilization": "0.500000"}
        for info in (known, {}):
            path = self.write(document([event("op", 0, 5000)],
                                       ExtraInfo=info))
            for ending in ENDINGS:
                got = self.exact(self.again(path, ending))["ExtraInfo"]
                self.assertEqual({key: got.get(key) for key in known},
                                 {key: info.get(key) for key in known})

    def test_peaks_of_the_process(self):
        path = self.write(document([event("op", 0, 5000),
                                    memory(1000, 64, 4096)]))
        for one in [path] + [self.again(path, e) for e in ENDINGS]:
            place = self.say("summary", one)["memory"][0]
            self.assertEqual(place["peak_allocated_bytes"], 100)
            self.assertEqual(place["peak_reserved_bytes"], 50)
            self.assertEqual(place["stated_peak_allocated_bytes"], 4096)
            self.assertEqual(place["stated_peak_reserved_bytes"], 4097)
        self.assertIn("Peak Allocated Memory: 4096 (100 while recording)",
                      self.run_program("summary", path, "--layout",
                                       "paddle"))

    def test_no_peaks_are_made_up(self):
        plain = [{"ph": "X", "name": "op", "cat": "Operator", "pid": 1,
                  "tid": 2, "ts": 0, "dur": 9},
                 {"ph": "i", "name": "[memory]", "cat": "cpu_instant_event",
                  "pid": 1, "tid": 2, "ts": 3,
                  "args": {"Bytes": 64, "Addr": 7, "Device Type": 0,
                           "Device Id": -1, "Total Allocated": 64}}]
        path = self.write(plain, "plain.json")
        for one in [path] + [self.again(path, e) for e in ENDINGS]:
            place = self.say("summary", one)["memory"][0]
            self.assertIsNone(place["stated_peak_allocated_bytes"])

    def test_processes_with_equal_ids(self):
        """Two ranks, each with a thread 6."""
        paths = []
        for rank in (0, 1):
            content = document([event(f"op{rank}", 0, 5000, pid=5 + rank),
                                event("both", 9000, 5000, pid=5 + rank)],
                               ExtraInfo={"6": "main"})
            paths.append(self.write(content, f"rank{rank}.json"))
        for ending in ENDINGS:
            info = self.say("info", self.again(paths, ending))
            self.assertEqual([row["pid"] for row in info["processes"]], [5, 6])
            self.assertEqual(len(info["threads"]), 2, ending)

    def test_times_before_the_first_event(self):
        """An instant of no thread, earlier than all else, and kernels too."""
        plain = {"schemaVersion": 1, "baseTimeNanoseconds": 0, "traceEvents": [
            {"ph": "i", "name": "Iteration Start: PyTorch Profiler", "s": "g",
             "pid": "Traces", "tid": "Trace PyTorch Profiler",
             "ts": EPOCH_US - 28719.315},
            {"ph": "X", "name": "op", "cat": "cpu_op", "pid": 1, "tid": 2,
             "ts": EPOCH_US, "dur": 9}]}
        path = self.write(plain, "kineto.json")
        out = self.again(path, "json")
        content = json.loads(out.read_text())
        self.assertEqual([e["args"]["start_time"] for e in
                          content["traceEvents"] if "Iteration" in e["name"]],
                         ["0.000 us"])
        wanted = [[(e["name"], e["ts"]) for e in
                   self.exact(one)["traceEvents"] if e.get("ph") in "Xi"]
                  for one in (path, out)]
        self.assertEqual(sorted(wanted[0]), sorted(wanted[1]))
        self.assertEqual(len(wanted[0]), 2)

    def test_real_files(self):
        folder = pathlib.Path(TRACES) / "paddle"
        if not folder.is_dir():
            self.skipTest(f"no folder {folder}")
        for path in sorted(folder.glob("*.paddle_trace.*")):
            want = self.say("summary", path)
            base = self.exact(path)["baseTimeNanoseconds"]
            for ending in ENDINGS:
                with self.subTest(trace=path.name, to=ending):
                    out = self.again(path, ending)
                    got = self.say("summary", out)
                    # Times of trees count from 1970.
                    for place in got["memory"] + want["memory"]:
                        place["peak_at_ns"] = 0
                    for table in ("device", "overview", "model", "operator",
                                  "user_defined", "memory"):
                        self.assertEqual(got[table], want[table], table)
                    self.assertEqual(self.exact(out)["baseTimeNanoseconds"],
                                     base)


if __name__ == "__main__":
    STEPSCOPE, TRACES = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
