# SPDX-License-Identifier: Apache-2.0
"""Real changes, before and after: what `stepscope whatif` must predict.

usage: pairs.py OUT [CASE...]

Each case trains the same model twice, as it was and with one change. For both
it writes the median step without any profiler (OUT/times.json, milliseconds)
and a trace of torch.profiler (OUT/CASE.before.json.gz, OUT/CASE.after.json.gz).
A step is what a training loop sees: nothing waits for the device between steps.
"""

import json
import os
import pathlib
import statistics
import sys
import time

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

WARM_UP, TIMED, ROUNDS = 15, 40, 5


def gpt(layers, width, batch, length):
    block = nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0,
                                       batch_first=True, norm_first=True)
    model = nn.Sequential(nn.Embedding(1000, width),
                          nn.TransformerEncoder(block, layers),
                          nn.Linear(width, 1000)).cuda()
    x = torch.randint(0, 1000, (batch, length), device="cuda")
    return model, x


def cnn():
    layers = []
    for size_in, size_out in ((3, 32), (32, 64), (64, 128)):
        layers += [nn.Conv2d(size_in, size_out, 3, padding=1),
                   nn.BatchNorm2d(size_out), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(128 * 16, 10)).cuda()


class Images(Dataset):
    """Samples that cost some processor time to make."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        image = torch.full((3, 32, 32), float(index % 7))
        for _ in range(4):
            image = (image * 1.01).roll(1, 2)
        return image, index % 10


class Gpt:
    """A step of a language model; the options are the changes."""

    def __init__(self, layers=6, width=512, batch=8, length=256, fused=False,
                 item_every=0, graph=False):
        torch.manual_seed(0)
        self.model, self.x = gpt(layers, width, batch, length)
        self.target = self.x.flatten()
        self.item_every = item_every
        self.loss = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=1e-4, capturable=graph,
            **({"fused": True} if fused else {"foreach": False}))
        self.graph = None
        if graph:
            self.capture()

    def work(self):
        self.optimizer.zero_grad(set_to_none=self.graph is None)
        y = self.x
        for index, part in enumerate(self.model):
            if isinstance(part, nn.TransformerEncoder):
                for layer in part.layers:
                    y = layer(y)
                    if self.item_every:
                        y.sum().item()
            else:
                y = part(y)
        self.loss(y.flatten(0, 1), self.target).backward()
        self.optimizer.step()

    def capture(self):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.work()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        self.optimizer.zero_grad(set_to_none=True)
        with torch.cuda.graph(graph):
            self.work()
        self.graph = graph

    def step(self):
        if self.graph is not None:
            self.graph.replay()
        else:
            self.work()


class Cnn:
    def __init__(self, workers):
        torch.manual_seed(0)
        torch.set_num_threads(4)
        self.model = cnn()
        self.loss = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4,
                                           foreach=True)
        self.batches = iter(DataLoader(
            Images(), batch_size=64, num_workers=workers,
            pin_memory=workers > 0, persistent_workers=workers > 0))

    def step(self):
        x, target = next(self.batches)
        x = x.cuda(non_blocking=True)
        target = target.cuda(non_blocking=True)
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.model(x), target).backward()
        self.optimizer.step()


def precise(value, make):
    def made():
        torch.backends.cuda.matmul.allow_tf32 = value
        return make()
    return made


BIG = dict(layers=4, width=2048, batch=8, length=512, fused=True)
CASES = {  # name: (before, after)
    "loader_workers": (lambda: Cnn(0), lambda: Cnn(8)),
    "sync_removed": (lambda: Gpt(item_every=1), Gpt),
    "sync_removed_big": (lambda: Gpt(item_every=1, **BIG),
                         lambda: Gpt(**BIG)),
    "cuda_graph": (Gpt, lambda: Gpt(graph=True)),
    "fused_optimizer": (Gpt, lambda: Gpt(fused=True)),
    "tensor_cores_gpu_bound": (precise(False, lambda: Gpt(**BIG)),
                               precise(True, lambda: Gpt(**BIG))),
    "tensor_cores_host_bound": (precise(False, Gpt), precise(True, Gpt)),
}


def unprofiled_ms(trainer):
    """Median over rounds of the time per step, the device waited for at the
    end of a round only."""
    rounds = []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(TIMED):
            trainer.step()
        torch.cuda.synchronize()
        rounds.append(1e3 * (time.perf_counter() - begin) / TIMED)
    return statistics.median(rounds), min(rounds), max(rounds)


def record(trainer, path):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
                 schedule=schedule(wait=0, warmup=3, active=8, repeat=1),
                 on_trace_ready=lambda p: p.export_chrome_trace(path)) as prof:
        for _ in range(11):
            trainer.step()
            prof.step()


def one_arm(case, arm, out):
    torch.backends.cuda.matmul.allow_tf32 = False
    trainer = CASES[case][arm]()
    for _ in range(WARM_UP):
        trainer.step()
    times = unprofiled_ms(trainer)
    record(trainer, str(out / f"{case}.{('before', 'after')[arm]}.json.gz"))
    print(f"{case} {('before', 'after')[arm]}: {times[0]:.3f} ms "
          f"({times[1]:.3f} to {times[2]:.3f})", flush=True)
    return times


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) == 4 and sys.argv[3] in ("0", "1"):
        times = one_arm(sys.argv[2], int(sys.argv[3]), out)
        path = out / f"{sys.argv[2]}.{sys.argv[3]}.time"
        path.write_text(json.dumps(times), encoding="utf-8")
        return
    all_times = {}
    for case in sys.argv[2:] or CASES:
        times = []
        for arm in (0, 1):  # a process each: no arm warms the other up
            code = os.spawnv(os.P_WAIT, sys.executable, [
                sys.executable, __file__, str(out), case, str(arm)])
            path = out / f"{case}.{arm}.time"
            if code != 0 or not path.exists():
                print(f"{case}: arm {arm} failed", flush=True)
                break
            times.append(json.loads(path.read_text(encoding="utf-8")))
            path.unlink()
        if len(times) == 2:
            all_times[case] = {"before_ms": times[0], "after_ms": times[1],
                               "saving": 1 - times[1][0] / times[0][0]}
    (out / "times.json").write_text(json.dumps(all_times, indent=1),
                                    encoding="utf-8")


if __name__ == "__main__":
    main()
