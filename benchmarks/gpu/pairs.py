# SPDX-License-Identifier: Apache-2.0
"""Real changes, before and after: what `stepscope whatif` must predict.

usage: pairs.py OUT [CASE...]

Each case trains the same model twice, as it was and with one change, in a
process of its own. Without any profiler the two take turns in short rounds,
because a machine's speed drifts over minutes by more than many changes save.
Then torch.profiler records each (OUT/CASE.before.json.gz and
OUT/CASE.after.json.gz). OUT/times.json holds, per case:

  before_ms, after_ms  time per step: median, least, greatest of the rounds'
                       medians
  saving               median of the rounds' savings; saving_range: least and
                       greatest
  mean_saving          the same from the rounds' means; mean_saving_range
  rounds               each round: the medians and means of both

Medians leave hiccups out; means count the steps that wait for a slow batch. A
step is what a training loop sees: nothing waits for the device between steps.
All cases take about five minutes.
"""

import contextlib
import json
import pathlib
import statistics
import subprocess
import sys

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

ROUNDS, WARM_UP = 9, 12
STEPS, LEAST_STEPS, ROUND_MS = 25, 15, 1700  # steps of a round: see pace()
CASE_SECONDS = 150  # a case that takes longer hangs


def gpt(layers, width, batch, length):
    block = nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0,
                                       batch_first=True, norm_first=True)
    model = nn.Sequential(nn.Embedding(1000, width),
                          nn.TransformerEncoder(block, layers),
                          nn.Linear(width, 1000)).cuda()
    x = torch.randint(0, 1000, (batch, length), device="cuda")
    return model, x


def cnn(size):
    layers = []
    for size_in, size_out in ((3, 32), (32, 64), (64, 128)):
        layers += [nn.Conv2d(size_in, size_out, 3, padding=1),
                   nn.BatchNorm2d(size_out), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.Flatten(), nn.Linear(2 * size * size, 10)]
    return nn.Sequential(*layers).cuda()


class Images(Dataset):
    """Samples that cost some processor time to make."""

    def __init__(self, size, rolls):
        self.size, self.rolls = size, rolls

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        image = torch.full((3, self.size, self.size), float(index % 7))
        for _ in range(self.rolls):
            image = (image * 1.01).roll(1, 2)
        return image, index % 10


class Gpt:
    """A step of a language model; the options are the changes."""

    settle = 3

    def __init__(self, layers=6, width=512, batch=8, length=256,
                 optimizer="foreach=False", item_every=0, graph=False,
                 tf32=False, bf16=False):
        torch.manual_seed(0)
        self.tf32, self.bf16 = tf32, bf16
        self.prepare()
        self.model, self.x = gpt(layers, width, batch, length)
        self.target = self.x.flatten()
        self.item_every = item_every
        self.loss = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=1e-4, capturable=graph,
            **OPTIMIZERS[optimizer])
        self.graph = None
        if graph:
            self.capture()

    def prepare(self):
        """Sets what all models of the process share."""
        torch.backends.cuda.matmul.allow_tf32 = self.tf32

    def forward(self):
        y = self.x
        for part in self.model:
            if isinstance(part, nn.TransformerEncoder):
                for layer in part.layers:
                    y = layer(y)
                    if self.item_every:
                        y.sum().item()
            else:
                y = part(y)
        return self.loss(y.flatten(0, 1), self.target)

    def work(self):
        self.optimizer.zero_grad(set_to_none=self.graph is None)
        with (torch.autocast("cuda", torch.bfloat16) if self.bf16
              else contextlib.nullcontext()):
            loss = self.forward()
        loss.backward()
        self.optimizer.step()

    def capture(self):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
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
    """A step of an image model that a loader feeds."""

    def __init__(self, workers, pinned, wait=False, size=32, batch=64,
                 rolls=4):
        torch.manual_seed(0)
        torch.set_num_threads(4)
        self.model = cnn(size)
        self.loss = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4,
                                           foreach=True)
        self.wait = wait  # for the copy to end
        self.batches = iter(DataLoader(
            Images(size, rolls), batch_size=batch, num_workers=workers,
            pin_memory=pinned, persistent_workers=workers > 0))
        # While the other model has its turn the workers make two batches each
        # in advance. These must be used up before the time counts.
        self.settle = 3 + 2 * workers

    def prepare(self):
        torch.backends.cuda.matmul.allow_tf32 = False

    def step(self):
        x, target = next(self.batches)
        x = x.cuda(non_blocking=not self.wait)
        target = target.cuda(non_blocking=not self.wait)
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.model(x), target).backward()
        self.optimizer.step()


OPTIMIZERS = {"foreach=False": {"foreach": False},
              "foreach=True": {"foreach": True}, "fused": {"fused": True}}
