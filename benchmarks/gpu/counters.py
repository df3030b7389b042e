# SPDX-License-Identifier: Apache-2.0
"""Checks the hardware's counters of a GPU against what is known: the operations
of matrix products, the bytes of copies, when kernels ran, and what ncu measures
of ten kernels; and what sampling costs.

usage: counters.py FOLDER [ROUNDS]

Needs `stepscope` on PATH, and torch; tools/gpu_check runs it. Prints a line per
check: name, figure, bound and verdict, with tabs between. Takes about a minute.
Captures are left in FOLDER.
"""

import csv
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import time

from memory import Arm, say

HERE = os.path.abspath(__file__)
GIB = 1 << 30
IDLE_S = 0.02  # between groups of kernels
BEGIN_S = 2  # until a device that came into use is sampled
# Operations of a multiprocessor of Hopper in a cycle in which its tensor cores
# work.
PER_CYCLE = {"bfloat16": 4096, "float16": 4096, "tf32": 2048}
PRODUCTS = [("bfloat16", 4096, 40), ("bfloat16", 8192, 8),
            ("float16", 4096, 40), ("tf32", 4096, 20)]
COPIES = [(8 * GIB, 2), (16 * GIB, 1)]
SPACED = 30


# The programs -----------------------------------------------------------------

def product(torch, kind, size):
    dtype = torch.float32 if kind == "tf32" else getattr(torch, kind)
    a, b = (torch.randn(size, size, device="cuda", dtype=dtype)
            for _ in range(2))
    out = torch.empty_like(a)

    def multiply():
        torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
        torch.mm(a, b, out=out)
    return multiply


def groups(torch):
    """(a function, how often), each with all of its memory taken."""
    for kind, size, times in PRODUCTS:
        yield product(torch, kind, size), times
    for size, times in COPIES:
        a = torch.ones(size, dtype=torch.uint8, device="cuda")
        b = torch.empty_like(a)
        yield lambda a=a, b=b: b.copy_(a), times
    small = product(torch, "bfloat16", 4096)
    for _ in range(SPACED):
        yield small, 1


def known():
    """Each group of kernels after a pause, so that its samples are its own."""
    import torch

    every = list(groups(torch))
    torch.cuda.synchronize()
    time.sleep(BEGIN_S)
    for work, times in every:
        work()
        torch.cuda.synchronize()
        time.sleep(IDLE_S)
        for _ in range(times):
            work()
        torch.cuda.synchronize()
        time.sleep(IDLE_S)
    print(torch.cuda.get_device_properties(0).multi_processor_count)


def ten():
    """Ten kernels, each long enough for samples; ncu is told when they come."""
    import torch

    big = torch.randn(1 << 28, device="cuda")
    rows = torch.randn(1 << 16, 1 << 12, device="cuda")
    works = [product(torch, kind, size) for kind, size in
             (("bfloat16", 8192), ("float16", 8192), ("bfloat16", 6144),
              ("tf32", 4096))]
    works += [lambda: big + 1, lambda: big * big, lambda: torch.relu(big),
              lambda: torch.softmax(rows, 1), lambda: rows.t().contiguous(),
              lambda: torch.exp(big)]
    for work in works:
        work()
    torch.cuda.synchronize()
    time.sleep(BEGIN_S)
    torch.cuda.profiler.start()
    for work in works:
        time.sleep(IDLE_S)
        work()
        torch.cuda.synchronize()
    torch.cuda.profiler.stop()
    time.sleep(IDLE_S)


# What was recorded ------------------------------------------------------------

class Recorded:
    """Groups of kernels with a pause between them, and curves of counters."""

    def __init__(self, folder):
        file = os.path.join(folder, "trace.json")
        subprocess.run(["stepscope", "convert", "--to", "chrome", folder, "-o",
                        file], check=True, stdout=subprocess.DEVNULL)
        with open(file, encoding="utf-8") as text:
            events = json.load(text)["traceEvents"]
        work = sorted((event["ts"], event["ts"] + event["dur"], event["name"])
                      for event in events if event["ph"] == "X" and
                      event.get("cat") in ("Kernel", "Memcpy", "Memset"))
        self.groups = []
        end = -math.inf
        for item in work:
            if item[0] > end + IDLE_S * 1e6 / 2:
                self.groups.append([])
            self.groups[-1].append(item)
            end = max(end, item[1])
        self.curves = {}
        for event in events:
            if event["ph"] == "C" and event["name"].startswith("GPU 0: "):
                self.curves.setdefault(event["name"][7:], []).append(
                    (event["ts"], float(event["args"]["value"])))
        for curve in self.curves.values():
            curve.sort()

    def parts(self, name, begin, end):
        """(middle, seconds, value) of the samples of a time."""
        curve = self.curves[name]
        for (at, value), (until, _) in zip(curve, curve[1:]):
            left, right = max(at, begin), min(until, end)
            if right > left and not math.isnan(value):
                yield (left + right) / 2, (right - left) * 1e-6, value

    def around(self, name, group):
        """The parts of a group, its edges included; nothing where samples of it
        are missing: a part is not the whole."""
        margin = IDLE_S * 1e6 / 4
        begin, end = group[0][0] - margin, group[-1][1] + margin
        parts = list(self.parts(name, begin, end))
        seconds = sum(part[1] for part in parts)
        return parts if seconds >= 0.999 * (end - begin) * 1e-6 else []

    def amount(self, name, group):
        """The integral over a group; NaN where it was not measured."""
        parts = self.around(name, group)
        return sum(seconds * value for _, seconds, value in parts) \
            if parts else math.nan

    def tensor_cycles(self, group):
        parts = self.around("tensor cores active (%)", group)
        clock = {middle: value for middle, _, value in
                 self.around("SM clock (Hz)", group)}
        return sum(seconds * value / 100 * clock.get(middle, math.nan)
                   for middle, seconds, value in parts) if parts else math.nan

    def shift(self, group):
        """How much later than its kernel the samples have it, in us; None
        where its samples were lost."""
        parts = self.around("SMs active (%)", group)
        weight = sum(seconds * value for _, seconds, value in parts)
        middle = sum(at * seconds * value for at, seconds, value in parts)
        if weight == 0:
            return None
        return middle / weight - (group[0][0] + group[-1][1]) / 2


