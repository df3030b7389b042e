# SPDX-License-Identifier: Apache-2.0
"""Events and averages of stepscope.torch: the attributes that torch's have, and
what torch itself counts, where it is installed."""

import gzip
import importlib.util
import json
import os
import tempfile
import unittest

import stepscope.torch
import support
from stepscope import _native_files
from stepscope.profiler import Profiler, ProfilerTarget, export_capture
from stepscope.torch import (EventList, FunctionEvent, FunctionEventAvg,
                             ProfilerActivity, kineto_available, profile,
                             record_function, schedule)
from stepscope.torch.autograd import profiler as autograd_profiler
from stepscope.torch.events import events_of, read_events

CPU = [ProfilerActivity.CPU]


def record(name, start, end, cat="cpu_op", tid=7, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid,
            "ts": start, "dur": end - start, "args": args}


def sample():
    """A product that launches a kernel, in an annotation, and its memory."""
    return [
        record("mine", 100, 200, "user_annotation"),
        record("main.py(3): main", 90, 210, "python_function"),
        record("net.py(12): forward", 105, 195, "python_function"),
        record("aten::linear", 110, 180, **{"Input Dims": [[2, 3], [4, 3]]}),
        record("aten::mm", 120, 170, **{"Input Dims": [[2, 3], [3, 4]],
                                        "Sequence number": 5}),
        record("cudaLaunchKernel", 130, 140, "cuda_runtime", correlation=9),
        record("gemm", 150, 175, "kernel", 13, correlation=9, device=1),
        {"ph": "i", "name": "[memory]", "ts": 125, "pid": 1, "tid": 7,
         "args": {"Bytes": 64, "Device Type": 0}},
        {"ph": "i", "name": "[memory]", "ts": 190, "pid": 1, "tid": 7,
         "args": {"Bytes": -16, "Device Type": 0}},
    ]


def by_name(events):
    return {event.name: event for event in events}


class AttributesTest(unittest.TestCase):
    def setUp(self):
        self.events = events_of(sample(), with_flops=True, with_stack=True)
        self.named = by_name(self.events)

    def test_tree(self):
        mm, linear = self.named["aten::mm"], self.named["aten::linear"]
        self.assertIs(mm.cpu_parent, linear)
        self.assertEqual(linear.cpu_children, [mm])
        self.assertIsNone(self.named["mine"].cpu_parent)
        self.assertNotIn("net.py(12): forward", self.named)

    def test_times(self):
        mm = self.named["aten::mm"]
        self.assertEqual((mm.time_range.start, mm.time_range.end), (30, 80))
        self.assertEqual(mm.time_range.elapsed_us(), 50)
        self.assertEqual((mm.cpu_time_total, mm.self_cpu_time_total), (50, 40))
        self.assertEqual(mm.cpu_time_total_str, "50.000us")
        self.assertEqual(mm.cpu_time, mm.cpu_time_total)

    def test_devices(self):
        mm, kernel = self.named["aten::mm"], self.named["gemm"]
        kinds = stepscope.torch.DeviceType
        self.assertEqual(mm.device_type, kinds.CPU)
        self.assertEqual(kernel.device_type, kinds.CUDA)
        self.assertEqual(kernel.device_index, 1)
        self.assertEqual(mm.kernels, [("gemm", 1, 25)])
        self.assertEqual(self.named["aten::linear"].device_time_total, 25)
        self.assertEqual(mm.self_cuda_time_total, 25)

    def test_inputs_and_flops(self):
        mm = self.named["aten::mm"]
        self.assertEqual(mm.input_shapes, [[2, 3], [3, 4]])
        self.assertEqual(mm.flops, 2 * 2 * 3 * 4)
        self.assertEqual((mm.sequence_nr, mm.is_user_annotation), (5, False))
        self.assertTrue(self.named["mine"].is_user_annotation)

    def test_stacks(self):
        self.assertEqual(self.named["aten::mm"].stack,
                         ["net.py(12): forward", "main.py(3): main"])
        rows = EventList(self.events).key_averages(group_by_stack_n=1)
        row = {row.key: row for row in rows}["aten::mm"]
        self.assertEqual(row.stack, ["net.py(12): forward"])
        self.assertIn("Source Location", rows.table())

    def test_memory(self):
        self.assertEqual(self.named["aten::mm"].cpu_memory_usage, 64)
        self.assertEqual(self.named["aten::linear"].self_cpu_memory_usage, 0)
        self.assertEqual(self.named["mine"].cpu_memory_usage, 48)
        self.assertEqual(self.named["mine"].self_cpu_memory_usage, -16)

    def test_other_operators_with_flops(self):
        conv = record("aten::conv2d", 0, 1, **{
            "Input Dims": [[2, 3, 8, 8], [4, 3, 3, 3], [4], [], [], []],
            "Concrete Inputs": ["", "", "", "[1, 1]", "[1, 1]", "[1, 1]"]})
        batch = record("aten::bmm", 2, 3,
                       **{"Input Dims": [[5, 2, 3], [5, 3, 4]]})
        plus = record("aten::add", 4, 5, **{"Input Dims": [[2, 3], [2, 3]]})
        events = events_of([conv, batch, plus], with_flops=True)
        self.assertEqual([event.flops for event in events],
                         [2 * 2 * 8 * 8 * 3 * 4 * 9, 2 * 5 * 2 * 3 * 4, 6])