BIG = {"layers": 4, "width": 2048, "batch": 8, "length": 512,
       "optimizer": "fused"}
IMAGES = {"size": 64, "batch": 128, "rolls": 0}
CASES = {  # name: (before, after)
    "loader_workers": (lambda: Cnn(0, False), lambda: Cnn(8, True)),
    "pinned_copies": (lambda: Cnn(8, False, wait=True, **IMAGES),
                      lambda: Cnn(8, True, **IMAGES)),
    "sync_removed": (lambda: Gpt(item_every=1), Gpt),
    "sync_removed_big": (lambda: Gpt(item_every=1, **BIG),
                         lambda: Gpt(**BIG)),
    "cuda_graph": (Gpt, lambda: Gpt(graph=True)),
    "foreach_optimizer": (Gpt, lambda: Gpt(optimizer="foreach=True")),
    "fused_optimizer": (Gpt, lambda: Gpt(optimizer="fused")),
    "tensor_cores_gpu_bound": (lambda: Gpt(**BIG),
                               lambda: Gpt(tf32=True, **BIG)),
    "tensor_cores_host_bound": (Gpt, lambda: Gpt(tf32=True)),
    "bf16_autocast_gpu_bound": (lambda: Gpt(**BIG),
                                lambda: Gpt(bf16=True, **BIG)),
}
ARMS = ("before", "after")


def time_round(trainer, steps):
    """Median and mean time per step, from when the device ends each step."""
    trainer.prepare()
    for _ in range(trainer.settle):
        trainer.step()
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
    ends[0].record()
    for end in ends[1:]:
        trainer.step()
        end.record()
    torch.cuda.synchronize()
    times = [a.elapsed_time(b) for a, b in zip(ends, ends[1:])]
    return statistics.median(times), statistics.mean(times)


def pace(trainers):
    """Warms up; the steps of a round, fewer where a step takes long."""
    slowest = max(time_round(trainer, WARM_UP)[0] for trainer in trainers)
    return max(LEAST_STEPS, min(STEPS, int(ROUND_MS / slowest)))


def summarize(values):
    return [statistics.median(values), min(values), max(values)]


def time_pair(trainers):
    steps = pace(trainers)
    rounds = [[time_round(trainer, steps) for trainer in trainers]
              for _ in range(ROUNDS)]
    medians = [[times[0] for times in one] for one in rounds]
    means = [[times[1] for times in one] for one in rounds]
    saving = summarize([1 - after / before for before, after in medians])
    mean_saving = summarize([1 - after / before for before, after in means])
    return {"before_ms": summarize([before for before, _ in medians]),
            "after_ms": summarize([after for _, after in medians]),
            "saving": saving[0], "saving_range": saving[1:],
            "mean_saving": mean_saving[0],
            "mean_saving_range": mean_saving[1:], "steps": steps,
            "rounds": {"median_ms": medians, "mean_ms": means}}


def record(trainer, path):
    trainer.prepare()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
                 schedule=schedule(wait=0, warmup=trainer.settle, active=8,
                                   repeat=1),
                 on_trace_ready=lambda p: p.export_chrome_trace(path)) as prof:
        for _ in range(trainer.settle + 8):
            trainer.step()
            prof.step()


def run_case(case, out):
    trainers = [make() for make in CASES[case]]
    times = time_pair(trainers)
    # Only now: a profiler leaves something behind in its process.
    for arm, trainer in zip(ARMS, trainers):
        record(trainer, str(out / f"{case}.{arm}.json.gz"))
    (out / f"{case}.times").write_text(json.dumps(times), encoding="utf-8")


def line(case, times):
    before, after = times["before_ms"], times["after_ms"]
    low, high = times["saving_range"]
    return (f"{case:<24} {before[0]:8.3f} ms ({before[1]:.3f}..{before[2]:.3f})"
            f" -> {after[0]:8.3f} ms ({after[1]:.3f}..{after[2]:.3f})  saves "
            f"{100 * times['saving']:.1f} % "
            f"({100 * low:.1f}..{100 * high:.1f} %), by means "
            f"{100 * times['mean_saving']:.1f} %")


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    if sys.argv[2:3] == ["--here"]:
        run_case(sys.argv[3], out)
        return 0
    all_times, failed = {}, []
    for case in sys.argv[2:] or CASES:
        path = out / f"{case}.times"
        try:
            subprocess.run([sys.executable, __file__, str(out), "--here",
                            case], check=True, timeout=CASE_SECONDS)
        except subprocess.SubprocessError as error:
            print(f"{case}: {error}", flush=True)
            failed.append(case)
            continue
        all_times[case] = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
        print(line(case, all_times[case]), flush=True)
        (out / "times.json").write_text(json.dumps(all_times, indent=1),
                                        encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
