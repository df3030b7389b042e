# SPDX-License-Identifier: Apache-2.0
"""A small training script that knows nothing of stepscope.

usage: torch_training.py [loader|workers|optimizer] [BATCHES]
"""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

how = sys.argv[1] if len(sys.argv) > 1 else "loader"
batches = int(sys.argv[2]) if len(sys.argv) > 2 else 6

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(batches * 8, 32)
labels = torch.randint(0, 4, (batches * 8,))


def train(x, y):
    optimizer.zero_grad()
    with torch.autograd.profiler.record_function("my forward"):
        loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


if how == "optimizer":
    for i in range(batches):
        last = train(inputs[i * 8:i * 8 + 8], labels[i * 8:i * 8 + 8])
else:
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=8,
                        num_workers=2 if how == "workers" else 0)
    for x, y in loader:
        last = train(x, y)
print(f"loss {float(last):.6f}")
