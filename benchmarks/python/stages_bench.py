#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs torch that its stages are recorded.

usage: stages_bench.py [ROUNDS]     with stepscope and torch installed

A loop over small modules, and a small training step, in three states that take
turns: stepscope imported and no Profiler running ("off"), a Profiler that
records ("on"), one that also records modules ("modules"). Shown are medians of
CPU times of the thread as ratios to "bare": a process that never imports
stepscope, run before and after.
"""

import statistics
import subprocess
import sys
import tempfile
import time

LOOPS = {"module call": 20000, "training step": 200}


def work():
    import torch
    from torch import nn

    torch.set_num_threads(1)
    module, x = nn.Identity(), torch.ones(1)
    net = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    batch = torch.ones(8, 16)

    def calls():
        for _ in range(LOOPS["module call"]):
            module(x)

    def steps():
        for _ in range(LOOPS["training step"]):
            optimizer.zero_grad()
            net(batch).sum().backward()
            optimizer.step()

    return {"module call": calls, "training step": steps}


def measure(function):
    begin = time.thread_time_ns()
    function()
    return time.thread_time_ns() - begin


def medians(functions, rounds):
    for function in functions.values():
        function()
    return {name: statistics.median(measure(function) for _ in range(rounds))
            for name, function in functions.items()}


def bare(rounds):
    said = subprocess.run([sys.executable, __file__, "bare", str(rounds)],
                          check=True, stdout=subprocess.PIPE, text=True)
    return [float(word) for word in said.stdout.split()]


def main():
    if sys.argv[1:2] == ["bare"]:
        print(*medians(work(), int(sys.argv[2])).values())
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 31
    before = bare(rounds)
    import stepscope

    functions = work()
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for state in ("off", "on", "modules"):
                prof = stepscope.Profiler(
                    targets=[stepscope.ProfilerTarget.CPU], quiet=True,
                    with_modules=state == "modules",
                    on_trace_ready=stepscope.export_capture(folder))
                if state != "off":
                    prof.start()
                for name, function in functions.items():
                    times.setdefault((name, state), []).append(
                        measure(function))
                if state != "off":
                    prof.stop()
    after = bare(rounds)
    for at, (name, loops) in enumerate(LOOPS.items()):
        floor = (before[at] + after[at]) / 2
        print(f"{name}: bare {floor / loops:.0f} ns")
        for state in ("off", "on", "modules"):
            ns = statistics.median(times[name, state])
            print(f"  {state:8} x{ns / floor:.3f}  "
                  f"{(ns - floor) / loops:+.0f} ns")


if __name__ == "__main__":
    main()
