# SPDX-License-Identifier: Apache-2.0
"""One arm of the training benchmark: a long-lived process that trains on
command, recorded in one way. tools/gpu_check starts one per arm and lets them
take turns.

usage: train.py MODEL ARM [LIBRARY]

MODEL  gpt (launch-bound), cnn (small), big (GPU-bound)
ARM    plain, bare (CUPTI alone), bare_kernels (the same, kernels
       only), gpu (stepscope, device only), all (stepscope, operators and
       device), torch (torch.profiler, CPU + CUDA), package (stepscope.Profiler
       of the Python package: stages, operators and device), package_gpu (the
       same without stages and operators); torch_shapes and package_shapes
       record shapes too

Each line "N" on standard input runs N steps and prints their median in
milliseconds, "best N" the fastest, "mean N" their mean; "table FILE" writes the
kernel table of torch.profiler, or stops stepscope's session, whose capture is
FILE.
"""

import ctypes
import json
import os
import sys
import time

import torch
from torch import nn


def gpt(layers=6, width=512, batch=8, length=256):
    block = nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0,
                                       batch_first=True, norm_first=True)
    model = nn.Sequential(nn.Embedding(1000, width),
                          nn.TransformerEncoder(block, layers),
                          nn.Linear(width, 1000)).cuda()
    x = torch.randint(0, 1000, (batch, length), device="cuda")
    return model, x, x.flatten(), lambda y: y.flatten(0, 1)


def cnn():
    layers = []
    for size_in, size_out in ((3, 32), (32, 64), (64, 128)):
        layers += [nn.Conv2d(size_in, size_out, 3, padding=1),
                   nn.BatchNorm2d(size_out), nn.ReLU(), nn.MaxPool2d(2)]
    model = nn.Sequential(*layers, nn.Flatten(),
                          nn.Linear(128 * 16, 10)).cuda()
    x = torch.randn(64, 3, 32, 32, device="cuda")
    return model, x, torch.randint(0, 10, (64,), device="cuda"), lambda y: y


MODELS = {"gpt": gpt, "cnn": cnn,
          "big": lambda: gpt(layers=4, width=2048, batch=8, length=512)}


class Trainer:
    def __init__(self, name):
        torch.manual_seed(0)
        self.model, self.x, self.target, self.shape = MODELS[name]()
        self.optimizer = torch.optim.AdamW(self.model.parameters(),
                                           lr=1e-4, foreach=False)
        self.loss = nn.CrossEntropyLoss()
        self.end_step = lambda: None  # the profiler's step(), where it has one

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.shape(self.model(self.x)), self.target).backward()
        self.optimizer.step()

    def times_ms(self, steps):
        times = []
        for _ in range(steps):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            self.step()
            self.end_step()
            torch.cuda.synchronize()
            times.append(1e3 * (time.perf_counter() - begin))
        return sorted(times)

    def median_ms(self, steps):
        return self.times_ms(steps)[steps // 2]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("path", ctypes.c_char_p), ("budget", ctypes.c_uint64),
                ("max_file", ctypes.c_uint64)]


def start_package(arm, capture, trainer):
    """The Python package, as a program uses it."""
    import stepscope

    profiler = stepscope.Profiler(
        targets=[stepscope.ProfilerTarget.CPU, stepscope.ProfilerTarget.GPU],
        record_shapes=arm.endswith("shapes"),
        frameworks=arm != "package_gpu",
        on_trace_ready=lambda prof: prof.export(capture, "capture"))
    profiler.start()
    trainer.end_step = profiler.step

    def stop(_):
        trainer.end_step = lambda: None
        profiler.stop()
    return stop


def start(arm, path, capture, trainer):
    """Starts recording; returns what stops it and writes a table."""
    if arm == "plain":
        return lambda _: None
    if arm.startswith("package"):
        return start_package(arm, capture, trainer)
    if arm.startswith("torch"):
        from torch.profiler import ProfilerActivity, profile
        profiler = profile(activities=[ProfilerActivity.CPU,
                                       ProfilerActivity.CUDA],
                           record_shapes=arm.endswith("shapes"))
        profiler.start()
        trainer.end_step = profiler.step

        def stop_torch(out):
            trainer.end_step = lambda: None
            profiler.stop()
            rows = {}
            for event in profiler.key_averages():
                # Annotations are shown on the device but are no kernels.
                if (event.device_type == torch.autograd.DeviceType.CUDA
                        and not getattr(event, "is_user_annotation", False)):
                    rows[event.key] = [event.count,
                                       event.self_device_time_total]
            with open(out, "w", encoding="utf-8") as file:
                json.dump(rows, file)
        return stop_torch
    library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    if arm.startswith("bare"):
        begin = (library.bare_start_kernels if arm == "bare_kernels"
                 else library.bare_start)
        if begin() != 0:
            sys.exit("train.py: bare CUPTI did not start")
        return lambda _: library.bare_stop()
    options = Options(ctypes.sizeof(Options), 0, capture.encode(), 0, 0)
    if library.stepscope_start(ctypes.byref(options)) != 0:
        sys.exit("train.py: stepscope did not start")
    report = ctypes.create_string_buffer(1024)
    library.stepscope_device_report(report, 1024)
    print(report.value.decode(), file=sys.stderr, flush=True)
    if arm == "all":
        observer = ctypes.CDLL(os.environ["STEPSCOPE_TORCH_LIBRARY"],
                               mode=ctypes.RTLD_GLOBAL)
        del observer  # it observes from its constructor on

    def stop_stepscope(_):
        library.stepscope_session.restype = ctypes.c_uint64
        library.stepscope_stop()
        library.stepscope_wait(ctypes.c_uint64(library.stepscope_session()),
                               60000)
    return stop_stepscope


def main():
    model, arm = sys.argv[1], sys.argv[2]
    path = sys.argv[3] if len(sys.argv) > 3 else ""
    trainer = Trainer(model)
    trainer.median_ms(20)
    stop = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "start":
            stop = start(arm, path, words[1], trainer)
            trainer.median_ms(5)
            print("started", flush=True)
        elif words[0] == "table":
            stop(words[1])
            print("stopped", flush=True)
        elif words[0] == "best":
            print(f"{trainer.times_ms(int(words[1]))[0]:.4f}", flush=True)
        elif words[0] == "mean":
            times = trainer.times_ms(int(words[1]))
            print(f"{sum(times) / len(times):.4f}", flush=True)
        else:
            print(f"{trainer.median_ms(int(words[0])):.4f}", flush=True)


if __name__ == "__main__":
    main()
