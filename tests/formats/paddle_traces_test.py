#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Paddle 2.6 and 3.3 wrote of one run, as JSON and as a node tree.

usage: paddle_traces_test.py STEPSCOPE TRACES
"""

import collections
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

STEPSCOPE = sys.argv[1]
TRACES = pathlib.Path(sys.argv[2]) / "paddle"
VERSIONS = ("26", "33")
MINUTE_NS = 60 * 10**9


def run(*args):
    done = subprocess.run([STEPSCOPE, *map(str, args)], capture_output=True,
                          timeout=120, check=True)
    return done.stdout


def trace(version, ending):
    return TRACES / f"paddle{version}_cnn.paddle_trace.{ending}"


def summary(path):
    return json.loads(run("summary", path, "--format", "json"))


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def micros(time_ns):
    """As Paddle writes it: with single precision."""
    return f"{single(time_ns / 1000):.3f}"


def exact_times(path, folder):
    """(name, duration) of each event -> its starts in ns, in order."""
    out = folder / "exact.json"
    run("convert", path, "--to", "chrome", "-o", out)
    times = collections.defaultdict(list)
    content = json.loads(out.read_text(), parse_float=str)
    for event in content["traceEvents"]:
        if event.get("ph") == "X":
            key = (event["name"], int(event["dur"].replace(".", "")))
            times[key].append(int(str(event["ts"]).replace(".", "")))
    for starts in times.values():
        starts.sort()
    return times


class PaddleTraces(unittest.TestCase):
    def test_json_and_tree_say_the_same(self):
        for version in VERSIONS:
            text = summary(trace(version, "json.gz"))
            tree = summary(trace(version, "pb"))
            for one in (text, tree):
                self.assertEqual(one["ledger"]["seen"], one["ledger"]["kept"])
                self.assertGreater(one["ledger"]["kept"], 4000)
            self.assertGreater(len(text["operator"]), 20)
            for table in ("overview", "model", "operator", "user_defined"):
                self.assertEqual(text[table], tree[table], table)
            self.assertEqual(len(text["steps"]), len(tree["steps"]))
            rows = [{(row["name"], row["type"]): row
                     for row in one["memory"][0]["rows"]}
                    for one in (text, tree)]
            self.assertEqual(rows[0], rows[1])
            for key in ("place", "peak_allocated_bytes", "peak_reserved_bytes",
                        "stated_peak_allocated_bytes",
                        "stated_peak_reserved_bytes"):
                self.assertEqual([row[key] for row in text["memory"]],
                                 [row[key] for row in tree["memory"]])

    def test_a_window_of_a_minute(self):
        """All but the first step a minute later, as Paddle would write it."""
        for version in VERSIONS:
            with tempfile.TemporaryDirectory() as name:
                self.check_late(version, pathlib.Path(name))

    def check_late(self, version, folder):
        content = json.loads(gzip.open(trace(version, "json.gz")).read())
        starts = exact_times(trace(version, "pb"), folder)
        events = content["traceEvents"]
        slices = [event for event in events if event.get("ph") == "X"]
        order = collections.defaultdict(list)
        for event in slices:
            name = event["name"][:event["name"].rindex("[")]
            order[(name, round(event["dur"] * 1000))].append(event)
        begin = {}
        for key, same in order.items():
            same.sort(key=lambda event: event["ts"])
            self.assertEqual(len(same), len(starts[key]), key)
            for event, start in zip(same, starts[key]):
                begin[id(event)] = start
        first = min(begin.values())
        base_us = min(event["ts"] for event in slices)
        second_us = sorted(event["ts"] for event in slices
                           if event["cat"] == "ProfileStep")[1]
        for event in events:
            if "ts" not in event:
                continue
            late = MINUTE_NS if event["ts"] >= second_us else 0
            if event["ph"] != "X":
                event["ts"] += late // 1000
                continue
            start = begin[id(event)] + late
            # The microsecond of the first event begins 417 ns before it.
            event["ts"] = base_us + (start - first + 417) // 1000
            dur = round(event["dur"] * 1000)
            event["args"]["start_time"] = micros(start - first) + " us"
            event["args"]["end_time"] = micros(start - first + dur) + " us"
        late = folder / "late.paddle_trace.json"
        late.write_text(json.dumps(content))
        want = summary(trace(version, "pb"))
        got = summary(late)
        for table in ("model", "user_defined"):
            self.assertEqual(got[table], want[table], table)
        for row, other in zip(got["operator"], want["operator"]):
            self.assertEqual(row["name"], other["name"])
            self.assertEqual(row["calls"], other["calls"], row["name"])
            self.assertEqual(row["cpu"], other["cpu"], row["name"])
            inner = {one["name"]: one for one in row["inner"]}
            self.assertEqual(inner, {one["name"]: one
                                     for one in other["inner"]}, row["name"])


if __name__ == "__main__":
    if not TRACES.is_dir():
        print(f"skipped: no traces of Paddle in {TRACES}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
