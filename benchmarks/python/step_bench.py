#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long step() takes that ends a window of many events.

usage: step_bench.py [EVENTS]      with stepscope installed

The window is sealed and handed to a thread of the Profiler; step() waits for
neither reading nor exporting. Shown beside it: how long recording the window
took, and how long stop() then waited for its delivery. The bound is 10 ms for
1,000,000 events.
"""

import statistics
import sys
import time
import warnings

import stepscope
from stepscope import RecordEvent

WINDOWS = 9


def window(events):
    """Seconds of recording, of step() and of stop()."""
    delivered = []
    profiler = stepscope.Profiler(
        targets=[stepscope.ProfilerTarget.CPU],
        scheduler=stepscope.make_scheduler(closed=0, ready=0, record=1,
                                           repeat=1),
        on_trace_ready=delivered.append, quiet=True)
    profiler.start()
    times = [time.perf_counter()]
    for _ in range(events):
        with RecordEvent("event"):
            pass
    times.append(time.perf_counter())
    profiler.step()
    times.append(time.perf_counter())
    profiler.stop()
    times.append(time.perf_counter())
    assert len(delivered) == 1
    return [after - before for before, after in zip(times, times[1:])]


def main():
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    warnings.simplefilter("ignore")  # a window that begins with the program
    rows = zip(*(window(events) for _ in range(WINDOWS)))
    print(f"{events:,} events, {WINDOWS} windows: median (worst), ms")
    for name, times in zip(("recording", "step()", "stop()"), rows):
        print(f"{name:10} {1e3 * statistics.median(times):9.2f} "
              f"({1e3 * max(times):.2f})")


if __name__ == "__main__":
    main()
