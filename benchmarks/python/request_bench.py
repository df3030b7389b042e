#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What requests and iterations cost from Python.

usage: request_bench.py [ROUNDS]      with stepscope installed

A request with an id of its own and three tokens, and an iteration of 64
requests, while something records and while nothing does: the least CPU time of
the rounds, beside that of `with` on a lock. Wanted: at most 2 us a request and
20 us an iteration.
"""

import sys
import tempfile
import threading
import time

import stepscope

REQUESTS, ITERATIONS, LOCKS = 2000, 100, 20000
IDS = [f"request number {i}" for i in range(64)]


def requests():
    for i in range(REQUESTS):
        with stepscope.request(f"r{i}", tokens=12) as request:
            request.first_token()
            request.token()
            request.token()


def iterations():
    for _ in range(ITERATIONS):
        with stepscope.iteration([(id, "decode", 1) for id in IDS]):
            pass


LOCK = threading.Lock()


def locks():
    for _ in range(LOCKS):
        with LOCK:
            pass


def least(work, count, rounds):
    times = []
    for _ in range(rounds):
        begin = time.thread_time_ns()
        work()
        times.append((time.thread_time_ns() - begin) / count)
    return min(times)


def show(when, rounds):
    lock = least(locks, LOCKS, rounds)
    for name, work, count in (("request, three tokens", requests, REQUESTS),
                              ("iteration of 64", iterations, ITERATIONS)):
        cost = least(work, count, rounds)
        print(f"{name:24}{when:12}{cost / 1e3:8.2f} us {cost / lock:8.1f} x "
              f"a lock ({lock:.0f} ns)")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    show("off", rounds)
    with tempfile.TemporaryDirectory() as folder:
        with stepscope.Profiler(
                on_trace_ready=stepscope.export_capture(folder)):
            show("recording", rounds)


if __name__ == "__main__":
    main()
