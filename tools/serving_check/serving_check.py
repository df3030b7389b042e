#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether what is said of a server is true, on a GPU.

usage: serving_check.py STEPSCOPE [FOLDER]     within a minute; needs torch
       serving_check.py --build [FOLDER]       builds stepscope and the package
                                               before, as tools/gpu_check does

Runs a small server (toy_server.py) of which everything is known: under
torch.profiler, under `stepscope run` with the same marks, and, where the
package stepscope can be imported, marked by stepscope.request() and
stepscope.iteration(). Each eagerly, and with graphs and a host that works
ahead, which is where the rules of attribution differ. One line for each thing
that must hold; exit code 1 if one does not. Captures and traces stay in FOLDER
if it is given; what is there already is checked, not run again. So the traces
of torch.profiler, which a program built by --build cannot read, are checked on
another machine: copy FOLDER there, and name a whole stepscope.
"""

import collections
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

TOY = pathlib.Path(__file__).resolve().with_name("toy_server.py")
failures = 0


def say(passed, what):
    global failures
    failures += not passed
    print("pass" if passed else "FAIL", what, flush=True)


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300,
                          check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n"
                           f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def build():
    """The program; the package is found by what is started from here on."""
    path = str(TOY.parents[1] / "gpu_check")
    spec = importlib.util.spec_from_loader(
        "gpu_check", importlib.machinery.SourceFileLoader("gpu_check", path))
    gpu_check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gpu_check)
    gpu_check.stage_build(None)
    os.environ.update(gpu_check.install_package())
    return str(gpu_check.BUILD / "bin/stepscope")


class Unreadable(Exception):
    """The program was built without what reads torch's traces."""


class Server:
    """One run: what the tables say, and what is true."""

    def __init__(self, program, folder, arm, mode):
        self.program, self.arm = program, arm
        out = folder / f"{arm}_{mode}"
        self.trace = out.with_suffix(".json.gz") if arm == "torch" else out
        truth = pathlib.Path(f"{out}.truth.json")
        if not truth.exists():
            command = [sys.executable, str(TOY), arm, mode, str(out)]
            if arm != "torch":
                command = [program, "run", "--out", str(out), "--", *command]
            run(command)
        self.truth, self.plain = json.loads(truth.read_text(encoding="utf-8"))
        try:
            tables = self.tables()
        except RuntimeError as error:
            if arm == "torch" and "not a trace in a known form" in str(error):
                raise Unreadable from error
            raise
        self.iterations = tables["iterations"]
        self.requests = tables["requests"]

    def tables(self, *options):
        return json.loads(run([
            self.program, "summary", str(self.trace), "--views",
            "iterations,requests", "--format", "json", *options]))

    def median(self, kind):
        """Periods of a kind: recorded, true, and unprofiled, in ms."""
        of = {"prefill": lambda c, g: c and not g,
              "mixed": lambda c, g: c and g,
              "decode": lambda c, g: g and not c}[kind]

        def true(list):
            times = []
            for one in list:
                kinds = [member[1] for member in one["members"]]
                if of(kinds.count("ctx"), kinds.count("gen")):
                    times.append(one["ns"])
            return statistics.median(times) / 1e6

        row = next(row for row in self.iterations["kinds"]
                   if row["kind"] == kind)
        return row["period_ns"]["p50"] / 1e6, true(self.truth), true(self.plain)


def check_iterations(server, label):
    table, truth = server.iterations, server.truth
    if table is None:
        say(False, f"{label}: iterations are found")
        return
    rows = table["list"]
    right = sum(
        row["requests"] == len(one["members"]) and
        row["tokens_context"] == sum(
            n for _, kind, n in one["members"] if kind == "ctx") and
        row["tokens_generation"] == sum(
            n for _, kind, n in one["members"] if kind == "gen")
        for row, one in zip(rows, truth))
    say(len(rows) == len(truth) == right,
        f"{label}: {right} of {len(truth)} iterations have the true requests "
        f"and tokens ({len(rows)} found)")
    others = collections.defaultdict(list)
    for row, one in zip(rows, truth):
        others[one["name"]].append(row["kernels"] - one["spins"])
    usual = {name: statistics.mode(counts) for name, counts in others.items()}
    right = sum(row["kernels"] - one["spins"] == usual[one["name"]]
                for row, one in zip(rows, truth))
    say(right == len(truth),
        f"{label}: {right} of {len(truth)} iterations have the kernels that "
        "they launched (by the number of spinning ones)")
    billed = sum(row["gpu_busy_ns"] for row in rows)
    rest = (table["total_busy_ns"] - billed - table["outside_ns"] -
            table["unknown_ns"])
    say(rest == 0 and table["total_busy_ns"] > 0,
        f"{label}: iterations, outside and unknown add up to "
        f"{table['total_busy_ns']} ns of busy time (rest {rest} ns)")


