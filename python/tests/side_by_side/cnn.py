# SPDX-License-Identifier: Apache-2.0
"""Trains a small network of Paddle under a profiler, and writes what was
recorded.

usage: cnn.py MODULE WORKERS   (paddle.profiler or stepscope.profiler)
"""

import contextlib
import importlib
import io
import json
import sys

import numpy
import paddle
from paddle.io import DataLoader, Dataset

profiler = importlib.import_module(sys.argv[1])
BATCH = 8


class Images(Dataset):
    def __getitem__(self, index):
        return (numpy.full([3, 32, 32], index, "float32"),
                numpy.array([index % 10], "int64"))

    def __len__(self):
        return 8 * BATCH


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = paddle.nn.Sequential(
            paddle.nn.Conv2D(3, 8, 3), paddle.nn.BatchNorm2D(8),
            paddle.nn.ReLU(), paddle.nn.MaxPool2D(2), paddle.nn.Flatten(),
            paddle.nn.Linear(8 * 15 * 15, 10))

    def forward(self, images):
        return self.body(images)


def main():
    net = Net()
    optimizer = paddle.optimizer.Adam(parameters=net.parameters())
    loader = DataLoader(Images(), batch_size=BATCH,
                        num_workers=int(sys.argv[2]))
    prof = profiler.Profiler(
        scheduler=(2, 6),
        on_trace_ready=lambda prof: prof.export("trace.json", "json"))
    prof.start()
    for images, labels in loader:
        with profiler.RecordEvent("mine"):
            loss = paddle.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        prof.step(num_samples=BATCH)
    info = prof.step_info("images")
    with contextlib.redirect_stdout(io.StringIO()) as tables:
        prof.stop()
        prof.summary()
    used = paddle.profiler.utils._is_profiler_used
    with open("seen.json", "w", encoding="utf-8") as file:
        json.dump({"step_info": info, "tables": tables.getvalue(),
                   "used": used}, file)


if __name__ == "__main__":
    main()
