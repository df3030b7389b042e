# SPDX-License-Identifier: Apache-2.0
"""Each step waits for a value that one other thread takes long to make."""
import queue
import threading
import time

import torch

values = queue.Queue(maxsize=1)


def make_value():
    time.sleep(0.05)
    return 1.0


def produce():
    for _ in range(12):
        values.put(make_value())


torch.set_num_threads(1)
threading.Thread(target=produce, name="producer").start()
with torch.no_grad():
    for step in range(12):
        with torch.autograd.profiler.record_function(f"ProfileStep#{step}"):
            torch.full((16,), values.get()).sum()
