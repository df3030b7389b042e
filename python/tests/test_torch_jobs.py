# SPDX-License-Identifier: Apache-2.0
"""Whole programs with torch: what the tables say of them, several processes,
torch.compile, endings."""

import importlib.util
import json
import subprocess
import sys
import unittest

import support
from stepscope import _native_files

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed")

STAGES = ("Dataloader", "Forward", "Backward", "Optimization")

# A small network, and images that take their time to load. One worker begins
# with a batch when the model is done with the one before: too few. With four,
# the model takes until the next batch is there: enough. So it is however slow
# the machine is.
TRAINING = """
import multiprocessing, sys, time
import stepscope
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Images(Dataset):
    def __len__(self):
        return 8 * BATCHES
    def __getitem__(self, index):
        while few.value and trained.value < index // 8:
            time.sleep(0.001)
        time.sleep(0.01)
        loaded[index] = 1
        return torch.zeros(3, 16, 16), index % 4

BATCHES = 20
loaded = multiprocessing.Array("i", 8 * BATCHES)
trained = multiprocessing.Value("i", 0)
few = multiprocessing.Value("i", 0)

class Net(nn.Module):
    def __init__(self, workers):
        super().__init__()
        self.workers, self.batch = workers, 0
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(),
                                      nn.Flatten())
        self.head = nn.Linear(8 * 14 * 14, 4)
    def forward(self, x):
        time.sleep(0.04)
        # The worker of the next batch has loaded the one after it.
        self.batch += 1
        last = 8 * (self.batch + self.workers) + 7
        while not few.value and last < len(loaded) and not loaded[last]:
            time.sleep(0.001)
        return self.head(self.features(x))

def train(workers, path):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    few.value = workers == 1
    net, loss = Net(workers), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with stepscope.Profiler(
            targets=[stepscope.ProfilerTarget.CPU], scheduler=(4, 12),
            on_trace_ready=lambda prof: prof.export(path, "capture")) as prof:
        for images, labels in DataLoader(Images(), batch_size=8,
                                         num_workers=workers):
            optimizer.zero_grad()
            loss(net(images), labels).backward()
            optimizer.step()
            trained.value += 1
            prof.step(8)

if __name__ == "__main__":
    train(int(sys.argv[1]), sys.argv[2])
"""


def stages(path):
    """The rows of the Model Summary by name."""
    said = json.loads(_native_files.run("summary", path, "--views", "model",
                                        "--format", "json"))
    return {row["name"]: row for row in said["model"]}


class StoryTest(support.InOwnFolder):
    """As the guides tell it: too few workers, then enough."""

    def test_more_workers_take_loading_off_the_steps(self):
        share = {}
        for workers in (1, 4):
            path = f"{workers}.sscap"
            support.run_script(TRAINING, str(workers), path)
            rows = stages(path)
            self.assertLessEqual(set(STAGES), set(rows))
            self.assertEqual(rows["ProfileStep"]["calls"], 8)
            share[workers] = rows["Dataloader"]["cpu"]["ratio"]
        self.assertGreater(share[1], share[4])


DISTRIBUTED = """
import os, sys
import stepscope
import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

def train(rank):
    distributed.init_process_group(
        "gloo", init_method="file://" + os.path.abspath("store"), rank=rank,
        world_size=2)
    torch.manual_seed(0)
    net = DistributedDataParallel(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with stepscope.Profiler(
            targets=[stepscope.ProfilerTarget.CPU],
            on_trace_ready=lambda prof: prof.export(f"{rank}.json")) as prof:
        for step in range(3):
            net(torch.full((2, 4), float(rank))).sum().backward()
            optimizer.step()
            prof.step()
    distributed.destroy_process_group()

if __name__ == "__main__":
    context = torch.multiprocessing.spawn(train, nprocs=2)
"""


class ProcessesTest(support.InOwnFolder):
    def test_two_ranks_over_gloo(self):
        import torch.distributed

        if not torch.distributed.is_available():
            self.skipTest("this torch has no torch.distributed")
        support.run_script(DISTRIBUTED, env={"GLOO_SOCKET_IFNAME": "lo"})
        for rank in (0, 1):
            seen = [event["name"]
                    for event in support.read_events(f"{rank}.json")
                    if event["name"] in STAGES]
            self.assertEqual(seen, ["Forward", "Backward", "Optimization"] * 3)

    def loading(self, text):
        """What a loop over a DataLoader in a program of its own says."""
        return support.run_script("""
import os, signal, sys, time
import stepscope
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

class Numbers(Dataset):
    kill_at = None
    def __len__(self):
        return 8
    def __getitem__(self, index):
        if index == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        with stepscope.RecordEvent("item"):
            return torch.nn.Identity()(torch.tensor(index))

def record(loop):
    with stepscope.Profiler(
            targets=[stepscope.ProfilerTarget.CPU],
            on_trace_ready=lambda prof: prof.export("t.json")):
        loop()

if __name__ == "__main__":
""" + text)

    def names(self):
        return support.count(support.read_events("t.json"))

    def test_workers_however_they_are_started(self):
        for way in ("fork", "spawn", "forkserver"):
            with self.subTest(way=way):
                said = self.loading(f"""
    def loop():
        print(sum(int(item) for item in DataLoader(
            Numbers(), batch_size=None, num_workers=2,
            multiprocessing_context="{way}")))
    record(loop)
""").stdout
                self.assertEqual(said.split()[0], "28")
                # The waiting is recorded, what workers do is not.
                self.assertEqual(self.names()["Dataloader"], 9)
                self.assertNotIn("item", self.names())

    def test_a_worker_that_is_killed(self):
        said = self.loading("""
    Numbers.kill_at = 0  # while the loop waits for it
    def loop():
        try:
            for item in DataLoader(Numbers(), batch_size=None, num_workers=1,
                                   multiprocessing_context="fork"):
                pass
        except RuntimeError:
            print("killed")
        print(int(torch.nn.Identity()(torch.tensor(3))))
    record(loop)
""").stdout
        self.assertEqual(said.split()[:2], ["killed", "3"])
        self.assertEqual(self.names()["Forward"], 1)


