#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an event costs from Python, beside that of a lock.

usage: event_bench.py [ROUNDS]      with stepscope installed

The reference is `with` on a lock of threading: a type in C whose __enter__ and
__exit__ do next to nothing. The empty loop is taken off. Rounds of all
candidates take turns; the median of CPU times of the thread is shown, in ns and
as ratio to the reference. Where torch is installed, its record_function is a
candidate too.
"""

import statistics
import sys
import tempfile
import threading
import time

import stepscope
from stepscope import RecordEvent

LOOPS = 20000

lock = threading.Lock()
reused = RecordEvent("reused")


@RecordEvent("decorated")
def decorated():
    pass


def bare():
    pass


def loop():
    for _ in range(LOOPS):
        pass


def with_lock():
    for _ in range(LOOPS):
        with lock:
            pass


def made():
    for _ in range(LOOPS):
        with RecordEvent("made"):
            pass


def with_reused():
    for _ in range(LOOPS):
        with reused:
            pass


def pair():
    begin, end = reused.begin, reused.end
    for _ in range(LOOPS):
        begin()
        end()


def call_decorated():
    for _ in range(LOOPS):
        decorated()


def call_bare():
    for _ in range(LOOPS):
        bare()


def two_clocks():
    clock = time.perf_counter_ns
    for _ in range(LOOPS):
        clock()
        clock()


def with_argument():
    for _ in range(LOOPS):
        with RecordEvent("argument", rows=1):
            pass


CANDIDATES = {
    "empty loop": loop,
    "with lock (reference)": with_lock,
    "with RecordEvent(...)": made,
    "with, one object": with_reused,
    "begin() and end()": pair,
    "decorated function": call_decorated,
    "the same, bare": call_bare,
    "with one argument": with_argument,
    "two perf_counter_ns()": two_clocks,
}

try:
    from torch.autograd.profiler import record_function

    def torch_range():
        for _ in range(LOOPS // 100):
            with record_function("torch"):
                pass

    CANDIDATES["torch record_function"] = torch_range
except ImportError:
    pass


def measure(rounds):
    taken = {name: [] for name in CANDIDATES}
    for _ in range(rounds):
        for name, candidate in CANDIDATES.items():
            before = time.thread_time_ns()
            candidate()
            loops = LOOPS // 100 if "torch" in name else LOOPS
            taken[name].append((time.thread_time_ns() - before) / loops)
    medians = {name: statistics.median(times) for name, times in taken.items()}
    empty = medians.pop("empty loop")
    return {name: median - empty for name, median in medians.items()}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 31
    off = measure(rounds)
    with tempfile.TemporaryDirectory() as folder:
        prof = stepscope.Profiler(
            targets=[stepscope.ProfilerTarget.CPU],
            on_trace_ready=stepscope.export_capture(folder))
        with prof:
            on = measure(rounds)
    print(f"Python {sys.version.split()[0]}, {stepscope._event.__file__}")
    print(f"{'':24} {'on, ns':>8} {'ratio':>6} {'off, ns':>8} {'ratio':>6}")
    lock = "with lock (reference)"
    lock_on, lock_off = on[lock], off[lock]
    for name in on:
        print(f"{name:24} {on[name]:8.1f} {on[name] / lock_on:6.2f} "
              f"{off[name]:8.1f} {off[name] / lock_off:6.2f}")


if __name__ == "__main__":
    main()
