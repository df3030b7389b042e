#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The real torch-tb-profiler and Holistic Trace Analysis: on torch's own traces
through `convert --to kineto` they find the figures of the original; on what
stepscope.torch writes, the names and calls that torch's profiler states.

usage: torch_tools_test.py STEPSCOPE PACKAGE TRACES TOOLS
"""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
TRACES = ("kineto_2021_resnet50.pt.trace.json.gz", "hta_event_sync.json.gz",
          "hta_nccl.json.gz", "torch_cnn.json.gz", "torch_cuda_graph.json.gz",
          "torch_ddp_gloo_rank0.json.gz", "torch_resnet50_amp.json.gz")
# torch's record_function allocates a tensor for its own use.
OF_RECORD_FUNCTION = {"aten::zeros", "aten::empty", "aten::zero_"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def figures(tools, folder, *paths):
    done = subprocess.run(
        [sys.executable, HERE / "figures.py", folder, *paths], check=False,
        env={**os.environ, "PYTHONPATH": str(tools)}, capture_output=True,
        text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def check_torchs_own(stepscope, traces, tools, folder):
    for name in TRACES:
        converted = folder / f"converted_{name}"
        subprocess.run([stepscope, "convert", traces / name, "--to", "kineto",
                        "-o", converted], check=True,
                       stdout=subprocess.DEVNULL)
        before, after = figures(tools, folder, traces / name, converted)
        for tool, stated in before.items():
            for figure, value in stated.items():
                assert after[tool][figure] == value, (name, tool, figure)
        print(f"{name}: {sum(map(len, before.values()))} kinds of figures "
              f"are equal, {len(before['tensorboard']['operators'])} "
              "operators by shape")


def check_sees_a_difference(traces, tools, folder):
    """A kernel that takes a millisecond longer."""
    document = json.loads(gzip.decompress(
        (traces / "torch_cuda_graph.json.gz").read_bytes()))
    original, altered = folder / "original.json", folder / "altered.json"
    original.write_text(json.dumps(document))
    kernel = next(event for event in document["traceEvents"]
                  if event.get("cat") == "kernel")
    kernel["dur"] += 1000
    altered.write_text(json.dumps(document))
    before, after = figures(tools, folder, original, altered)
    for tool, figure in (("tensorboard", "kernels"), ("hta", "sums"),
                         ("hta", "get_gpu_kernel_breakdown")):
        assert before[tool][figure] != after[tool][figure], figure


def python_with_torch():
    ask = ("import importlib.util as u; "
           "raise SystemExit(not u.find_spec('torch'))")
    for program in (sys.executable, "/usr/bin/python3", "python3"):
        if shutil.which(program) and subprocess.run(
                [program, "-I", "-c", ask], check=False,
                stderr=subprocess.DEVNULL).returncode == 0:
            return program
    return None


def check_live(package, tools, folder):
    program = python_with_torch()
    if program is None:
        print("no Python here has torch: no live recording was compared")
        return
    subprocess.run([program, HERE / "live.py", folder], check=True,
                   env={**os.environ, "PYTHONPATH": str(package)},
                   stderr=subprocess.DEVNULL)
    (trace,) = (folder / "log").iterdir()
    stated = json.loads((folder / "stated.json").read_text())
    (answer,) = figures(tools, folder, trace)
    calls, steps = answer["tensorboard"]["calls"], stated.pop("ProfilerStep*")
    assert len(answer["tensorboard"]["steps"]) == steps == 3, answer
    assert len(answer["hta"]["steps"]) == steps, answer["hta"]["steps"]
    counted = {name: count for category, name, count, _
               in answer["hta"]["sums"] if category == "cpu_op"}
    assert len(calls) > 30
    for name, count in stated.items():
        if name in OF_RECORD_FUNCTION or "#" in name:
            continue
        assert calls.pop(name) == count, (name, count)
        # HTA counts an operator that calls itself twice.
        assert counted.pop(name) >= count, (name, count)
    assert set(calls) <= OF_RECORD_FUNCTION, calls
    assert set(counted) <= OF_RECORD_FUNCTION, counted
    print(f"live: {len(stated)} names with the calls that torch states")


def main():
    stepscope = sys.argv[1]
    package, traces, tools = (pathlib.Path(name).resolve()
                              for name in sys.argv[2:])
    if not tools.is_dir():
        skip(f"no {tools}; tools/bootstrap peers fetches it")
    if not traces.is_dir():
        skip(f"no {traces}")
    with tempfile.TemporaryDirectory() as folder:
        check_sees_a_difference(traces, tools, pathlib.Path(folder))
        check_live(package, tools, pathlib.Path(folder))
        check_torchs_own(stepscope, traces, tools, pathlib.Path(folder))


main()
