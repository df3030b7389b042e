#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording a program of Paddle costs, against Paddle's own profiler.

usage: paddle_bench.py [--rounds 8] [--steps 100]

Training steps run plainly, under paddle.profiler and under
stepscope.profiler, in turns in one process. "steps" is the median step of a
window with the call of step(); "ends" is start() and stop(), with a callback
that does nothing, and what is freed then; "exported" the same with the default
callback, a Chrome trace. All are processor time of the training thread, the
least of all rounds and per step, so that other programs of the machine count as
little as can be. "added" is above the plain steps. Paddle exports on the
training thread, stepscope on another one.
"""

import argparse
import contextlib
import gc
import io
import os
import statistics
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("GLOG_minloglevel", "2")

import paddle  # noqa: E402
import paddle.profiler  # noqa: E402
import stepscope.profiler  # noqa: E402


def make_cnn():
    nn = paddle.nn
    net = nn.Sequential(nn.Conv2D(3, 4, 3), nn.BatchNorm2D(4), nn.ReLU(),
                        nn.MaxPool2D(2), nn.Conv2D(4, 4, 3),
                        nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten(),
                        nn.Linear(4 * 5 * 5, 10))
    return net, paddle.rand([2, 3, 16, 16])


def make_tiny():
    """The worst case: layers that do next to nothing."""
    layers = [paddle.nn.Linear(8, 8) for _ in range(8)]
    return paddle.nn.Sequential(*layers), paddle.rand([2, 8])


def make_step(make):
    net, data = make()
    optimizer = paddle.optimizer.SGD(parameters=net.parameters())

    def step():
        net(data).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    return step


def run_window(module, step, steps, exported):
    """Seconds of the thread: the median step, and the two ends."""
    prof, each = None, []
    begin = time.thread_time()
    if module is not None:
        how = {} if exported else {"on_trace_ready": lambda prof: None}
        prof = module.Profiler(**how)
        prof.start()
    ends = time.thread_time() - begin
    for _ in range(steps):
        begin = time.thread_time()
        step()
        if prof is not None:
            prof.step()
        each.append(time.thread_time() - begin)
    begin = time.thread_time()
    if prof is not None:
        prof.stop()
        del prof  # Paddle's trees are freed with it
    return statistics.median(each), ends + time.thread_time() - begin


def measure(step, rounds, steps, exported):
    """By module: the least median step, and the least ends."""
    arms = {"plain": None, "paddle": paddle.profiler,
            "stepscope": stepscope.profiler}
    least = {name: (float("inf"), float("inf")) for name in arms}
    with contextlib.redirect_stdout(io.StringIO()):
        for _ in range(rounds):
            for name, module in arms.items():
                gc.collect()  # there can be one tracer of Paddle only
                seen = run_window(module, step, steps, exported)
                least[name] = tuple(map(min, least[name], seen))
    return least


def show(title, plain, theirs, ours):
    """Seconds per step."""
    print(f"{title:22} plain {1e6 * plain:7.1f}  added by paddle "
          f"{1e6 * theirs:7.1f}  by stepscope {1e6 * ours:7.1f}  us per step: "
          f"{ours / theirs:.2f} x", flush=True)


def compare(model, step, args):
    for exported in (False, True):
        least = measure(step, args.rounds, args.steps, exported)
        plain = least["plain"][0]
        steps = [least[name][0] - plain for name in ("paddle", "stepscope")]
        ends = [least[name][1] / args.steps for name in ("paddle", "stepscope")]
        if not exported:
            show(f"{model}: steps", plain, *steps)
        what = "exported" if exported else "ends"
        show(f"{model}: steps + {what}", plain, *map(sum, zip(steps, ends)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for model, make in (("cnn", make_cnn), ("tiny", make_tiny)):
            step = make_step(make)
            for _ in range(20):
                step()
            compare(model, step, args)


if __name__ == "__main__":
    main()
