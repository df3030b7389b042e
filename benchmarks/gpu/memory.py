# SPDX-License-Identifier: Apache-2.0
"""Checks the recording of memory on a GPU: peaks to the byte beside what torch
itself says, a leak and a hole by their lines, the report of a real out of
memory, and what it costs.

usage: memory.py FOLDER [ROUNDS]

Needs `stepscope` on PATH and the package on PYTHONPATH; tools/gpu_check runs
it. Prints a line per check: name, figure, bound and verdict, with tabs between.
Takes about a minute. Captures are left in FOLDER.
"""

import json
import os
import statistics
import subprocess
import sys

MIB = 1 << 20
STEPS = 8
KEPT = []
HERE = os.path.abspath(__file__)


def say(name, figure, bound="", good=None):
    verdict = "" if good is None else ("ok" if good else "FAILED")
    print(name, figure, bound, verdict, sep="\t", flush=True)


def line_of(mark):
    """The line of this file that ends with a mark."""
    with open(HERE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.rstrip().endswith("# " + mark):
                return number
    raise LookupError(mark)


# The programs -----------------------------------------------------------------

def train(end_step=lambda: None):
    """A training that keeps something in every step, and at its end asks for
    more than any of the holes it has made."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True)
    model = nn.Sequential(nn.Embedding(1000, 256),
                          nn.TransformerEncoder(layer, 3),
                          nn.Linear(256, 1000)).cuda()
    x = torch.randint(0, 1000, (16, 128), device="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loss = nn.CrossEntropyLoss()
    for _ in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        loss(model(x).flatten(0, 1), x.flatten()).backward()
        KEPT.append(torch.zeros(MIB // 4, device="cuda"))  # the leak
        optimizer.step()
        end_step()
    blocks = [torch.empty(24 * MIB, dtype=torch.uint8, device="cuda")
              for _ in range(8)]
    del blocks[::2]
    options = {"dtype": torch.uint8, "device": "cuda"}
    KEPT.append(torch.empty(40 * MIB, **options))  # the hole
    torch.cuda.synchronize()
    return torch


def print_peaks(torch):
    print(json.dumps([torch.cuda.max_memory_allocated(),
                      torch.cuda.max_memory_reserved()]), flush=True)


def package(capture, stacks):
    import stepscope

    profiler = stepscope.Profiler(
        profile_memory=True, memory_stacks=stacks, quiet=True,
        on_trace_ready=lambda prof: prof.export(capture, "capture"))
    with profiler:
        torch = train(profiler.step)
    print_peaks(torch)


def out_of_memory():
    import torch

    torch.cuda.set_per_process_memory_fraction(0.02)
    options = {"dtype": torch.uint8, "device": "cuda"}
    cache = []
    while True:
        cache.append(torch.empty(300_000_000, **options))  # no more


# The checks -------------------------------------------------------------------

def stepscope(*arguments):
    return subprocess.run(["stepscope", *map(str, arguments)], text=True,
                          stdout=subprocess.PIPE, check=True).stdout


def program(*arguments, run=None):
    command = [sys.executable, HERE, *map(str, arguments)]
    if run is not None:
        command = ["stepscope", "run", *map(str, run), "--", *command]
    return subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


def tables(path):
    return json.loads(stepscope(
        "summary", "--format", "json", "--views",
        "memory_peak,memory_growth,memory_segments,memory_lifetimes", path))


def check_training(name, done, path, stacks):
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        say(f"{name}, exit status", done.returncode, "0", False)
        return
    said = [line for line in done.stderr.splitlines() if "stepscope:" in line]
    print("\n".join(said), file=sys.stderr)
    allocated, reserved = json.loads(done.stdout.splitlines()[-1])
    found = tables(path)
    top = found["memory_peak"]
    devices = [top, *top.get("others", [])] if top else []
    gpu = next((row for row in devices if row["device"] == "gpu:0"), {})
    for what, theirs in (("allocated", allocated), ("reserved", reserved)):
        ours = gpu.get(f"{what}_bytes")
        say(f"{name}, peak {what}", f"{ours} by torch {theirs}", "equal",
            ours == theirs)
    held = sum(row["bytes"] for row in gpu.get("live", []))
    say(f"{name}, held at the peak", held, f"{allocated}", held == allocated)
    growth = [row for row in found["memory_growth"]
              if row["bytes_per_step"] >= MIB
              and row["name"] != "the process"]
    lines = [row.get("line") or row["name"] for row in growth]
    leak = f"memory.py:{line_of('the leak')}"
    say(f"{name}, the leak", ", ".join(lines) or "not found",
        leak if stacks else "1 row",
        any(line.endswith(leak) for line in lines) if stacks
        else len(growth) == 1)
    hole = f"memory.py:{line_of('the hole')}"
    forced = [row for row in found["memory_segments"]
              if row["asked_bytes"] == 40 * MIB]
    lines = [row.get("line") or row["name"] for row in forced]
    say(f"{name}, the hole", ", ".join(lines) or "not found",
        hole if stacks else "1 row",
        any(line.endswith(hole) for line in lines) if stacks
        else len(forced) == 1)


def check_out_of_memory(folder):
    out = os.path.join(folder, "oom")
    done = program("out_of_memory", run=("--memory-stacks", "--out", out))
    print(done.stderr, file=sys.stderr)
    say("out of memory, exit status", done.returncode, "1",
        done.returncode == 1)
    say("out of memory, the program's own exception",
        "OutOfMemoryError" in done.stderr, "True",
        "OutOfMemoryError" in done.stderr)
    line = next((line for line in done.stderr.splitlines()
                 if "is out of memory" in line), "")
    path = line.rpartition(" ")[2]
    say("out of memory, one line names a file", path or "none", "a file",
        os.path.isfile(path))
    if not os.path.isfile(path):
        return
    advice = stepscope("advise", path)
    whatif = stepscope("whatif", "--memory", "--device-memory", "4GiB", path)
    print(advice, whatif, sep="\n", file=sys.stderr)
    where = f"memory.py:{line_of('no more')}"
    say("out of memory, the line", where, "in the advice", where in advice)
    say("out of memory, the replay", whatif.splitlines()[0], "the same",
        "reserves the same" in whatif)


class Arm:
    """A process that trains on command: benchmarks/gpu/train.py."""

    def __init__(self, *before):
        train_py = os.path.join(os.path.dirname(HERE), "train.py")
        self.process = subprocess.Popen(
            [*before, sys.executable, train_py, "gpt", "plain", "-"],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.times = []

    def ask(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def turn(self):
        self.times.append(float(self.ask("20")))


def check_cost(folder, rounds):
    """Of a GPT step that is bound by launches, in turns."""
    arms = {"plain": Arm(), "plain again": Arm()}
    for name, options in (("run", []), ("run --memory", ["--memory"]),
                          ("run --memory-stacks", ["--memory-stacks"])):
        out = os.path.join(folder, name.replace(" ", "_"))
        arms[name] = Arm("stepscope", "run", "--out", out, *options, "--")
    for arm in arms.values():
        arm.ask("20")
    for _ in range(rounds):
        for arm in arms.values():
            arm.turn()
    for name, arm in arms.items():
        arm.process.stdin.close()
        for than in ("plain", "run"):
            ratio = statistics.median(
                mine / theirs for mine, theirs in
                zip(arm.times, arms[than].times))
            if than == "plain" or name.startswith("run -"):
                say(f"cost of a step, {name} / {than}", f"{ratio:.3f}")
    for arm in arms.values():
        arm.process.wait(120)


def main(folder, rounds=7):
    os.makedirs(folder, exist_ok=True)
    for stacks in (False, True):
        with_stacks = " with stacks" if stacks else ""
        capture = os.path.join(folder, f"package_{stacks:d}.sscap")
        check_training(f"package{with_stacks}",
                       program("package", capture, int(stacks)), capture,
                       stacks)
        out = os.path.join(folder, f"run_{stacks:d}")
        option = "--memory-stacks" if stacks else "--memory"
        check_training(f"run{with_stacks}",
                       program("train", run=(option, "--out", out)), out,
                       stacks)
    check_out_of_memory(folder)
    check_cost(folder, int(rounds))


if __name__ == "__main__":
    if sys.argv[1] == "train":
        print_peaks(train())
    elif sys.argv[1] == "package":
        package(sys.argv[2], sys.argv[3] == "1")
    elif sys.argv[1] == "out_of_memory":
        out_of_memory()
    else:
        main(*sys.argv[1:])
