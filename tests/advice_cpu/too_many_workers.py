# SPDX-License-Identifier: Apache-2.0
"""Trains beside four times as many loader workers as there are processors. Each
computes without end on a thread of its own, whether its batches are wanted or
not, and they are there in time: so the step always wants a processor, too, and
waits for it. With an argument: no workers."""
import os
import sys
import threading
import time

import torch

WORKERS = 0 if len(sys.argv) > 1 else 4 * len(os.sched_getaffinity(0))


def compute():
    while True:
        sum(range(10_000))


class Samples(torch.utils.data.IterableDataset):
    def __iter__(self):
        if WORKERS:
            threading.Thread(target=compute, daemon=True).start()
        while True:
            yield torch.full((256,), 0.5)


torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(),
                            torch.nn.Linear(1024, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
end = time.monotonic() + 8
loader = torch.utils.data.DataLoader(Samples(), batch_size=32,
                                     num_workers=WORKERS)
for step, batch in enumerate(loader):
    optimizer.zero_grad()
    for _ in range(8):
        model(batch).pow(2).mean().backward()
    optimizer.step()
    if step >= 8 and time.monotonic() > end:
        break
