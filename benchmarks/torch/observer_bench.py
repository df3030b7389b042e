#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What observing torch's operators costs: plain, under `stepscope run` with
the prebuilt observer and with one compiled against this torch, and under
torch.profiler (CPU activities only).

usage: observer_bench.py STEPSCOPE [--python PYTHON] [--rounds 5]

Each arm is a process of its own, because torch.profiler leaves a residue in
its process. The arms take turns; what is printed are medians over the rounds of
the thread's least processor time, and the ratio to the plain arm of the same
run. "operators" is a loop of one small addition, the worst case: an operator
that does next to nothing. In "gradients" it needs gradients, so that it has a
sequence number to record. "gpt" is the training step of a small transformer.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

WORK = r"""
import json, sys, time
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)


def operators():
    a, b = torch.ones(1), torch.ones(1)

    def once():
        with torch.no_grad():
            for _ in range(500):
                torch.add(a, b)
    return once, 500, 150


def gradients():
    a = torch.ones(1, requires_grad=True)
    b = torch.ones(1)

    def once():
        for _ in range(500):
            torch.add(a, b)
    return once, 500, 150


def gpt():
    d, heads, layers, batch, length = 64, 4, 4, 4, 32
    layer = nn.TransformerEncoderLayer(d, heads, 4 * d, dropout=0.0)
    model = nn.Sequential(nn.Embedding(256, d), nn.TransformerEncoder(
        layer, layers), nn.Linear(d, 256))
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randint(0, 256, (length, batch))

    def once():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(
            model(x).flatten(0, 1), x.flatten())
        loss.backward()
        optimizer.step()
    return once, 1, 30


def best(run, count, rounds):
    times = []
    for _ in range(rounds):
        begin = time.thread_time_ns()
        run()
        times.append(time.thread_time_ns() - begin)
    return min(times) / count


def main():
    time.sleep(0.3)  # whoever attaches has done so
    result = {}
    for make in (operators, gradients, gpt):
        run, count, rounds = make()
        run()  # warm-up
        if sys.argv[1] == "profiler":
            with torch.profiler.profile(
                    activities=[torch.profiler.ProfilerActivity.CPU]):
                result[make.__name__] = best(run, count, rounds)
        else:
            result[make.__name__] = best(run, count, rounds)
    print(json.dumps(result))


main()
"""


def measure(arm, options, script, folder):
    command = [options.python, script, arm]
    environment = dict(os.environ)
    if arm in ("prebuilt", "compiled"):
        environment["STEPSCOPE_TORCH_COMPILE"] = str(int(arm == "compiled"))
        command = [options.stepscope, "run", "--quiet", "--out",
                   tempfile.mkdtemp(dir=folder), "--no-gpu", "--"] + command
    done = subprocess.run(command, check=True, text=True, timeout=600,
                          stdout=subprocess.PIPE, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stepscope")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    found = subprocess.run([options.python, "-c", "import torch"],
                           capture_output=True, check=False)
    if found.returncode != 0:
        print(f"{options.python} has no torch: skipped")
        return 0
    arms = ("plain", "prebuilt", "compiled", "profiler")
    works = (("operators", "ns a small operator", 1),
             ("gradients", "ns with gradients", 1),
             ("gpt", "us a gpt step", 1000))
    times = {arm: {name: [] for name, _, _ in works} for arm in arms}
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "work.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(WORK)
        for _ in range(options.rounds):
            for arm in arms:
                for name, ns in measure(arm, options, script, folder).items():
                    times[arm][name].append(ns)
    print(" " * 12 + "".join(f"{title:>22}" for _, title, _ in works))
    for arm in arms:
        line = f"{arm:12}"
        for name, _, unit in works:
            ns = statistics.median(times[arm][name])
            ratio = ns / statistics.median(times["plain"][name])
            line += f"{ns / unit:.0f} ({ratio:.2f} x)".rjust(22)
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