class ListTest(unittest.TestCase):
    def setUp(self):
        self.list = EventList(events_of(sample(), with_flops=True),
                              profile_memory=True, with_flops=True)

    def test_averages(self):
        rows = self.list.key_averages(group_by_input_shapes=True)
        row = {row.key: row for row in rows}["aten::mm"]
        self.assertIsInstance(row, FunctionEventAvg)
        self.assertEqual(row.input_shapes, [[2, 3], [3, 4]])
        self.assertEqual((row.count, row.flops, row.cpu_memory_usage),
                         (1, 48, 64))
        row += self.list.key_averages(True)[1]
        self.assertEqual(row.count, 2)

    def test_total(self):
        total = self.list.total_average()
        self.assertEqual((total.key, total.count), ("Total", 5))
        self.assertEqual(total.self_cpu_time_total,
                         self.list.self_cpu_time_total)

    def test_every_sort_key(self):
        keys = ["count", "flops"]
        for kind in ("cpu", "cuda", "device"):
            keys += [f"{kind}_time", f"{kind}_time_total",
                     f"self_{kind}_time_total", f"{kind}_memory_usage",
                     f"self_{kind}_memory_usage"]
        for key in keys:
            self.assertIn("aten::mm",
                          self.list.key_averages().table(sort_by=key), key)

    def test_columns(self):
        table = self.list.key_averages(True).table(
            header="of this run", max_name_column_width=7, time_unit="ms",
            max_shapes_column_width=12, row_limit=-1)
        self.assertTrue(table.startswith("of this run\n"))
        for text in ("CPU Mem", "Self CUDA Mem", "Total FLOPs", "aten...",
                     "0.050ms", "[[2, 3], ..."):
            self.assertIn(text, table)

    def test_top_level_only(self):
        table = self.list.table(top_level_events_only=True)
        self.assertIn("mine", table)
        self.assertNotIn("aten::mm", table)

    def test_a_file_of_the_list(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.json")
            self.list.export_chrome_trace(path)
            again = read_events(path)
        self.assertEqual([(event.name, event.duration) for event in again],
                         [(event.name, event.duration)
                          for event in self.list])

    def test_an_empty_list(self):
        self.assertEqual(EventList().table(), "")


class StacksTest(support.InOwnFolder):
    def test_export(self):
        events = EventList(events_of(sample(), with_stack=True))
        events.export_stacks("stacks.txt", "self_cpu_time_total")
        with open("stacks.txt", encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertIn("main.py(3):_main;net.py(12):_forward;aten::mm 40",
                      lines)
        with self.assertRaisesRegex(ValueError, "metric='x': expected"):
            events.export_stacks("stacks.txt", "x")


class ProfileTest(support.InOwnFolder):
    def test_no_step_without_a_schedule(self):
        with profile(activities=CPU) as prof:
            with record_function("mine"):
                pass
            prof.step()
        self.assertEqual([row.key for row in prof.key_averages()], ["mine"])
        self.assertEqual(prof.function_events, prof.profiler.function_events)
        self.assertTrue(kineto_available())

    def test_metadata_at_the_top(self):
        prof = profile(activities=CPU, record_shapes=True,
                       custom_trace_id_callback=lambda: "of-mine")
        prof.preset_metadata_json("before", "[1, 2]")
        prof.prepare_trace()
        prof.start_trace()
        prof.add_metadata_json("during", '{"depth": 3}')
        prof.add_metadata("text", "12")
        prof.add_metadata_json("long", json.dumps(["x" * 40] * 20))
        prof.stop_trace()
        self.assertEqual(prof.get_trace_id(), "of-mine")
        for name, opened in (("t.json", open), ("t.json.gz", gzip.open)):
            prof.export_chrome_trace(name)
            with opened(name, "rt", encoding="utf-8") as file:
                top = json.load(file)
            self.assertEqual(top["before"], [1, 2])
            self.assertEqual(top["during"], {"depth": 3})
            self.assertEqual(top["text"], "12")
            self.assertEqual(len(top["long"]), 20)
            self.assertEqual((top["schemaVersion"], top["record_shapes"]),
                             (1, 1))
            self.assertEqual((top["trace_id"], top["traceName"]),
                             ("of-mine", name))
            self.assertNotIn("with_flops", top)

    def test_metadata_is_of_one_profile(self):
        first = profile(activities=CPU)
        first.preset_metadata_json("only", "1")
        for prof, there in ((first, True), (profile(activities=CPU), False)):
            with prof:
                pass
            prof.export_chrome_trace("t.json")
            with open("t.json", encoding="utf-8") as file:
                self.assertEqual("only" in json.load(file), there)

    def test_collection_turned_off(self):
        with profile(activities=CPU) as prof:
            for name in ("first", "second", "third"):
                prof.toggle_collection_dynamic(name != "second", CPU)
                with record_function(name):
                    pass
        self.assertEqual([event.name for event in prof.events()],
                         ["first", "third"])

    def test_events_of_all_windows(self):
        for accumulate, windows in ((False, 1), (True, 2)):
            with profile(activities=CPU, acc_events=accumulate,
                         schedule=schedule(wait=0, warmup=1, active=1,
                                           repeat=2)) as prof:
                for _ in range(5):
                    with record_function("mine"):
                        pass
                    prof.step()
            names = [event.name for event in prof.events()]
            self.assertEqual(names.count("mine"), windows)

    def test_another_profiler_is_not_torchs(self):
        with profile(activities=CPU):
            pass
        with Profiler(targets=[ProfilerTarget.CPU], quiet=True,
                      on_trace_ready=export_capture("log")) as prof:
            prof.step()
        (name,) = os.listdir("log")
        _native_files.run("convert", os.path.join("log", name), "-o",
                          "t.json", "--to", "kineto")
        with open("t.json", encoding="utf-8") as file:
            names = [event["name"] for event in json.load(file)["traceEvents"]]
        self.assertIn("ProfilerStep#0", names)

    def test_what_tools_ask_of_kineto(self):
        with profile(activities=CPU) as prof:
            with record_function("mine"):
                pass
        (event,) = prof.profiler.kineto_results.events()
        self.assertEqual(event.name(), "mine")
        self.assertGreater(event.duration_ns(), 0)
        self.assertEqual(event.end_ns() - event.start_ns(),
                         event.duration_ns())


class AutogradProfileTest(support.InOwnFolder):
    def test_a_block(self):
        with autograd_profiler.profile() as prof:
            with autograd_profiler.record_function("mine"):
                pass
        self.assertEqual([event.name for event in prof.function_events],
                         ["mine"])
        self.assertEqual(prof.total_average().count, 1)
        self.assertIn("mine", prof.table(sort_by="cpu_time_total"))
        prof.export_chrome_trace("t.json")
        self.assertEqual([event.name for event in read_events("t.json")],
                         ["mine"])
        with self.assertRaisesRegex(RuntimeError, "not reentrant"):
            prof.__enter__()

    def test_not_enabled(self):
        with autograd_profiler.profile(enabled=False) as prof:
            pass
        self.assertIsNone(prof)
        self.assertIn("unfinished", str(autograd_profiler.profile()))


@unittest.skipIf(importlib.util.find_spec("torch") is None,
                 "torch is not installed")
class BesideTorchTest(support.InOwnFolder):
    """The same program under both profilers."""

    @staticmethod
    def program():
        import torch

        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(),
            torch.nn.Linear(4 * 36, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        inputs = torch.randn(2, 3, 8, 8)

        def run():
            model(inputs).sum().backward()
            optimizer.step()

        run()
        return run

    def test_names_and_calls(self):
        from torch import profiler

        run = self.program()
        with profiler.profile(
                activities=[profiler.ProfilerActivity.CPU]) as theirs:
            run()
        with profile(activities=CPU) as ours:
            run()
        counts = [{row.key: row.count for row in prof.key_averages()
                   if not row.key.startswith("[")}
                  for prof in (theirs, ours)]
        for count in counts:
            # torch's record_function allocates a tensor for its own use.
            for name in ("aten::zeros", "aten::empty", "aten::zero_"):
                count.pop(name, None)
        self.assertGreater(len(counts[0]), 20)
        self.assertEqual(counts[0], counts[1])

    def test_torch_compares_devices_and_builds_its_tree(self):
        from torch.autograd import DeviceType, profiler_util

        with profile(activities=CPU) as prof:
            self.program()()
        events = prof.events()
        self.assertEqual({event.device_type for event in events},
                         {DeviceType.CPU})
        children = {event.name: [child.name for child in event.cpu_children]
                    for event in events}
        for event in events:
            event.cpu_children, event.cpu_parent = [], None
        theirs = profiler_util.EventList(events)
        theirs._populate_cpu_children()
        self.assertEqual({event.name: [child.name for child
                                       in event.cpu_children]
                          for event in theirs}, children)

    def test_torchs_python_is_told(self):
        from torch.autograd import profiler as of_torch

        missing = object()
        before = getattr(of_torch, "_is_profiler_enabled", missing)
        of_torch._is_profiler_enabled = False  # as torch 2.1 and later
        try:
            with profile(activities=CPU):
                self.assertTrue(of_torch._is_profiler_enabled)
            self.assertFalse(of_torch._is_profiler_enabled)
        finally:
            if before is missing:
                del of_torch._is_profiler_enabled
            else:
                of_torch._is_profiler_enabled = before

    def test_public_attributes(self):
        from torch.autograd import profiler_util

        with profile(activities=CPU) as prof:
            self.program()()
        pairs = ((FunctionEvent, prof.events()[0],
                  profiler_util.FunctionEvent),
                 (FunctionEventAvg, prof.key_averages()[0],
                  profiler_util.FunctionEventAvg),
                 (EventList, prof.events(), profiler_util.EventList))
        for kind, instance, theirs in pairs:
            missing = {name for name in dir(theirs)
                       if not name.startswith(("_", "privateuse1"))
                       and not hasattr(instance, name)}
            self.assertEqual(missing, set(), kind.__name__)


if __name__ == "__main__":
    unittest.main()
