# SPDX-License-Identifier: Apache-2.0
"""Checks what `stepscope run --always --budget` costs on a GPU: a GPT step that
is bound by launches, in long-lived processes that take turns; beside it what
the recorder itself says that it costs.

usage: budget.py FOLDER [ROUNDS [SECONDS]]

Needs `stepscope` on PATH, and torch; tools/gpu_check runs it. Prints a line per
check: name, figure, bound and verdict, with tabs between. Each of three
processes trains for SECONDS (2.5) in each of ROUNDS (16), two minutes in all;
of six rounds or fewer there is no interval. The capture is left in FOLDER.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
import traceback

from memory import Arm, say

PERCENT = 2
LONGEST_S = 140  # then no further round begins
# In its first groups of blocks the recorder does not know the cost yet.
FIRST_ROUNDS = 3


def interval(values):
    """The median, and what holds it in 95 of 100 cases, by ranks; None twice
    where there are too few."""
    values = sorted(values)
    term, below, out = 0.5 ** len(values), 0.0, 0
    while below + term <= 0.025:
        below += term
        term *= (len(values) - out) / (out + 1)
        out += 1
    middle = statistics.median(values)
    if out == 0:
        return middle, None, None
    return middle, values[out - 1], values[-out]


def text_of(values, unit=1.0, digits=3):
    middle, low, high = (None if value is None else f"{value * unit:.{digits}f}"
                         for value in values)
    return middle if low is None else f"{middle} ({low} to {high})"


def capture_of(folder):
    """The one that the process which trained left."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder)
             if name.endswith(".sscap")]
    return max(paths, key=os.path.getsize, default=None)


def document(*arguments):
    done = subprocess.run(["stepscope", *arguments, "--format", "json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"stepscope {arguments[0]}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def take_turns(arms, rounds, seconds):
    """{name: mean times of a step, by round}. Every other round goes the other
    way round, so that a machine that becomes slower is no cost."""
    steps = max(20, int(seconds * 1e3 / float(arms["plain"].ask("20"))))
    begin = time.monotonic()
    times = {name: [] for name in arms}
    for number in range(rounds):
        if time.monotonic() - begin > LONGEST_S:
            print(f"budget.py: {LONGEST_S} s are over after {number} rounds",
                  file=sys.stderr)
            break
        order = list(arms.items())
        for name, arm in order if number % 2 == 0 else reversed(order):
            answer = arm.ask(f"mean {steps}")
            if not answer:
                raise RuntimeError(f"{name}: the process ended, exit status "
                                   f"{arm.process.wait(60)}")
            times[name].append(float(answer))
    return times


def check_cost(times):
    def ratios(arm, rounds):
        return [mine / plain for mine, plain in
                zip(times[arm][rounds], times["plain"][rounds])]

    later = slice(FIRST_ROUNDS, None)
    say("gpt, mean step, plain", f"{statistics.median(times['plain']):.3f} ms")
    say("gpt, plain again / plain", text_of(interval(ratios("again", later))))
    say(f"gpt, run --always --budget {PERCENT} / plain, the first "
        f"{FIRST_ROUNDS} rounds",
        f"{statistics.median(ratios('always', slice(FIRST_ROUNDS))):.3f}")
    found = interval(ratios("always", later))
    bound = 1 + PERCENT / 100
    say(f"gpt, run --always --budget {PERCENT} / plain", text_of(found),
        f"<= {bound:g}", found[0] <= bound)


def check_capture(folder):
    path = capture_of(folder)
    if path is None:
        say("the capture of run --always", "none", "1", False)
        return
    facts = document("info", path)
    budget = facts.get("budget")
    say("the recorder's own figure", "there is one" if budget else "none",
        "there is one", bool(budget))
    if not budget:
        return
    say("steps that were recorded in full", f"{budget['full_share_ratio']:.3f}",
        "> 0", budget["full_share_ratio"] > 0)
    cost = budget["cost"]
    if cost is None:
        say("cost by the recorder itself", "not known", "known", False)
    else:
        figure = text_of([cost["ratio"], cost["low_ratio"],
                          cost["high_ratio"]], 100, 2)
        say("cost by the recorder itself", f"{figure} %")
    rejected = facts["ledger"]["rejected"]
    say("records rejected", rejected or "none", "none", not rejected)
    launch = document("summary", path)["launch"] or {}
    say("device events of the steps in full without their launch",
        f"{launch.get('without_launch')} of {launch.get('device_events')}", "0",
        launch.get("without_launch") == 0)


def main(folder, rounds="16", seconds="2.5"):
    out = os.path.join(folder, "always")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    # Many steps are kept, so that some of them are in full.
    arms = {"plain": Arm(), "again": Arm(),
            "always": Arm("stepscope", "run", "--always", "--budget",
                          str(PERCENT), "--keep-steps", "2000", "--no-hang",
                          "--no-slow", "--out", out, "--")}
    try:
        times = take_turns(arms, int(rounds), float(seconds))
    finally:
        for arm in arms.values():
            arm.process.stdin.close()
        for arm in arms.values():
            arm.process.wait(120)
    check_cost(times)
    check_capture(out)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception:  # whatever it is, it must be seen beside the rows
        traceback.print_exc()
        say("budget.py", traceback.format_exc().splitlines()[-1][:200], "",
            False)
        sys.exit(1)
