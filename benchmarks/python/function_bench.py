#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording the calls of Python functions costs, beside VizTracer.

usage: function_bench.py [ROUNDS]      with stepscope and viztracer installed

Two programs: fib, which does nothing but call itself, and a mix of classes,
generators, exceptions, regular expressions, JSON and sorting. Each runs bare,
with the calls of all files recorded, with those of its own file, with none,
and, if it is installed, under VizTracer (without C functions, as stepscope
records none), which records all files too.
Rounds take turns; within each the program runs once before it is timed. Shown
are medians of the CPU time of the thread: as ratio to the bare program, and as
ns that are added per call. The last column is the target.
"""

import contextlib
import dataclasses
import io
import json
import re
import statistics
import sys
import time

import stepscope

CPU = [stepscope.ProfilerTarget.CPU]


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def run_fib():
    fib(19)


@dataclasses.dataclass
class Point:
    x: int
    y: int

    def length(self):
        return self.x * self.x + self.y * self.y

    def moved(self, by):
        return Point(self.x + by, self.y - by)


def points(count):
    for i in range(count):
        yield Point(i, count - i)


def parse(text):
    if "7" in text:
        raise ValueError(text)
    return [int(word) for word in re.findall(r"\d+", text)]


def parse_or_nothing(text):
    try:
        return parse(text)
    except ValueError:
        return []


def run_mix():
    total = 0
    for point in points(600):
        total += point.moved(3).length()
    for i in range(400):
        total += sum(parse_or_nothing(f"{i} and {i + 1}"))
    for i in range(100):
        total += len(json.dumps({"i": i, "words": ["a", "b"]}))
    return total + sorted(points(600), key=Point.length)[0].x


def count_calls(program):
    """Calls and resumes of Python functions."""
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        del frame, argument
        if event == "call":
            count += 1

    sys.setprofile(profile)
    program()
    sys.setprofile(None)
    return count


@contextlib.contextmanager
def under_stepscope(**options):
    with contextlib.redirect_stdout(io.StringIO()):
        with stepscope.Profiler(targets=CPU, on_trace_ready=lambda prof: None,
                                with_python=options or True):
            yield


@contextlib.contextmanager
def under_viztracer():
    tracer = VizTracer(ignore_c_function=True, verbose=0,
                       tracer_entries=1_000_000)
    tracer.start()
    yield
    tracer.stop()
    tracer.clear()


CANDIDATES = {
    "bare": contextlib.nullcontext,
    "all files": lambda: under_stepscope(include="*"),
    "own file": under_stepscope,
    "no file": lambda: under_stepscope(exclude="*"),
}
try:
    from viztracer import VizTracer

    CANDIDATES["VizTracer"] = under_viztracer
except ImportError:
    pass


def measure(program, rounds):
    taken = {name: [] for name in CANDIDATES}
    for _ in range(rounds):
        for name, candidate in CANDIDATES.items():
            with candidate():
                program()
                before = time.thread_time_ns()
                program()
                taken[name].append(time.thread_time_ns() - before)
    return {name: statistics.median(times) for name, times in taken.items()}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 31
    print(f"Python {sys.version.split()[0]}")
    print(f"{'':16} {'ratio':>6} {'ns a call':>10}  {'target':>15}")
    for title, program in (("fib", run_fib), ("mix", run_mix)):
        calls = count_calls(program)
        taken = measure(program, rounds)
        bare = taken["bare"]
        added = {name: (ns - bare) / calls for name, ns in taken.items()}
        for name, ns in taken.items():
            target = ""
            if name == "all files" and "VizTracer" in taken:
                target = f"{added[name] / added['VizTracer']:.2f} of <= 0.9"
            elif name == "no file":
                target = f"{ns / bare:.2f} of <= 1.06"
            print(f"{title + ', ' + name:16} {ns / bare:6.2f} "
                  f"{added[name]:10.1f}  {target:>15}")


if __name__ == "__main__":
    main()