class ImportTest(support.InOwnFolder):
    def test_torch_may_be_imported_after_the_start(self):
        support.run_script("""
import stepscope, sys
prof = stepscope.Profiler(targets=[stepscope.ProfilerTarget.CPU],
                          on_trace_ready=lambda p: p.export("t.json"))
prof.start()
assert "torch" not in sys.modules
import torch
prof.step()
torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()
prof.stop()
""")
        seen = support.count(support.read_events("t.json"))
        self.assertEqual((seen.get("Forward"), seen.get("Backward")), (1, 1))

    def test_without_a_profiler(self):
        """As a program that is recorded from outside."""
        support.run_script("""
import stepscope
from stepscope import _session, _torch
_torch.install()
import torch
session = _session.Session(False)
torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()
import shutil
shutil.copy(session.stop(), "t.sscap")
session.remove()
""")
        _native_files.run("convert", "t.sscap", "-o", "t.json", "--to",
                          "chrome")
        seen = support.count(support.read_events("t.json"))
        self.assertEqual((seen.get("Forward"), seen.get("Backward")), (1, 1))


COMPILED = """
import sys
recorded = sys.argv[1] == "recorded"
if recorded:
    import stepscope
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.head = nn.Linear(4, 1)
    def forward(self, x):
        return self.head(self.layers(x)).sum()

sizes = []

def backend(graph, inputs):
    sizes.append(len(graph.graph.nodes))
    return graph.forward

def compiled():
    import torch._dynamo
    from torch._dynamo.utils import counters

    counters.clear()
    torch._dynamo.reset()
    sizes.clear()
    net = Net()
    run = torch.compile(net, backend=backend)
    for _ in range(2):
        run(torch.ones(2, 4)).backward()
    if hasattr(net, "compile"):
        other = Net()
        other.compile(backend=backend)
        other(torch.ones(2, 4)).backward()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    torch.compile(lambda: optimizer.step(), backend=backend)()
    return list(sizes), sum(counters["graph_break"].values())

print(compiled())
if recorded:
    with stepscope.Profiler(
            targets=[stepscope.ProfilerTarget.CPU],
            on_trace_ready=lambda prof: prof.export("t.json")):
        print(compiled())
"""


class CompileTest(support.InOwnFolder):
    def test_graphs_are_the_same(self):
        import torch

        if not hasattr(torch, "compile"):
            self.skipTest(f"torch {torch.__version__} has no torch.compile")
        bare = support.run_script(COMPILED, "bare").stdout.splitlines()
        seen = support.run_script(COMPILED, "recorded").stdout.splitlines()
        self.assertEqual(seen[:2], [bare[0]] * 2)
        names = support.count(support.read_events("t.json"))
        self.assertGreaterEqual(names["Forward"], 3)
        self.assertEqual(names["Backward"], 3)

UNCHANGED = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.set_num_threads(1)
model = nn.Linear(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(12, 8), torch.randn(12, 4))
for x, y in DataLoader(data, batch_size=2):
    optimizer.zero_grad()
    ((model(x) - y) ** 2).mean().backward()
    optimizer.step()
"""


class UnderRunTest(support.InOwnFolder):
    def test_stages_of_a_program_without_a_profiler(self):
        with open("train.py", "w", encoding="utf-8") as file:
            file.write(UNCHANGED)
        done = subprocess.run(
            [_native_files.PROGRAM, "run", "--quiet", "--no-gpu", "--out",
             "log", "--", sys.executable, "train.py"], check=False,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=240)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        model = {row["name"]: row for row in json.loads(_native_files.run(
            "summary", "log", "--views", "model", "--format", "json"))["model"]}
        for stage in ("Forward", "Backward"):
            # Told by the interpreter, not concluded from operators.
            self.assertFalse(model[stage]["inferred"], stage)
            self.assertEqual(model[stage]["calls"], 6, stage)
        self.assertGreaterEqual(model["Dataloader"]["calls"], 6)
        self.assertGreaterEqual(model["Optimization"]["calls"], 6)


if __name__ == "__main__":
    unittest.main()
