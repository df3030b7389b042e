# SPDX-License-Identifier: Apache-2.0
"""The stages of torch's training steps, in this process. test_torch_jobs.py
has whole programs."""

import os
import sys
import threading
import unittest

import stepscope
import support
from stepscope import _stages, _torch

try:
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint
    from torch.utils.data import DataLoader, Dataset
except ImportError as error:
    raise unittest.SkipTest(f"torch is not installed: {error}")

STAGES = ("Dataloader", "Forward", "Backward", "Optimization")
ITEMS, BATCH = 12, 4
BATCHES = ITEMS // BATCH


class Numbers(Dataset):
    def __init__(self, transform=None, fails_at=None):
        self.transform = transform
        self.fails_at = fails_at

    def __len__(self):
        return ITEMS

    def __getitem__(self, index):
        if index == self.fails_at:
            raise ValueError("item")
        item = torch.full((4,), float(index))
        return self.transform(item) if self.transform else item


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


class Net(nn.Module):
    def __init__(self, reentrant=None):
        super().__init__()
        self.block, self.head = Block(), nn.Linear(4, 1)
        self.reentrant = reentrant

    def forward(self, x):
        if self.reentrant is None:
            return self.head(self.block(x)).sum()
        x = x.clone().requires_grad_()
        return self.head(checkpoint(self.block, x,
                                    use_reentrant=self.reentrant)).sum()


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        raise ValueError("backward")


def train(net=None, optimizer=None, **loading):
    net = net or Net()
    optimizer = optimizer or torch.optim.SGD(net.parameters(), lr=0.1)
    for x in DataLoader(loading.pop("data", Numbers()), batch_size=BATCH,
                        **loading):
        optimizer.zero_grad()
        net(x).backward()
        optimizer.step()


def stages(events):
    return [event["name"] for event in events if event["name"] in STAGES]


def intervals(events, name):
    return [(event["ts"], event["ts"] + event["dur"]) for event in events
            if event["name"] == name]


