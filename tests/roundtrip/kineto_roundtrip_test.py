#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What torch wrote, through `convert --to kineto`: every event of the original
is in the file again, with its category, row, times and arguments; and reading
that file and writing it once more changes nothing.

usage: kineto_roundtrip_test.py STEPSCOPE TRACES
"""

import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
from decimal import Decimal

# Files of torch of 2021, of whole microseconds, with times from 1970, with a
# base; training, a CUDA graph, two ranks.
FILES = ("kineto_2021_resnet50.pt.trace.json.gz", "hta_event_sync.json.gz",
         "hta_nccl.json.gz", "torch_cnn.json.gz", "torch_cuda_graph.json.gz",
         "torch_ddp_gloo_rank0.json.gz", "torch_resnet50_amp.json.gz")
# Of memory events; nothing reads it.
NOT_KEPT = {"Ev Idx", "finished"}


def number(value):
    """A tid of 2021 is a text: "25738", "stream 7"."""
    text = str(value).removeprefix("stream ")
    return int(text) if text.lstrip("-").isdigit() else value


def frozen(value):
    """2.370370 and 2.37037 are the same."""
    return json.dumps(value, sort_keys=True,
                      default=lambda number: str(number.normalize()))


def thread(event):
    """An id of 32 bits that was written as a negative number is positive."""
    tid = number(event["tid"])
    return tid + 2**32 if isinstance(tid, int) and -2**31 <= tid < 0 else tid


def slices(document):
    found = collections.Counter()
    for event in document["traceEvents"]:
        if event["ph"] not in "Xi":
            continue
        args = dict(event.get("args", {}))
        if event["name"] == "[memory]":
            args = {key: value for key, value in args.items()
                    if key not in NOT_KEPT}
        found[event["ph"], event.get("cat"), event["name"], event.get("s"),
              number(event["pid"]), thread(event), event["ts"],
              event.get("dur"), frozen(args)] += 1
    return found


def arrows(document):
    """Those that lead somewhere: Kineto also ends arrows that never began."""
    ends = collections.Counter()
    begun = {(event["cat"], event["id"]) for event in document["traceEvents"]
             if event["ph"] == "s"}
    for event in document["traceEvents"]:
        if event["ph"] in "sf" and (event["cat"], event["id"]) in begun:
            ends[event["ph"], event["cat"], event["name"], event["id"],
                 number(event["pid"]), thread(event),
                 event["ts"]] += 1
    return ends


def without_loose_ends(ends):
    """An arrow that began at a call whose work is not in the file ends
    nowhere."""
    both = ({key[1:4] for key in ends if key[0] == "s"}
            & {key[1:4] for key in ends if key[0] == "f"})
    return {key for key in ends if key[1:4] in both}


def metadata(document):
    return {key: value for key, value in document.items()
            if key not in ("traceEvents", "stepscope")}


def read(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


def convert(stepscope, source, target):
    subprocess.run([stepscope, "convert", source, "--to", "kineto", "-o",
                    target], check=True, stdout=subprocess.DEVNULL)


def check(stepscope, original, folder):
    first, second = folder / "first.json", folder / "second.json"
    convert(stepscope, original, first)
    convert(stepscope, first, second)
    before, after = read(original), read(first)
    name = original.name
    missing = slices(before) - slices(after)
    invented = slices(after) - slices(before)
    assert not missing and not invented, (
        name, list(missing)[:3], list(invented)[:3])
    assert metadata(before) == metadata(after), name
    # A call of the host ends an arrow there; here it begins one.
    ours, theirs = arrows(after), without_loose_ends(arrows(before))
    lost = {key for key in theirs if key not in ours and not (
        key[0] == "f" and ("s", *key[1:]) in ours)}
    assert not lost, (name, list(lost)[:3])
    assert first.read_bytes() == second.read_bytes(), name
    for event in after["traceEvents"]:
        if event["pid"] not in ("Spans", "Traces", ""):
            assert isinstance(event["pid"], int), event
            assert isinstance(event.get("tid", 0), int), event
    print(f"{name}: {sum(slices(after).values())} events the same")


def main():
    stepscope, traces = sys.argv[1], pathlib.Path(sys.argv[2])
    if not traces.is_dir():
        print(f"skipped: no {traces}")
        sys.exit(77)
    for name in FILES:
        with tempfile.TemporaryDirectory() as folder:
            check(stepscope, traces / name, pathlib.Path(folder))


main()
