# SPDX-License-Identifier: Apache-2.0
"""Checks the Python package on a GPU, with programs that know nothing of it but
the Profiler: the tables of a training beside torch.profiler's, how long stop()
takes, torch.compile, and two processes of DistributedDataParallel on one GPU.

usage: package.py FOLDER
       package.py --torch       the same training under torch.profiler, as JSON

Prints a line per check: name, figure, bound and verdict, with tabs between.
Captures and summaries are left in FOLDER. tools/gpu_check runs it.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import stepscope

STAGES = ("Dataloader", "Forward", "Backward", "Optimization")


def say(name, figure, bound="", good=None):
    verdict = "" if good is None else ("ok" if good else "FAILED")
    print(name, figure, bound, verdict, sep="\t", flush=True)


def network():
    return nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32),
                         nn.ReLU(), nn.Flatten(), nn.Linear(32 * 1024, 10))


def batches(count, size=32):
    images = torch.randn(count * size, 3, 32, 32)
    labels = torch.randint(0, 10, (count * size,))
    return DataLoader(TensorDataset(images, labels), batch_size=size)


def train(model, loader, profiler):
    """One epoch, a step of the profiler per batch."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    loss = nn.CrossEntropyLoss()
    for images, labels in loader:
        optimizer.zero_grad()
        loss(model(images.cuda()), labels.cuda()).backward()
        optimizer.step()
        profiler.step()
    torch.cuda.synchronize()


def profiled(model, loader, capture):
    """Trains under stepscope.Profiler; the document of `summary`."""
    profiler = stepscope.Profiler(
        targets=[stepscope.ProfilerTarget.CPU, stepscope.ProfilerTarget.GPU],
        on_trace_ready=lambda prof: prof.export(capture, "capture"))
    with profiler:
        train(model, loader, profiler)
    return summary(capture)


def summary(capture):
    text = subprocess.run(
        ["stepscope", "summary", "--format", "json", "--views", "all", capture],
        stdout=subprocess.PIPE, check=True).stdout
    return json.loads(text)


def check_stages(name, document, steps):
    calls = {row["name"]: row["calls"] for row in document["model"]}
    found = " ".join(f"{stage} {calls.get(stage, 0)}" for stage in STAGES)
    say(f"{name}, stages", found, f"all in {steps} steps",
        all(calls.get(stage, 0) >= steps - 1 for stage in STAGES))


def check_tables(folder):
    """Operators and their GPU time beside torch.profiler's."""
    model = network().cuda()
    train(model, batches(3), _NoProfiler())  # warm
    loader = batches(8)
    document = profiled(model, loader, os.path.join(folder, "tables.sscap"))
    check_stages("training", document, 8)
    # CUPTI has room for one profiler in a process.
    theirs = json.loads(subprocess.run(
        [sys.executable, os.path.abspath(__file__), "--torch"],
        stdout=subprocess.PIPE, check=True).stdout.splitlines()[-1])
    mine = {row["name"]: row for row in document["operator"]}
    same = wrong = 0
    for name, calls in theirs["operators"].items():
        row = mine.get(name)
        if row is None or row["calls"] != calls:
            wrong += 1
            print(f"{name}: {row and row['calls']} calls, torch.profiler "
                  f"{calls}", file=sys.stderr)
        else:
            same += 1
    say("operators on the GPU with torch.profiler's calls",
        f"{same} of {same + wrong}", "all", wrong == 0 and same > 5)
    total = sum(row["gpu"]["total_ns"] for row in document["kernel"])
    ratio = total / 1e3 / theirs["kernel_us"]
    # Two runs of the same steps, not one run seen twice.
    say("kernel time / torch.profiler's", f"{ratio:.3f}", "0.9..1.1",
        0.9 <= ratio <= 1.1)


