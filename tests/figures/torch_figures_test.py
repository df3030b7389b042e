#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our figures of torch's traces against those that torch itself stated.

usage: torch_figures_test.py STEPSCOPE FOLDER

An operator inside one of the same name is left out: torch folds some of them
into one call and counts others twice. Skipped without the folder.

Self CPU time differs by definition where a thread without operators calls the
device's API, as the one that pins memory does: torch counts such calls to the
stepping thread, inside whatever goes on there at the time. What that takes
from an operator is computed here from the trace, and has to be the difference.
"""

import collections
import gzip
import json
import pathlib
import subprocess
import sys

FIGURES = {  # torch's key: ours
    "count": lambda row: row["calls"],
    "cpu_total": lambda row: row["cpu"]["total_ns"] / 1e3,
    "self_cpu": lambda row: row["self_cpu_ns"] / 1e3,
    "dev_total": lambda row: row["gpu"]["total_ns"] / 1e3,
    "self_dev": lambda row: row["self_gpu_ns"] / 1e3,
}
ROUNDING_US = 0.002  # torch's sums are doubles of numbers with three decimals
CALLS = ("cuda_runtime", "cuda_driver")
HOST = ("cpu_op", "user_annotation", *CALLS)


def spans(trace):
    """Host events as (thread, begin, end, name, category), in ns."""
    for event in trace["traceEvents"]:
        if event.get("cat") not in HOST or event.get("ph") != "X":
            continue
        begin = round(event["ts"] * 1000)
        yield (event["tid"], begin, begin + round(event["dur"] * 1000),
               event["name"], event["cat"])


def self_times(events):
    """Time of the events less that of their children, by name."""
    result = collections.Counter()
    stack = []
    for thread, begin, end, name, _ in sorted(
            events, key=lambda e: (str(e[0]), e[1], -e[2])):
        # As torch does it: what outlives an event is no child of it.
        while stack and (stack[-1][0] != thread or begin >= stack[-1][1] or
                         end > stack[-1][1]):
            stack.pop()
        if stack:
            result[stack[-1][2]] -= end - begin
        result[name] += end - begin
        stack.append((thread, end, name))
    return result


def taken_by_other_threads(trace):
    """Self time that torch takes from operators, by name, in ns; and how many
    calls of threads without operators there are."""
    events = list(spans(trace))
    with_operators = {e[0] for e in events if e[4] == "cpu_op"}
    steps = collections.Counter(
        e[0] for e in events if e[3].startswith("ProfilerStep"))
    stepping = steps.most_common(1)[0][0] if steps else None
    foreign = sum(e[0] not in with_operators for e in events)
    if stepping is None or foreign == 0:
        return collections.Counter(), 0
    moved = [e if e[0] in with_operators else (stepping, *e[1:])
             for e in events]
    taken = self_times(events)
    taken.subtract(self_times(moved))
    return taken, foreign


def self_nested(trace):
    """Names of operators that occur inside one of the same name."""
    events = [e for e in trace["traceEvents"] if e.get("cat") == "cpu_op"]
    events.sort(key=lambda e: (e["tid"], e["ts"], -e["dur"]))
    names = set()
    stack = []
    for event in events:
        key = (event["tid"], event["ts"] + event["dur"], event["name"])
        while stack and (stack[-1][0] != key[0] or stack[-1][1] <= event["ts"]):
            stack.pop()
        if any(open_[2] == event["name"] for open_ in stack):
            names.add(event["name"])
        stack.append(key)
    return names


def check(program, trace_path):
    stem = trace_path.name.removesuffix(".json.gz")
    stated = json.loads(
        (trace_path.parent / f"{stem}.key_averages.json").read_text())
    with gzip.open(trace_path) as file:
        trace = json.load(file)
    nested = self_nested(trace)
    taken, foreign = taken_by_other_threads(trace)
    operators = {e["name"] for e in trace["traceEvents"]
                 if e.get("cat") == "cpu_op"}
    done = subprocess.run(
        [program, "summary", str(trace_path), "--format", "json"], check=True,
        capture_output=True, text=True, timeout=240)
    summary = json.loads(done.stdout)
    ours = {row["name"]: row for row in summary["operator"]}
    compared, wrong = 0, []
    for row in stated:
        if row["dev_type"] != "DeviceType.CPU" or row["key"] in nested:
            continue
        if row["key"] not in ours:
            if row["key"] in operators:
                wrong.append(f"{row['key']}: not in our table")
            continue
        compared += 1
        for key, value in FIGURES.items():
            want, have = row[key], value(ours[row["key"]])
            slack = 0 if key == "count" else ROUNDING_US
            if key == "self_cpu":
                have -= taken[row["key"]] / 1e3
            if abs(want - have) > slack:
                wrong.append(f"{row['key']}: {key} {want}, ours {have}")
    parts = summary["waterfall"]
    if sum(p["time_ns"] for p in parts["parts"]) != parts["step_ns"]:
        wrong.append("the waterfall does not add up")
    print(f"{stem}: {compared} operators compared, {len(wrong)} differ, "
          f"{foreign} calls of threads without operators")
    for line in wrong:
        print("  " + line)
    return compared >= 8 and not wrong


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    traces = [path for path in sorted(folder.glob("torch_*.json.gz"))
              if (folder / path.name.replace(".json.gz",
                                             ".key_averages.json")).exists()]
    if not traces:
        print(f"skipped: no traces in {folder}")
        return 77
    return 0 if all([check(program, path) for path in traces]) else 1


if __name__ == "__main__":
    sys.exit(main())
