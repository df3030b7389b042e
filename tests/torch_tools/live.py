# SPDX-License-Identifier: Apache-2.0
"""Trains for some steps, once under torch.profiler and once under
stepscope.torch; writes our trace, and torch's names and calls.

usage: live.py FOLDER
"""

import json
import pathlib
import sys

import torch
from stepscope import torch as ours
from torch import profiler as theirs


def program():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(),
        torch.nn.Flatten(), torch.nn.Linear(4 * 36, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.utils.data.TensorDataset(
        torch.randn(16, 3, 8, 8), torch.zeros(16, dtype=torch.long))

    def train(profile):
        for inputs, labels in torch.utils.data.DataLoader(data, batch_size=4):
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            profile.step()

    return train


def run(module, train, **more):
    with module.profile(
            activities=[module.ProfilerActivity.CPU],
            schedule=module.schedule(wait=0, warmup=1, active=3, repeat=1),
            **more) as profile:
        train(profile)
    return profile


def main():
    folder = pathlib.Path(sys.argv[1])
    train = program()
    run(theirs, train)  # what happens once only
    stated = run(theirs, train)
    run(ours, train, on_trace_ready=ours.tensorboard_trace_handler(
        str(folder / "log"), "worker"))
    (folder / "stated.json").write_text(json.dumps(
        {row.key: row.count for row in stated.key_averages()}))


main()
