#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the map of all ranks takes in `stepscope view`.

usage: job_view_bench.py [--ranks N] [--steps N] [--folder DIR]

Writes a trace of torch.profiler's kind for each of 512 ranks: steps of an
operator and a collective, to which one rank comes late. A first server reads
them all and keeps what is left of each. A second one, which finds that, is
asked for what the page asks for: the job, then the map of steps and ranks, by
two measures. Time on the clock, and processor time of the server.
REQUIRES: `make build`.
"""

import argparse
import json
import pathlib
import tempfile
import time

from view_bench import Server

STEP_US, COLLECTIVE_US, LATE_US = 20000, 2000, 6000


def trace_of(rank, ranks, steps):
    events = []

    def add(category, name, thread, begin, end, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": 1000,
                       "tid": thread, "ts": begin, "dur": end - begin,
                       "args": args})

    for step in range(steps):
        begin = 1000 + step * STEP_US
        arrival = begin + 8000 + rank % 7 * 10
        if rank == ranks // 3 and step % 5 == 0:
            arrival += LATE_US
        left = begin + 8000 + LATE_US + COLLECTIVE_US
        add("user_annotation", f"ProfilerStep#{step}", 1, begin,
            begin + STEP_US - 50)
        for part in range(20):
            at = begin + 100 + part * 350
            add("cpu_op", f"aten::op{part}", 1, at, at + 300)
        add("user_annotation", "gloo:all_reduce", 2, arrival, left,
            **{"Process Group Name": "default", "Group size": ranks,
               "Input Dims": [[1000]], "Input type": ["float"]})
    return {"schemaVersion": 1, "baseTimeNanoseconds": 1790857026000000000,
            "distributedInfo": {"backend": "gloo", "rank": rank,
                                "world_size": ranks},
            "traceEvents": events}


def timed(server, what, request):
    used, began = server.cpu(), time.monotonic()
    answer = request()
    print(f"{what:42} {time.monotonic() - began:8.2f} s  "
          f"{server.cpu() - used:8.2f} s")
    return answer


def ready_job(server, run):
    while True:
        job = server.json(f"job?t={run}")
        if job["state"] == "ready":
            return job
        time.sleep(0.1)


def measure(folder, cache):
    for title in ("traces read", "found in the cache"):
        with Server(folder, "--cache", cache) as server:
            run = server.json("runs")["runs"][0]["all"]["t"]
            job = timed(server, f"job, {title}", lambda: ready_job(server, run))
            for measure_of in ("step_ns", "wait_ns"):
                wanted = f"heat?t={run}&measure={measure_of}"
                heat = timed(server, f"map of {measure_of}",
                             lambda wanted=wanted: server.json(wanted))
            print(f"  {len(heat['ranks'])} ranks, {len(heat['first'])} columns "
                  f"of {job['step_count']} steps")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=512)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as top:
        folder = pathlib.Path(top) / "ranks"
        folder.mkdir()
        for rank in range(args.ranks):
            (folder / f"rank{rank}.json").write_text(
                json.dumps(trace_of(rank, args.ranks, args.steps)))
        print(f"{'':42} {'clock':>10} {'processor':>11}")
        measure(folder, pathlib.Path(top) / "cache")


if __name__ == "__main__":
    main()
