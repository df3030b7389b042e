# SPDX-License-Identifier: Apache-2.0
"""Behaviour of torch.profiler that programs and tools rely on, by
stepscope.torch. Skipped without torch, or where that torch has no such
thing."""

import importlib.util
import json
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

    def test_a_file_ends_with_the_span_of_the_recording(self):
        with profile(activities=CPU) as prof:
            self.square.mm(self.square)
        prof.export_chrome_trace("trace.json")
        with open("trace.json", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        span, _, begin, end = events[-4:]
        self.assertEqual([span["name"], begin["name"], end["name"]],
                         ["PyTorch Profiler (0)",
                          "Iteration Start: PyTorch Profiler",
                          "Record Window End"])
        self.assertGreaterEqual(span["ts"], begin["ts"])
        self.assertLessEqual(span["ts"] + span["dur"], end["ts"])
        for event in events[:-2]:
            self.assertGreaterEqual(event.get("ts", begin["ts"]), begin["ts"])
            self.assertLessEqual(event.get("ts", end["ts"]), end["ts"])
        for event in events:
            if event.get("cat") == "cpu_op":
                self.assertEqual(event["args"]["Record function id"], 0)
        # It is not an event of the program.
        self.assertNotIn("PyTorch Profiler (0)",
                         [event.name for event in prof.events()])

    def test_ids_are_not_used_again(self):
        seen = set()
        for _ in range(3):
            with profile(activities=CPU) as prof:
                self.square.mm(self.square)
            events = prof.profiler.kineto_results.events()
            ids = [event.correlation_id() for event in events]
            self.assertTrue(all(ids))
            self.assertEqual(len(set(ids)), len(ids))
            self.assertFalse(seen & set(ids))
            seen |= set(ids)
            again = prof.profiler.kineto_results.events()
            self.assertEqual([event.correlation_id() for event in again], ids)

    def needs_shapes(self):
        version = self.torch.__version__.split(".")
        if (int(version[0]), int(version[1])) < (2, 3):
            self.skipTest("shapes are recorded from torch 2.3 on")

    def arguments(self, prof, name):
        prof.export_chrome_trace("trace.json")
        with open("trace.json", encoding="utf-8") as file:
            (found,) = [event["args"] for event in
                        json.load(file)["traceEvents"]
                        if event["name"] == name]
        return found

    def test_inputs_that_are_not_tensors(self):
        self.needs_shapes()
        with profile(activities=CPU, record_shapes=True) as prof:
            ones = self.torch.ones((64, 32), dtype=self.torch.float32)
            self.torch.dropout(self.torch.cat([ones, ones]), 0.5, True)
            ones.as_strided([4, 3], [1, 4])
        found = self.arguments(prof, "aten::ones")
        self.assertEqual(found["Concrete Inputs"],
                         ["[64, 32]", "6", "", "", "False"])
        self.assertEqual(found["Input type"],
                         ["ScalarList", "Scalar", "", "", "Scalar"])
        found = self.arguments(prof, "aten::cat")
        self.assertEqual(found["Input Dims"], [[[64, 32], [64, 32]], []])
        self.assertEqual(found["Input Strides"], [[[32, 1], [32, 1]], []])
        self.assertEqual(found["Input type"], ["TensorList", "Scalar"])
        self.assertEqual(
            self.arguments(prof, "aten::dropout")["Concrete Inputs"],
            ["", "0.5", "True"])
        (event,) = [event for event in prof.events()
                    if event.name == "aten::as_strided"]
        self.assertEqual(event.input_shapes[0], [64, 32])
        self.assertEqual(event.concrete_inputs, [None, [4, 3], [1, 4], None])

    def test_inputs_of_ranges(self):
        self.needs_shapes()
        from torch.autograd import (_record_function_with_args_enter,
                                    _record_function_with_args_exit)

        with profile(activities=CPU, record_shapes=True) as prof:
            with self.torch.autograd.profiler.record_function("texts", "a"):
                handle = _record_function_with_args_enter(
                    "many", 1, False, 2.5, [self.square], "b", self.square)
                _record_function_with_args_exit(handle)
            with self.torch.autograd.profiler.record_function("none"):
                pass
        self.assertEqual(
            {event.name: event.input_shapes for event in prof.events()},
            {"texts": [[]], "many": [[], [], [], [], [], [4, 4]], "none": []})

    def test_strides(self):
        self.needs_shapes()
        base = self.torch.ones(1024)
        first = base.as_strided((16, 16), (17, 1), 0)
        second = base.as_strided((16, 16), (25, 2), 272)
        with profile(activities=CPU, record_shapes=True) as prof:
            self.torch.add(first, second)
        self.assertEqual(
            self.arguments(prof, "aten::add")["Input Strides"],
            [[17, 1], [25, 2], []])

    def test_lists_that_do_not_fit_are_left_out_whole(self):
        self.needs_shapes()
        with profile(activities=CPU, record_shapes=True) as prof:
            self.torch.cat([self.square] * 400)
        found = self.arguments(prof, "aten::cat")
        self.assertEqual((found["Input Dims"], found["Input type"],
                          found["Concrete Inputs"]),
                         ([[], []], ["TensorList", "Scalar"], ["", "0"]))

    def test_a_convolution_has_its_operations(self):
        self.needs_shapes()
        image, filters = self.torch.ones(1, 3, 8, 8), self.torch.ones(
            2, 3, 3, 3)
        with profile(activities=CPU, with_flops=True) as prof:
            self.torch.nn.functional.conv2d(image, filters, stride=2,
                                            padding=1)
        (row,) = [row for row in prof.key_averages()
                  if row.key == "aten::conv2d"]
        self.assertEqual(row.flops, 2 * 4 * 4 * 2 * 3 * 3 * 3)

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
