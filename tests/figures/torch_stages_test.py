#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stages of torch's traces, which torch does not record, and how much of
the communication of one is hidden.

usage: torch_stages_test.py STEPSCOPE FOLDER

Every step has one forward and one backward pass; both are marked as concluded;
the parts of the Model table add up to the steps. One trace has ranges of its
author around the passes: ours are held to them. Skipped without the folder.
"""

import gzip
import json
import pathlib
import subprocess
import sys

TRACES = ("torch_cnn.json.gz", "torch_resnet50_amp.json.gz",
          "kineto_2021_resnet50.pt.trace.json.gz",
          "torch_ddp_gloo_rank0.json.gz", "torch_ddp_gloo_rank1.json.gz",
          "hta_nccl.json.gz")
ANNOTATED = "hta_nccl.json.gz"


def model_of(stepscope, path):
    out = subprocess.run(
        [stepscope, "summary", str(path), "--views", "model", "--format",
         "json"], check=True, capture_output=True, timeout=300).stdout
    return {row["name"]: row for row in json.loads(out)["model"]}


def check_passes(name, model):
    problems = []
    steps = model["ProfileStep"]
    for stage in ("Forward", "Backward"):
        row = model.get(stage)
        if row is None:
            problems.append(f"{name}: no {stage}")
            continue
        if row["calls"] != steps["calls"]:
            problems.append(f"{name}: {row['calls']} calls of {stage} in "
                            f"{steps['calls']} steps")
        if not row["inferred"]:
            problems.append(f"{name}: {stage} is not marked as concluded")
        if row["cpu"]["min_ns"] <= 0:
            problems.append(f"{name}: a {stage} of no length")
    for side in ("cpu", "gpu"):
        parts = [row[side]["total_ns"] for stage, row in model.items()
                 if stage != "ProfileStep"]
        if min(parts) < 0:
            problems.append(f"{name}: a negative {side} time: {parts}")
        if sum(parts) != steps[side]["total_ns"]:
            problems.append(f"{name}: {side} times add up to {sum(parts)}, "
                            f"not to {steps[side]['total_ns']}")
    return problems


def check_annotations(path, model):
    """Ours lie within the author's ranges, which hold Python code as well."""
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    problems = []
    for name, stage, least in (("## forward ##", "Forward", 0.97),
                               ("## backward ##", "Backward", 0.8)):
        theirs = sum(event["dur"] * 1e3 for event in events
                     if event.get("name") == name
                     and event.get("cat") == "user_annotation")
        ours = model[stage]["cpu"]["total_ns"]
        if not least * theirs <= ours <= 1.01 * theirs:
            problems.append(f"{stage}: {ours} ns, where {name} has {theirs}")
    return problems


def union(spans):
    """Sorted ranges that do not touch."""
    result = []
    for begin, end in sorted(spans):
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([begin, end])
    return result


def check_overlap(stepscope, path):
    """HTA: communicating kernels that lie under others, by all of them."""
    with gzip.open(path) as file:
        kernels = [event for event in json.load(file)["traceEvents"]
                   if event.get("cat") == "kernel"]
    spans = {True: [], False: []}
    for event in kernels:
        begin = round(event["ts"] * 1000)
        spans["nccl" in event["name"].lower()].append(
            (begin, begin + round(event["dur"] * 1000)))
    communication, computation = union(spans[True]), union(spans[False])
    total = sum(end - begin for begin, end in communication)
    hidden = sum(max(0, min(a[1], b[1]) - max(a[0], b[0]))
                 for a in communication for b in computation)
    out = subprocess.run(
        [stepscope, "summary", str(path), "--views", "distribution",
         "--format", "json"], check=True, capture_output=True,
        timeout=300).stdout
    ours = json.loads(out)["distribution"]
    problems = []
    if abs(ours["device_overlap_ratio"] - hidden / total) > 1e-4:
        problems.append(f"overlap: {ours}, wanted {hidden} of {total} ns")
    if round(ours["device_overlap_ratio"], 3) != 0.156:  # as HTA states it
        problems.append(f"overlap: {ours['device_overlap_ratio']}")
    return problems


def main():
    stepscope, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if not folder.is_dir():
        print(f"skipped: {folder} is not here")
        return 77
    problems = []
    for name in TRACES:
        model = model_of(stepscope, folder / name)
        problems += check_passes(name, model)
        if name == ANNOTATED:
            problems += check_annotations(folder / name, model)
            problems += check_overlap(stepscope, folder / name)
    print("\n".join(problems) or f"{len(TRACES)} traces, 0 problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
