#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the options of stepscope.torch.profile cost, beside those of
torch.profiler.profile.

usage: profile_bench.py [--rounds 5]     with stepscope and torch installed

A training step of a small model, under each of the two with no option,
with_stack, profile_memory and record_shapes. Each arm is a process of its own,
because torch.profiler leaves a residue in its process; arms take turns. Shown
are medians over the rounds of the thread's least processor time for a step,
and the ratio of what ours adds to what torch's adds.
"""

import argparse
import statistics
import subprocess
import sys

OPTIONS = ("", "with_stack", "profile_memory", "record_shapes")
STEPS = 150

WORK = r"""
import contextlib, importlib, sys, time
import torch

module, option, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.set_num_threads(1)
torch.manual_seed(0)
model = torch.nn.Sequential(*[
    torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(),
                        torch.nn.LayerNorm(32)) for _ in range(8)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(8, 32)


def step():
    optimizer.zero_grad()
    model(batch).sum().backward()
    optimizer.step()


def record():
    if module == "plain":
        return contextlib.nullcontext()
    profiler = importlib.import_module(module)
    return profiler.profile(activities=[profiler.ProfilerActivity.CPU],
                            **({option: True} if option else {}))


for _ in range(5):
    step()
least = float("inf")
with record():
    for _ in range(steps):
        begin = time.thread_time()
        step()
        least = min(least, time.thread_time() - begin)
print(least * 1e6)
"""


def measure(module, option):
    done = subprocess.run(
        [sys.executable, "-c", WORK, module, option, str(STEPS)], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return float(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    arms = [("plain", "")] + [(module, option) for option in OPTIONS
                              for module in ("torch.profiler",
                                             "stepscope.torch")]
    times = {arm: [] for arm in arms}
    for _ in range(rounds):
        for arm in arms:
            times[arm].append(measure(*arm))
    medians = {arm: statistics.median(found) for arm, found in times.items()}
    plain = medians["plain", ""]
    print(f"a step without a profiler: {plain:.0f} us")
    for option in OPTIONS:
        theirs = medians["torch.profiler", option] - plain
        ours = medians["stepscope.torch", option] - plain
        print(f"{option or 'no option':<15} torch.profiler +{theirs:.0f} us, "
              f"stepscope.torch +{ours:.0f} us, ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