# The checks -------------------------------------------------------------------

def measured(ratio, digits=4):
    return "not measured" if math.isnan(ratio) else f"{ratio:.{digits}f}"


def say_near_one(name, ratio):
    good = abs(ratio - 1) <= 0.02  # False for NaN
    say(name, measured(ratio), "0.98 to 1.02", good)
    return good


def print_device(folder, name):
    """What the recorder says of the device, beside a check that failed."""
    info = subprocess.run(
        ["stepscope", "info", os.path.join(folder, name)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout
    print("\n".join(line for line in info.splitlines() if "counter" in line)
          or info, file=sys.stderr)


def record(folder, name, what, interval):
    out = os.path.join(folder, name)
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run(
        ["stepscope", "run", "--counter-interval", str(interval), "--no-torch",
         "--out", out, "--", sys.executable, HERE, what], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    print(done.stderr, file=sys.stderr)
    if done.returncode != 0:
        say(f"{name}, exit status", done.returncode, "0", False)
        return None, ""
    return Recorded(out), done.stdout


def check_known(folder, interval):
    name = f"known_{interval}"
    recorded, said = record(folder, name, "known", interval)
    if recorded is not None and not compare_known(recorded, said, interval):
        print_device(folder, name)


def compare_known(recorded, said, interval):
    """Whether all checks passed."""
    every = f", every {interval} us"
    count = len(PRODUCTS) + len(COPIES) + SPACED
    # Warm-ups are groups of their own.
    found = recorded.groups[-2 * count:][1::2]
    if len(found) != count or not recorded.curves:
        say("groups of kernels, curves" + every,
            f"{len(found)}, {len(recorded.curves)}", f"{count}, some", False)
        return False
    processors = int(said.split()[-1])
    good = True
    for (kind, size, times), group in zip(PRODUCTS, found):
        done = (recorded.tensor_cycles(group) * processors * PER_CYCLE[kind])
        good &= say_near_one(
            f"{times} products, {kind}, {size}{every}: operations / 2 n^3",
            done / (2 * size ** 3 * times))
    for (size, times), group in zip(COPIES, found[len(PRODUCTS):]):
        for name in ("DRAM read (B/s)", "DRAM written (B/s)"):
            what = f"{times} copies, {size // GIB} GiB{every}: {name[:-6]}"
            good &= say_near_one(what + " / bytes", recorded.amount(
                name, group) / (size * times))
    shifts = sorted(shift for shift in map(recorded.shift, found[-SPACED:])
                    if shift is not None)
    # Lost samples are counted by the recorder; what is left must suffice.
    good &= len(shifts) >= SPACED // 2
    say("kernels alone that have samples" + every,
        f"{len(shifts)} of {SPACED}", f">= {SPACED // 2}",
        len(shifts) >= SPACED // 2)
    if not shifts:
        return False
    middle = statistics.median(shifts)
    good &= abs(middle) <= interval / 2
    say("samples, later than their kernel" + every,
        f"{middle:.1f} us ({shifts[0]:.1f} to {shifts[-1]:.1f})",
        f"<= {interval / 2:g} us", abs(middle) <= interval / 2)
    say("counters" + every, len(recorded.curves))
    return good


def ncu_rows(text):
    """[(kernel, {metric: value})] in the order of launches."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    found = {}
    for line in csv.DictReader(lines):
        kernel = found.setdefault(line["ID"], (line["Kernel Name"], {}))
        kernel[1][line["Metric Name"]] = float(
            line["Metric Value"].replace(",", ""))
    return [found[number] for number in sorted(found, key=int)]


def check_ncu(folder):
    ncu = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    if not os.path.exists(ncu):
        say("ten kernels, ncu", "not here")
        return
    recorded, _ = record(folder, "ten", "ten", 50)
    if recorded is None:
        return
    metrics = ["dram__bytes_read.sum", "dram__bytes_write.sum",
               "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_"
               "elapsed"]
    done = subprocess.run(
        [ncu, "--csv", "--print-units", "base", "--profile-from-start", "off",
         "--cache-control", "none", "--clock-control", "none", "--metrics",
         ",".join(metrics), sys.executable, HERE, "ten"], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    rows = ncu_rows(done.stdout)
    # Of sets of memory ncu says nothing.
    groups_found = [[work for work in group if not work[2].startswith("Mem")]
                    for group in recorded.groups[-10:]]
    if sum(map(len, groups_found)) != len(rows):
        print(done.stdout[-2000:], file=sys.stderr)
        say("ten kernels, ncu's", len(rows),
            sum(map(len, groups_found)), False)
        return
    ratios = []
    for group in groups_found:
        theirs, rows = rows[:len(group)], rows[len(group):]
        seconds = sum(end - begin for begin, end, _ in group) * 1e-6
        read = recorded.amount("DRAM read (B/s)", group)
        written = recorded.amount("DRAM written (B/s)", group)
        tensor = recorded.amount("tensor cores active (%)", group) / seconds
        other = [kernel[1] for kernel in theirs]
        moved = sum(each[metrics[0]] + each[metrics[1]] for each in other)
        ratios.append((read + written) / moved)
        say(f"{theirs[0][0][:48]}: GB, tensor cores",
            f"{measured((read + written) / 1e9, 3)}, "
            f"{measured(tensor, 1)} % (ncu "
            f"{moved / 1e9:.3f}, {max(e[metrics[2]] for e in other):.1f} %)")
    found = sorted(ratio for ratio in ratios if not math.isnan(ratio))
    if len(found) < len(ratios):
        say("ten kernels, measured", f"{len(found)} of {len(ratios)}",
            len(ratios), False)
        print_device(folder, "ten")
    if not found:
        return
    ratios = found
    say("ten kernels, bytes / ncu's, median",
        f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to "
        f"{max(ratios):.3f})")


def recorder_seconds(process):
    """Processor time of the recorder's thread of devices, below a process."""
    total = 0.0
    waiting = [str(process.pid)]
    while waiting:
        pid = waiting.pop()
        tasks = f"/proc/{pid}/task"
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/children", encoding="ascii") as text:
                waiting += text.read().split()
            with open(f"{tasks}/{task}/stat", encoding="ascii") as text:
                name, _, rest = text.read().partition("(")[2].rpartition(")")
            if name == "stepscope-dev":
                fields = rest.split()
                total += (int(fields[11]) + int(fields[12])) / os.sysconf(
                    "SC_CLK_TCK")
    return total


def check_cost(folder, rounds):
    """Of a GPT step that is bound by launches, in turns. The device is sampled
    while any of them runs, so plain ones run without that, too."""
    def start(name, options):
        out = os.path.join(folder, name.replace(" ", "_"))
        shutil.rmtree(out, ignore_errors=True)
        return Arm("stepscope", "run", "--out", out, *options, "--")

    def turn():
        for arm in arms.values():
            arm.turn()

    arms = {"plain": Arm(), "plain again": Arm(), "run": start("run", [])}
    for arm in arms.values():
        arm.ask("20")
    for _ in range(rounds):
        turn()
    alone = statistics.median(arms["plain"].times)
    for arm in arms.values():
        arm.times = []
    arms["run --counters"] = start("run --counters", ["--counters"])
    arms["run --counters"].ask("20")
    begin = time.monotonic()
    before = {name: recorder_seconds(arm.process)
              for name, arm in arms.items()}
    for _ in range(rounds):
        turn()
    for name in ("run", "run --counters"):
        used = recorder_seconds(arms[name].process) - before[name]
        say(f"processors that the recorder's thread takes, {name}",
            f"{used / (time.monotonic() - begin):.3f}")
    say("cost of a step, plain while the device is sampled / before",
        f"{statistics.median(arms['plain'].times) / alone:.3f}")
    for name, than in (("plain again", "plain"), ("run", "plain"),
                       ("run --counters", "plain"), ("run --counters", "run")):
        ratios = sorted(mine / theirs for mine, theirs in
                        zip(arms[name].times, arms[than].times))
        middle = statistics.median(ratios)
        last = than == "run"
        say(f"cost of a step, {name} / {than}",
            f"{middle:.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})",
            "<= 1.02" if last else "", middle <= 1.02 if last else None)
    for arm in arms.values():
        arm.process.stdin.close()
    for arm in arms.values():
        arm.process.wait(120)


def main(folder, rounds=12):
    os.makedirs(folder, exist_ok=True)
    for interval in (100, 50):
        check_known(folder, interval)
    check_ncu(folder)
    check_cost(folder, int(rounds))


if __name__ == "__main__":
    if sys.argv[1:] == ["known"]:
        known()
    elif sys.argv[1:] == ["ten"]:
        ten()
    else:
        main(*sys.argv[1:])
