# SPDX-License-Identifier: Apache-2.0
"""Behaviour of torch.profiler that programs and tools rely on, by
stepscope.torch. Skipped without torch, or where that torch has no such
thing."""

import importlib.util
import unittest

import support
from stepscope.torch import ProfilerActivity, profile, schedule

CPU = [ProfilerActivity.CPU]


@unittest.skipIf(importlib.util.find_spec("torch") is None,
                 "torch is not installed")
class DropInTest(support.InOwnFolder):

    def setUp(self):
        super().setUp()
        import torch
        import torch.autograd.profiler

        self.torch = torch
        self.square = torch.ones(4, 4)

    def test_an_operator_has_the_function_that_began_the_profile(self):
        # It calls no function of Python in between.
        with profile(activities=CPU, with_stack=True) as prof:
            self.square.mm(self.square)
        (product,) = [event for event in prof.events()
                      if event.name == "aten::mm"]
        self.assertIn("test_an_operator_has", product.stack[0])
        self.assertIn("test_torch_drop_in.py(", product.stack[0])
        prof.export_stacks("stacks.txt")
        with open("stacks.txt", encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertTrue(lines)
        for line in lines:
            self.assertGreater(int(line.rsplit(" ", 1)[1]), 0)

    def test_each_window_has_such_stacks(self):
        stacks = []

        def ready(prof):
            stacks.extend(event.stack for event in prof.events()
                          if event.name == "aten::mm")

        with profile(activities=CPU, with_stack=True, on_trace_ready=ready,
                     schedule=schedule(wait=1, warmup=1, active=1)) as prof:
            for _ in range(6):
                self.square.mm(self.square)
                prof.step()
        self.assertEqual(len(stacks), 2)
        for stack in stacks:
            self.assertIn("test_each_window_has_such_stacks", stack[0])

    def fast_ranges(self):
        kinds = getattr(self.torch._C, "_profiler", None)
        if not hasattr(kinds, "_RecordFunctionFast"):
            self.skipTest("this torch has no _RecordFunctionFast")
        return kinds._RecordFunctionFast

    def test_fast_ranges_are_recorded(self):
        fast = self.fast_ranges()
        for memory in (False, True):
            with profile(activities=CPU, profile_memory=memory) as prof:
                with fast("outer"):
                    with fast("inner", [self.square]):
                        self.square.mm(self.square)
            named = {event.name: event for event in prof.events()}
            self.assertIs(named["inner"].cpu_parent, named["outer"])
            self.assertIs(named["aten::mm"].cpu_parent, named["inner"])
        # And torch's own profiler finds its place as it was.
        with self.torch.profiler.profile() as own:
            with fast("theirs"):
                self.square.mm(self.square)
        self.assertIn("theirs", [event.name for event in own.events()])

    def test_steps_are_told_to_torch(self):
        tracker = getattr(self.torch.autograd.profiler, "KinetoStepTracker",
                          None)
        if tracker is None:
            self.skipTest("this torch does not count steps")
        before = tracker.current_step()
        with profile(activities=CPU,
                     schedule=schedule(wait=1, warmup=1, active=2)) as prof:
            for _ in range(8):
                prof.step()
        self.assertEqual(tracker.current_step(), before + 8)


if __name__ == "__main__":
    unittest.main()
