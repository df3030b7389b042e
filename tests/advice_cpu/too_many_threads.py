# SPDX-License-Identifier: Apache-2.0
"""Shares operators among eight times as many threads as there are
processors; they spin while they wait for each other. With an argument: one
thread."""
import os
import sys
import time

THREADS = 1 if len(sys.argv) > 1 else 8 * len(os.sched_getaffinity(0))
os.environ["OMP_NUM_THREADS"] = str(THREADS)
os.environ["OMP_WAIT_POLICY"] = "active"

import torch

torch.set_num_threads(THREADS)
data = torch.randn(4_000_000)
# So long that threads were sampled several times.
end = time.monotonic() + 6
step = 0
with torch.no_grad():
    while step < 8 or time.monotonic() < end:
        with torch.autograd.profiler.record_function(f"ProfileStep#{step}"):
            for _ in range(4):
                torch.sin(data)
        step += 1
