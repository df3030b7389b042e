# SPDX-License-Identifier: Apache-2.0
"""Steps in Python beside three threads in Python, which share its global lock.
With an argument: without these threads."""
import sys
import threading
import time

import torch

done = False


def count(number):
    total = 0
    for i in range(number):
        total += i * i
    return total


def keep_counting():
    while not done:
        count(200_000)


torch.set_num_threads(1)
others = [threading.Thread(target=keep_counting, name=f"other{i}")
          for i in range(0 if len(sys.argv) > 1 else 3)]
for thread in others:
    thread.start()
end = time.monotonic() + 6
step = 0
while step < 8 or time.monotonic() < end:
    with torch.autograd.profiler.record_function(f"ProfileStep#{step}"):
        count(500_000)
    step += 1
done = True
