# SPDX-License-Identifier: Apache-2.0
"""Training steps of a small GPT, as they are or captured as a CUDA graph.

usage: graph_steps.py MODE STEPS

MODE  eager    every step launches its kernels
      graph    five steps so, then a capture and STEPS - 5 replays
      compile  torch.compile(mode="reduce-overhead"), which captures by itself

In every mode the GPU executes STEPS equal steps. Prints the median of the last
steps in milliseconds.
"""

import statistics
import sys
import time

import torch
from torch import nn

WARM = 5


def gpt(layers=6, width=512, batch=8, length=256):
    block = nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0,
                                       batch_first=True, norm_first=True)
    model = nn.Sequential(nn.Embedding(1000, width),
                          nn.TransformerEncoder(block, layers),
                          nn.Linear(width, 1000)).cuda()
    return model, torch.randint(0, 1000, (batch, length), device="cuda")


def main():
    mode, steps = sys.argv[1], int(sys.argv[2])
    torch.manual_seed(0)
    model, x = gpt()
    forward = (torch.compile(model, mode="reduce-overhead")
               if mode == "compile" else model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=False,
                                  capturable=True)
    loss_of = nn.CrossEntropyLoss()
    ranges = torch.autograd.profiler.record_function

    def step():
        optimizer.zero_grad(set_to_none=True)
        with ranges("the forward pass"):
            loss = loss_of(forward(x).flatten(0, 1), x.flatten())
        loss.backward()
        with ranges("the optimizer"):
            optimizer.step()

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    times = []
    with torch.cuda.stream(stream):
        for _ in range(WARM):
            step()
        replay = step
        if mode == "graph":
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                step()
            replay = graph.replay
        for _ in range(steps - WARM):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            replay()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - begin)
    print(f"{statistics.median(times[len(times) // 2:]) * 1e3:.4f}")


if __name__ == "__main__":
    main()