def check_requests(server, label):
    read, made, works = (collections.Counter() for _ in range(3))
    for one in server.truth:
        for id, kind, count in one["members"]:
            (read if kind == "ctx" else made)[id] += count
            works[id] += 1
    rows = {row["id"]: row for row in (server.requests or {}).get("list", [])}
    right = sum(
        id in rows and rows[id]["tokens_in"] == read[id] and
        rows[id]["tokens_out"] == made[id] + 1 and
        rows[id]["iterations"] == works[id] and
        rows[id]["end_ns"] is not None and rows[id]["queue_ns"] is not None
        for id in read)
    say(right == len(read) == len(rows),
        f"{label}: {right} of {len(read)} requests have the true tokens, "
        f"iterations and end ({len(rows)} found)")
    for rule in ("tokens", "requests", "decode-first"):
        table = server.tables("--bill", rule)["requests"] or {}
        billed = sum(row["gpu_ns"] for row in table.get("list", []))
        rest = (table.get("total_busy_ns", 0) - billed -
                table.get("outside_ns", 0) - table.get("unknown_ns", 0))
        say(rest == 0 and billed > 0,
            f"{label}: bills by {rule} add up (rest {rest} ns)")
    ordered = all(row["ttft_ns"] >= row["queue_ns"] for row in rows.values())
    say(ordered and rows, f"{label}: no first token before its iteration")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "stepscope"
    if program == "--build":
        program = build()
    if len(sys.argv) > 2:
        folder = pathlib.Path(sys.argv[2])
        folder.mkdir(parents=True, exist_ok=True)
    else:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="serving_check_"))
    arms = ["torch", "marks"]
    if (folder / "requests_graph.truth.json").exists() or subprocess.run(
            [sys.executable, "-c", "import stepscope; stepscope.iteration"],
            capture_output=True, check=False).returncode == 0:
        arms.append("requests")
    else:
        print("skip requests: the package stepscope cannot be imported")
    busy = {}
    for mode in ("eager", "graph"):
        for arm in arms:
            label = f"{arm}, {mode}"
            try:
                server = Server(program, folder, arm, mode)
            except Unreadable:
                print(f"skip {label}: {program} does not read torch's traces; "
                      f"a whole stepscope checks {folder}")
                continue
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                say(False, f"{label}: {error}")
                continue
            check_iterations(server, label)
            if arm == "requests":
                check_requests(server, label)
            if server.iterations is None:
                continue
            for kind in ("decode", "mixed"):
                recorded, true, plain = server.median(kind)
                print(f"     {label}: {kind} {recorded:.3f} ms recorded, "
                      f"{true:.3f} ms by the server's clock, {plain:.3f} ms "
                      "in the run before it, without marks")
                say(abs(recorded / true - 1) < 0.1,
                    f"{label}: the period of {kind} is the server's")
            busy[mode, arm] = {row["kind"]: row["gpu_busy_p50_ns"]
                               for row in server.iterations["kinds"]}
    for mode in ("eager", "graph"):
        for arm in arms[1:]:
            if (mode, "torch") not in busy or (mode, arm) not in busy:
                continue
            for kind in ("decode", "mixed"):
                ours = busy[mode, arm].get(kind, 0)
                theirs = busy[mode, "torch"].get(kind, 0)
                say(theirs > 0 and abs(ours / theirs - 1) < 0.1,
                    f"{arm}, {mode}: the device is busy for {ours / 1e6:.3f} "
                    f"ms of a {kind} iteration, {theirs / 1e6:.3f} ms by "
                    "torch.profiler (medians)")
    print(f"{failures} failed" if failures else "all passed",
          f"(files in {folder})")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