class StagesTest(support.InOwnFolder):
    def assert_full_steps(self, events, count=BATCHES):
        # The last Dataloader finds that there is no further batch.
        self.assertEqual(stages(events), list(STAGES) * count + ["Dataloader"])
        for event in events:
            if event["name"] in STAGES:
                self.assertEqual(event["cat"], event["name"])

    def test_stages_of_each_step_in_their_order(self):
        self.assert_full_steps(support.record(train))

    def test_workers(self):
        self.assert_full_steps(support.record(lambda: train(num_workers=2)))

    def test_all_optimizers_and_those_made_before(self):
        for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop):
            net = Net()
            optimizer = kind(net.parameters(), lr=0.1)
            with self.subTest(kind=kind):
                self.assert_full_steps(
                    support.record(lambda: train(net, optimizer)))

    def test_an_optimizer_under_a_scheduler(self):
        def work():
            net = Net()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            rate = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            train(net, optimizer)
            rate.step()

        self.assert_full_steps(support.record(work))

    def test_recomputation_is_backward(self):
        for reentrant in (True, False):
            with self.subTest(reentrant=reentrant):
                events = support.record(lambda: train(Net(reentrant)))
                self.assert_full_steps(events)

    def test_gradient_accumulation(self):
        def work():
            net = Net()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(4):
                net(torch.ones(2, 4)).backward()
            optimizer.step()

        self.assertEqual(stages(support.record(work)),
                         ["Forward", "Backward"] * 4 + ["Optimization"])

    def test_gradients_alone(self):
        def work():
            x = torch.ones(2, 4, requires_grad=True)
            torch.autograd.grad(Net()(x), x)

        self.assertEqual(stages(support.record(work)), ["Forward", "Backward"])

    def test_modules_that_prepare_data_are_no_forward(self):
        events = support.record(
            lambda: train(data=Numbers(transform=nn.Identity())))
        self.assert_full_steps(events)

    def test_forward_on_each_thread(self):
        def work():
            threads = [threading.Thread(target=Net(), args=(torch.ones(2, 4),))
                       for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        self.assertEqual(stages(support.record(work)), ["Forward"] * 3)


class ErrorsTest(support.InOwnFolder):
    """What an exception leaves is closed: a full step after it is complete and
    lies outside of it."""

    def check(self, fails, error, expected):
        def work():
            with self.assertRaises(error):
                fails()
            train()

        events = support.record(work)
        self.assertEqual(stages(events), expected + list(STAGES) * BATCHES
                         + ["Dataloader"])
        for name in STAGES:
            ends = intervals(events, name)
            for (_, end), (begin, _) in zip(ends, ends[1:]):
                self.assertLessEqual(end, begin)

    def test_forward(self):
        self.check(lambda: Net()(torch.ones(2, 3)), RuntimeError, ["Forward"])

    def test_backward(self):
        def fails():
            x = torch.ones(2, 4, requires_grad=True)
            Fails.apply(Net()(x)).backward()

        self.check(fails, Exception, ["Forward", "Backward"])

    def test_optimizer(self):
        def fails():
            net = Net()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            net(torch.ones(2, 4)).backward()
            optimizer.param_groups[0]["lr"] = "much"
            optimizer.step()

        self.check(fails, Exception, ["Forward", "Backward", "Optimization"])

    def test_dataset(self):
        for workers in (0, 1):
            with self.subTest(workers=workers):
                self.check(lambda: train(data=Numbers(fails_at=5),
                                         num_workers=workers),
                           ValueError, list(STAGES) + ["Dataloader"])


class ReaderTest(support.InOwnFolder):
    def reader_costs(self, loop):
        """How often the benchmark timer was told of a read."""
        prof = stepscope.Profiler(targets=[stepscope.ProfilerTarget.CPU],
                                  on_trace_ready=lambda p: p.export("t.json"))

        def run():
            with prof:
                loop(prof)

        said = self.printed(run)
        return said, stages(support.read_events("t.json"))

    def test_reads_count_as_reader_cost(self):
        def loop(prof):
            for _ in range(2):  # two passes are one reader
                for _ in DataLoader(data, batch_size=BATCH):
                    prof.step(BATCH)

        data = Numbers()
        said, seen = self.reader_costs(loop)
        self.assertIn("reader_cost", said)
        self.assertIn(f"all {2 * BATCHES}", said)
        self.assertEqual(seen, ["Dataloader"] * (2 * BATCHES + 2))

    def test_read_is_not_recorded_twice(self):
        def loop(prof):
            for _ in stepscope.read(DataLoader(Numbers(), batch_size=BATCH)):
                prof.step(BATCH)

        _, seen = self.reader_costs(loop)
        self.assertEqual(seen, ["Dataloader"] * (BATCHES + 1))


class ModulesTest(support.InOwnFolder):
    def record(self, work):
        prof = stepscope.Profiler(targets=[stepscope.ProfilerTarget.CPU],
                                  with_modules=True,
                                  on_trace_ready=lambda p: p.export("t.json"))

        def run():
            with prof:
                work()

        self.printed(run)
        return support.count(support.read_events("t.json"))

    def test_names_by_their_place_in_the_model(self):
        seen = self.record(train)
        for name in ("Net", "Net.block", "Net.block.layers",
                     "Net.block.layers.0", "Net.block.layers.1", "Net.head"):
            self.assertEqual(seen.get(name), BATCHES, name)
        self.assertEqual(seen["Forward"], BATCHES)

    def test_off_by_default(self):
        self.assertNotIn("Net", support.count(support.record(train)))

    def test_a_module_that_dies_does_not_name_the_next(self):
        def work():
            for kind in (nn.Linear, nn.Bilinear, nn.Linear, nn.Bilinear) * 20:
                module = kind(4, 4) if kind is nn.Linear else kind(4, 4, 2)
                module(*[torch.ones(2, 4)] * (1 + (kind is nn.Bilinear)))
                addresses.add(id(module))
                del module  # the next one takes its place

        addresses = set()
        seen = self.record(work)
        self.assertLess(len(addresses), 80)
        self.assertEqual((seen["Linear"], seen["Bilinear"]), (40, 40))

    def test_an_exception_closes_them(self):
        def work():
            with self.assertRaises(RuntimeError):
                Net()(torch.ones(2, 3))
            Net()(torch.ones(2, 4))

        seen = self.record(work)
        self.assertEqual((seen["Net"], seen["Net.block.layers.0"],
                          seen["Net.head"]), (2, 2, 1))


class LifeTest(support.InOwnFolder):
    def test_can_be_turned_off(self):
        prof = stepscope.Profiler(targets=[stepscope.ProfilerTarget.CPU],
                                  frameworks=False,
                                  on_trace_ready=lambda p: p.export("t.json"))

        def run():
            with prof:
                train()

        self.printed(run)
        self.assertEqual(stages(support.read_events("t.json")), [])

    def test_stopped_within_a_stage(self):
        class Stops(nn.Module):
            def forward(self, x):
                prof.stop()
                return x

        prof = stepscope.Profiler(targets=[stepscope.ProfilerTarget.CPU],
                                  on_trace_ready=lambda p: p.export("t.json"))
        self.printed(prof.start)
        self.printed(lambda: Stops()(torch.ones(1)))
        self.assertEqual(stages(support.record(train)),
                         list(STAGES) * BATCHES + ["Dataloader"])

    def test_started_within_a_stage(self):
        class Starts(nn.Module):
            def forward(self, x):
                prof.start()
                return Net()(x)

        prof = stepscope.Profiler(targets=[stepscope.ProfilerTarget.CPU],
                                  on_trace_ready=lambda p: p.export("t.json"))

        def run():
            Starts()(torch.ones(2, 4))
            train()
            prof.stop()

        self.printed(run)
        seen = stages(support.read_events("t.json"))
        # Before 3.12 the call that was begun already is not seen to end.
        self.assertEqual(seen, ["Forward"] + list(STAGES) * BATCHES
                         + ["Dataloader"])

    @unittest.skipIf(sys.version_info < (3, 12), "needs sys.monitoring")
    def test_no_tool_is_left_and_none_is_taken_from_others(self):
        def tools():
            return [sys.monitoring.get_tool(number) for number in range(6)]

        before = tools()
        support.record(lambda: self.assertNotEqual(tools(), before))
        self.assertEqual(tools(), before)
        others = [number for number in range(6) if before[number] is None]
        for number in others:
            sys.monitoring.use_tool_id(number, "other")
            self.addCleanup(sys.monitoring.free_tool_id, number)
        # Replaced functions do it then, where torch.compile allows it.
        seen = []
        said = self.warned(lambda: seen.extend(stages(support.record(train))))
        if not hasattr(_stages, "StageFunction"):  # only the stable ABI
            self.assertRegex(" ".join(said), "stages of torch are not")
            return
        expected = list(STAGES)
        if "torch._dynamo" in sys.modules:
            expected.remove("Forward")
            self.assertRegex(" ".join(said), "Forward is not recorded, "
                             "because other tools use all ids")
        self.assertEqual(seen, expected * BATCHES + ["Dataloader"])

    def test_a_fork_within_a_stage(self):
        class Forks(nn.Module):
            def forward(self, x):
                child = os.fork()
                if child == 0:
                    Net()(x)
                    own = stepscope.Profiler(on_trace_ready=lambda p: None)
                    own.start()
                    own.stop()
                    # That was the only Profiler of this process.
                    os._exit(7 if _torch._way is None else 8)
                codes.append(os.waitstatus_to_exitcode(
                    os.waitpid(child, 0)[1]))
                return x

        codes = []
        events = support.record(lambda: [Forks()(torch.ones(2, 4)), train()])
        self.assertEqual(codes, [7])
        self.assertEqual(stages(events), ["Forward"] + list(STAGES) * BATCHES
                         + ["Dataloader"])


if __name__ == "__main__":
    unittest.main()
