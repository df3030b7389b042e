#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our figures of torch's traces against those that torch itself stated.

usage: torch_figures_test.py STEPSCOPE FOLDER

An operator inside one of the same name is left out: torch folds some of them
into one call and counts others twice. Skipped without the folder.
"""

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
# Operators of which torch states up to 0.3 % less self CPU time than its own
# trace gives; why is not known.
OFF_IN_SELF = {"torch_resnet50_amp": {
    "aten::_to_copy", "aten::convolution", "aten::cudnn_convolution",
    "aten::add_", "aten::cudnn_batch_norm"}}


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
    operators = {e["name"] for e in trace["traceEvents"]
                 if e.get("cat") == "cpu_op"}
    done = subprocess.run(
        [program, "summary", str(trace_path), "--format", "json"], check=True,
        capture_output=True, text=True, timeout=60)
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
            if key == "self_cpu" and row["key"] in OFF_IN_SELF.get(stem, ()):
                slack = 3e-3 * want
            if abs(want - have) > slack:
                wrong.append(f"{row['key']}: {key} {want}, ours {have}")
    parts = summary["waterfall"]
    if sum(p["time_ns"] for p in parts["parts"]) != parts["step_ns"]:
        wrong.append("the waterfall does not add up")
    print(f"{stem}: {compared} operators compared, {len(wrong)} differ")
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