def print_torch():
    """What torch.profiler says of the training of check_tables."""
    model = network().cuda()
    train(model, batches(3), _NoProfiler())  # warm
    loader = batches(8)
    with torch.profiler.profile() as theirs:
        train(model, loader, _NoProfiler())
    events = theirs.key_averages()
    operators = {event.key: event.count for event in events
                 if event.key.startswith("aten::") and event.device_time_total}
    kernel_us = sum(
        event.self_device_time_total for event in events
        if event.device_type == torch.autograd.DeviceType.CUDA
        and not getattr(event, "is_user_annotation", False)
        and not event.key.startswith(("Memcpy", "Memset")))
    print(json.dumps({"operators": operators, "kernel_us": kernel_us}))


def check_stop(folder):
    """How long the program waits at the end of a window."""
    model, capture = network().cuda(), os.path.join(folder, "stop.sscap")
    times = []
    for _ in range(13):
        profiler = stepscope.Profiler(
            targets=[stepscope.ProfilerTarget.CPU,
                     stepscope.ProfilerTarget.GPU],
            on_trace_ready=lambda prof: prof.export(capture, "capture"))
        profiler.start()
        train(model, batches(2), profiler)
        begin = time.perf_counter()
        profiler.stop()
        times.append((time.perf_counter() - begin) * 1e3)
    times = sorted(times[1:])  # the first one loads what it needs
    middle = statistics.median(times)
    say("stop() of a window", f"{middle:.1f} ms ({times[0]:.1f} to "
        f"{times[-1]:.1f})", "<= 10 ms", middle <= 10)


class _NoProfiler:
    def step(self):
        pass


def graphs_of(profiler, capture=None):
    """(graphs, breaks, model) of a compiled network that is trained."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    model = torch.compile(network().cuda(), backend="aot_eager")
    if profiler:
        document = profiled(model, batches(6), capture)
    else:
        document = None
        train(model, batches(6), _NoProfiler())
    counters = torch._dynamo.utils.counters
    return (counters["stats"]["unique_graphs"],
            sum(counters["graph_break"].values()), document)


def check_compile(folder):
    without = graphs_of(False)
    with_it = graphs_of(True, os.path.join(folder, "compiled.sscap"))
    say("torch.compile, graphs and breaks", f"{with_it[0]}, {with_it[1]}",
        f"{without[0]}, {without[1]}", with_it[:2] == without[:2])
    check_stages("torch.compile", with_it[2], 6)


DDP = '''
import os, sys
import torch
import torch.distributed as dist
sys.path.insert(0, sys.argv[1])
import package
dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(package.network().cuda())
package.profiled(model, package.batches(6),
                 os.path.join(sys.argv[2], f"ddp{dist.get_rank()}.sscap"))
dist.destroy_process_group()
'''


def check_ddp(folder):
    with tempfile.TemporaryDirectory() as scratch:
        script = os.path.join(scratch, "ddp.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(DDP)
        here = os.path.dirname(os.path.abspath(__file__))
        environment = {**os.environ, "MASTER_ADDR": "127.0.0.1",
                       "MASTER_PORT": "29511", "WORLD_SIZE": "2"}
        ranks = [subprocess.Popen([sys.executable, script, here, folder],
                                  env={**environment, "RANK": str(rank)})
                 for rank in range(2)]
        codes = [rank.wait(300) for rank in ranks]
    say("DDP, exit status of the ranks", f"{codes}", "[0, 0]",
        codes == [0, 0])
    for rank in range(2):
        document = summary(os.path.join(folder, f"ddp{rank}.sscap"))
        check_stages(f"DDP rank {rank}", document, 6)
        spent = (document["distribution"] or {}).get("communication_ns", 0)
        say(f"DDP rank {rank}, communication", f"{spent / 1e6:.2f} ms", "> 0",
            spent > 0)


def main():
    if sys.argv[1] == "--torch":
        print_torch()
        return
    folder = sys.argv[1]
    check_tables(folder)
    check_stop(folder)
    check_compile(folder)
    check_ddp(folder)


if __name__ == "__main__":
    main()
