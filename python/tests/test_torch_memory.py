# SPDX-License-Identifier: Apache-2.0
"""profile_memory of stepscope.torch: allocations and frees by operator, as
torch itself counts them. Skipped without torch."""

import gzip
import importlib.util
import json
import subprocess
import sys
import threading
import time
import unittest

import support
from stepscope import Profiler
from stepscope.torch import ProfilerActivity, profile

CPU = [ProfilerActivity.CPU]
KIB = 1024


def memory(path):
    with open(path, encoding="utf-8") as file:
        return [event for event in json.load(file)["traceEvents"]
                if event["name"] == "[memory]"]


@unittest.skipIf(importlib.util.find_spec("torch") is None,
                 "torch is not installed")
class TorchMemoryTest(support.InOwnFolder):

    def setUp(self):
        super().setUp()
        import torch

        self.torch = torch
        self.square = torch.ones(64, 64)  # 16 KiB

    def test_each_operator_has_what_it_allocated(self):
        with profile(activities=CPU, profile_memory=True) as prof:
            kept = self.square @ self.square
            more = kept + kept
        rows = {row.key: row for row in prof.key_averages()}
        for outer in ("aten::matmul", "aten::mm", "aten::add"):
            self.assertEqual(rows[outer].cpu_memory_usage, 16 * KIB, outer)
        self.assertEqual(rows["aten::matmul"].self_cpu_memory_usage, 0)
        self.assertEqual(rows["aten::mm"].self_cpu_memory_usage, 16 * KIB)
        self.assertEqual(prof.events().total_average().self_cpu_memory_usage,
                         32 * KIB)
        table = prof.key_averages().table(sort_by="self_cpu_memory_usage")
        self.assertIn("Self CPU Mem", table)
        self.assertIn("16.00 KB", table)
        del kept, more

    def test_what_is_freed_between_operators_is_a_row(self):
        with profile(activities=CPU, profile_memory=True) as prof:
            made = self.square + self.square
            del made
        (row,) = [row for row in prof.key_averages()
                  if row.key == "[memory]"]
        self.assertEqual((row.count, row.cpu_memory_usage,
                          row.self_cpu_memory_usage),
                         (1, -16 * KIB, -16 * KIB))
        (event,) = [event for event in prof.events()
                    if event.name == "[memory]"]
        self.assertEqual(event.time_range.elapsed_us(), 0)

    def test_instants_of_the_exported_trace(self):
        with profile(activities=CPU, profile_memory=True) as prof:
            made = self.square + self.square
            address = made.data_ptr()
            del made
        prof.export_chrome_trace("trace.json")
        made, freed = memory("trace.json")
        for event, size in ((made, 16 * KIB), (freed, -16 * KIB)):
            self.assertEqual(
                (event["ph"], event["cat"], event["args"]["Bytes"],
                 event["args"]["Addr"], event["args"]["Device Type"],
                 event["args"]["Device Id"]),
                ("i", "cpu_instant_event", size, address, 0, -1))
        self.assertEqual(made["args"]["Total Allocated"]
                         - freed["args"]["Total Allocated"], 16 * KIB)

    def record_two(self):
        """What lives at the end, and what does not."""
        with profile(activities=CPU, profile_memory=True) as prof:
            kept = self.torch.ones(64, 64)
            gone = self.torch.ones(32, 32)
            time.sleep(0.001)  # totals are by the microsecond
            del gone
        del kept
        return prof

    def test_timeline_as_totals(self):
        prof = self.record_two()
        before = time.time() * 1e6
        for path, opened in (("mem.json", open), ("mem.json.gz", gzip.open)):
            prof.export_memory_timeline(path, "cpu")
            with opened(path, "rt", encoding="utf-8") as file:
                times, sizes = json.load(file)
            self.assertEqual(times, sorted(times))
            self.assertEqual(len(times), len(sizes))
            # Since 1970; a record of this test, not of the clock's zero.
            self.assertLess(before - times[-1], 3600 * 1e6)
            self.assertEqual({len(size) for size in sizes}, {9})
            self.assertTrue(all(size[:-1] == [0] * 8 for size in sizes))
            self.assertEqual(max(size[-1] for size in sizes), 20 * KIB)
            self.assertEqual(sizes[-1][-1], 16 * KIB)

    def test_timeline_as_changes(self):
        prof = self.record_two()
        prof.export_memory_timeline("mem.raw.json.gz", device="cpu")
        with gzip.open("mem.raw.json.gz", "rt", encoding="utf-8") as file:
            changes = json.load(file)
        self.assertEqual([change[1:] for change in changes],
                         [[2, 16 * KIB, 7], [2, 4 * KIB, 7], [4, -4 * KIB, 7]])
        prof.export_memory_timeline("mem.raw.json.gz", device="cuda:0")
        with gzip.open("mem.raw.json.gz", "rt", encoding="utf-8") as file:
            self.assertEqual(json.load(file), [])
        with self.assertRaisesRegex(ValueError, "device='abacus'"):
            prof.export_memory_timeline("mem.json", device="abacus")

    def test_timeline_as_a_page(self):
        self.record_two().export_memory_timeline("mem.html", "cpu")
        with open("mem.html", encoding="utf-8") as file:
            page = file.read()
        self.assertIn("20.00 KB\nat most, 16.00 KB at the end", page)
        self.assertEqual(page.count("<svg"), 1)
        self.assertNotIn("http", page)

    def test_a_timeline_needs_the_events(self):
        with profile(activities=CPU) as prof:
            self.square.add(self.square)
        with self.assertRaisesRegex(ValueError, "profile_memory=True"):
            prof.export_memory_timeline("mem.json")

    def test_the_backward_pass_too(self):
        weight = self.torch.ones(64, 64, requires_grad=True)
        with profile(activities=CPU, profile_memory=True) as prof:
            (self.square @ weight).sum().backward()
        rows = {row.key: row for row in prof.key_averages()}
        self.assertEqual(rows["MmBackward0"].cpu_memory_usage, 16 * KIB)

    def test_without_it_nothing_of_this(self):
        with profile(activities=CPU) as prof:
            made = self.square + self.square
        prof.export_chrome_trace("trace.json")
        self.assertEqual(memory("trace.json"), [])
        self.assertNotIn("CPU Mem", prof.key_averages().table())
        del made

    def test_steps_that_are_not_recorded_are_left_out(self):
        from stepscope.torch import schedule

        with profile(activities=CPU, profile_memory=True,
                     schedule=schedule(wait=1, warmup=1, active=1)) as prof:
            for size in (8, 16, 32, 64):
                self.torch.ones(size, size)
                prof.step()
        made = [event for event in prof.events() if event.name == "aten::ones"]
        self.assertEqual([event.cpu_memory_usage for event in made], [4 * KIB])

    def test_torch_is_as_before_when_it_has_ended(self):
        enabled = self.torch._C._autograd._profiler_enabled \
            if hasattr(self.torch._C, "_autograd") \
            else self.torch.autograd._profiler_enabled
        with profile(activities=CPU, profile_memory=True):
            self.assertFalse(enabled())  # by torch's own profiler
            self.square.add(self.square)
        with self.torch.profiler.profile(profile_memory=True) as own:
            kept = self.square + self.square
        rows = {row.key: row for row in own.key_averages()}
        self.assertEqual(rows["aten::add"].self_cpu_memory_usage, 16 * KIB)
        with profile(activities=CPU, profile_memory=True) as again:
            kept = self.square + self.square
        rows = {row.key: row for row in again.key_averages()}
        self.assertEqual(rows["aten::add"].self_cpu_memory_usage, 16 * KIB)
        del kept

    def test_a_profiler_of_torch_that_records_already_keeps_its_place(self):
        script = """
import warnings
import torch
from stepscope.torch import ProfilerActivity, profile
with torch.profiler.profile(profile_memory=True) as own:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with profile(activities=[ProfilerActivity.CPU],
                     profile_memory=True) as ours:
            kept = torch.ones(64, 64)
print([str(warning.message) for warning in said
       if "stepscope" in str(warning.message)])
for prof in (own, ours):
    print([row.cpu_memory_usage for row in prof.key_averages()
           if row.key == "aten::ones"])
"""
        done = subprocess.run([sys.executable, "-c", script], check=False,
                              timeout=240, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), [
            "['stepscope: the allocations of torch are not recorded: a "
            "profiler of torch records them already']", "[16384]", "[0]"])

    def test_it_may_be_stopped_by_another_thread(self):
        prof = profile(activities=CPU, profile_memory=True)
        prof.start()
        kept = [self.square + self.square]
        thread = threading.Thread(target=prof.stop)
        thread.start()
        thread.join()
        # Is not recorded, and does no harm.
        kept.append(self.square + self.square)
        rows = {row.key: row for row in prof.key_averages()}
        self.assertEqual(rows["aten::add"].self_cpu_memory_usage, 16 * KIB)
        with profile(activities=CPU, profile_memory=True) as again:
            kept.append(self.square + self.square)
        rows = {row.key: row for row in again.key_averages()}
        self.assertEqual(rows["aten::add"].self_cpu_memory_usage, 16 * KIB)

    def test_memory_of_an_ordinary_profiler(self):
        with Profiler(profile_memory=True, quiet=True,
                      on_trace_ready=lambda prof: None) as prof:
            kept = self.square + self.square
        places = {row["place"]: row for row in prof.result.memory.to_dicts()}
        (row,) = places["Place(cpu)"]["rows"]
        self.assertEqual((row["name"], row["allocation_count"],
                          row["allocation_bytes"]),
                         ("aten::add", 1, 16 * KIB))
        del kept


if __name__ == "__main__":
    unittest.main()
