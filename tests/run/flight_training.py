# SPDX-License-Identifier: Apache-2.0
"""A rank of a small data-parallel training over gloo that knows nothing of
stepscope. Ranks meet by files, so that no port is taken.

usage: flight_training.py FOLDER RANK WORLD STEPS [--gpu]

STEPS 0: until FOLDER/stop exists. FOLDER/hang_R makes rank R stop before its
collective for as long as that file exists; FOLDER/slow_R makes one step of
rank R wait for the file to go; FOLDER/die_R kills it.
"""

import os
import pathlib
import signal
import sys
import time

import torch
import torch.distributed as dist
from torch import nn

folder = pathlib.Path(sys.argv[1])
rank, world, steps = map(int, sys.argv[2:5])
device = "cuda" if "--gpu" in sys.argv else "cpu"

torch.manual_seed(rank)
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{folder}/store",
                        rank=rank, world_size=world)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch = torch.randn(8, 16, device=device)


def wait_while(name):
    while (folder / f"{name}_{rank}").exists():
        time.sleep(0.01)


def finished(step):
    """All ranks must agree, or one waits for ever."""
    stop = torch.tensor([float((folder / "stop").exists())])
    dist.all_reduce(stop)
    return stop.item() > 0 if steps == 0 else step + 1 >= steps


def train(step):
    optimizer.zero_grad()
    with torch.autograd.profiler.record_function("forward"):
        loss = model(batch).square().mean()
    loss.backward()
    with torch.autograd.profiler.record_function("before the collective"):
        wait_while("hang")
        wait_while("slow")
        if (folder / f"die_{rank}").exists():
            os.kill(os.getpid(), signal.SIGKILL)
    for parameter in model.parameters():
        gradient = parameter.grad.cpu()
        dist.all_reduce(gradient)
        parameter.grad.copy_(gradient / world)
    time.sleep(0.01)
    done = finished(step)
    optimizer.step()
    (folder / f"step_{rank}").write_text(str(step), encoding="utf-8")
    return done


number = 0
while not train(number):
    number += 1
print(f"rank {rank}: {number + 1} steps")
