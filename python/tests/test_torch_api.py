# SPDX-License-Identifier: Apache-2.0
"""The names of torch.profiler in stepscope.torch. torch is not needed, but is
compared with where it is."""

import gzip
import importlib.util
import json
import os
import pathlib
import tempfile
import unittest

import support
from stepscope import _native_files
from stepscope.torch import (EventList, ProfilerAction, ProfilerActivity,
                             profile, record_function, schedule,
                             tensorboard_trace_handler)
from stepscope.torch.events import read_events

CPU = [ProfilerActivity.CPU]
TRACES = pathlib.Path(__file__).resolve().parents[3] / "shared/traces"


def work(count=3):
    with record_function("outer"):
        for _ in range(count):
            with record_function("inner"):
                pass


class ScheduleTest(support.InOwnFolder):
    CASES = (
        dict(wait=1, warmup=1, active=3, repeat=2),
        dict(wait=0, warmup=1, active=1),
        dict(wait=2, warmup=1, active=2, repeat=1, skip_first=3),
        dict(wait=3, warmup=2, active=1, repeat=2, skip_first=1,
             skip_first_wait=1),
    )

    def test_states(self):
        letters = [schedule(wait=1, warmup=1, active=2, repeat=1,
                            skip_first=1)(step).name for step in range(7)]
        self.assertEqual(letters, ["NONE", "NONE", "WARMUP", "RECORD",
                                   "RECORD_AND_SAVE", "NONE", "NONE"])

    def test_as_torch(self):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("torch is not installed")
        from torch import profiler

        for case in self.CASES:
            try:
                theirs = profiler.schedule(**case)
            except TypeError:  # an older torch has no skip_first_wait
                continue
            ours = schedule(**case)
            self.assertEqual([ours(step).name for step in range(40)],
                             [theirs(step).name for step in range(40)], case)

    def test_mistakes(self):
        with self.assertRaisesRegex(ValueError, "active must be at least 1"):
            schedule(wait=0, warmup=1, active=0)
        self.assertIn("warmup", self.warned(
            lambda: schedule(wait=0, warmup=0, active=1))[0])


class ProfileTest(support.InOwnFolder):
    def test_averages_without_a_schedule(self):
        with profile(activities=CPU) as prof:
            work()
        rows = {row.key: row for row in prof.key_averages()}
        self.assertEqual(rows["inner"].count, 3)
        self.assertEqual(rows["outer"].count, 1)
        outer, inner = rows["outer"], rows["inner"]
        self.assertAlmostEqual(
            outer.self_cpu_time_total,
            outer.cpu_time_total - inner.cpu_time_total, places=2)
        self.assertAlmostEqual(inner.cpu_time, inner.cpu_time_total / 3)
        # Nothing is written, and nothing printed.
        self.assertEqual(os.listdir("."), [])

    def test_windows_and_their_step_numbers(self):
        seen = []

        def ready(prof):
            seen.append((prof.step_num, prof.key_averages()))

        def run():
            with profile(activities=CPU, on_trace_ready=ready,
                         schedule=schedule(wait=1, warmup=1, active=2,
                                           repeat=2)) as prof:
                for step in range(9):
                    work(1 + step)
                    prof.step()

        self.assertEqual(self.printed(run), "")
        self.assertEqual([number for number, _ in seen], [4, 8])
        for number, rows in seen:
            counts = {row.key: row.count for row in rows}
            self.assertEqual(counts["ProfilerStep*"], 2)
            self.assertEqual(counts["inner"], number - 1 + number)

    def test_a_schedule_of_torch(self):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("torch is not installed")
        from torch import profiler

        with profile(activities=[profiler.ProfilerActivity.CPU],
                     schedule=profiler.schedule(wait=0, warmup=1, active=1,
                                                repeat=1)) as prof:
            for _ in range(3):
                work()
                prof.step()
        self.assertEqual({row.key: row.count for row in prof.key_averages()}
                         ["inner"], 3)

    def test_start_step_stop(self):
        prof = profile(activities=CPU)
        prof.start()
        self.assertEqual(prof.current_action, ProfilerAction.RECORD)
        work()
        prof.step()
        self.assertEqual(prof.step_num, 1)
        prof.stop()
        self.assertEqual(len([event for event in prof.events()
                              if event.name == "inner"]), 3)

    def test_files(self):
        with profile(activities=CPU, on_trace_ready=tensorboard_trace_handler(
                "log", "me", use_gzip=True)) as prof:
            work()
        prof.export_chrome_trace("trace.json")
        self.assertEqual(support.count(support.read_events("trace.json"))
                         ["inner"], 3)
        (name,) = os.listdir("log")
        self.assertRegex(name, r"^me\.\d+\.pt\.trace\.json\.gz$")
        with gzip.open(os.path.join("log", name), "rt") as file:
            self.assertIn("traceEvents", json.load(file))

    def test_the_table(self):
        with profile(activities=CPU) as prof:
            work()
        lines = prof.key_averages().table(sort_by="count",
                                          row_limit=1).splitlines()
        self.assertEqual(lines[1].split()[:3], ["Name", "Self", "CPU"])
        self.assertEqual(lines[3].split()[0], "inner")
        self.assertEqual(lines[3].split()[-1], "3")
        self.assertRegex(lines[-1], "^Self CPU time total: ")
        with self.assertRaisesRegex(ValueError, "sort_by='size': expected"):
            prof.key_averages().table(sort_by="size")

    def test_mistakes(self):
        with self.assertRaisesRegex(RuntimeError, "no window has been"):
            profile(activities=CPU).events()
        with self.assertRaisesRegex(ValueError, "cannot be recorded"):
            profile(activities=["CPU"])
        with self.assertRaisesRegex(ValueError, "cannot be recorded"):
            profile(activities=[ProfilerActivity.XPU])

    def test_record_function_decorates(self):
        @record_function("named")
        def function():
            return 5

        with profile(activities=CPU) as prof:
            self.assertEqual(function(), 5)
        self.assertIn("named", [event.name for event in prof.events()])

    def test_an_exception_in_the_block(self):
        with self.assertRaises(KeyError):
            with profile(activities=CPU) as prof:
                work()
                raise KeyError
        self.assertEqual(len(prof.events()), 4)


class MemoryTest(support.InOwnFolder):
    def test_the_memory_of_the_process_at_each_step(self):
        with profile(activities=CPU, profile_memory=True) as prof:
            for _ in range(3):
                prof.step()
        prof.export_chrome_trace("t.json")
        with open("t.json", encoding="utf-8") as file:
            values = [event["args"]["value"]
                      for event in json.load(file)["traceEvents"]
                      if event["ph"] == "C"
                      and event["name"] == "process memory"]
        self.assertEqual(len(values), 4)
        self.assertGreater(min(values), 1 << 20)


@support.once("figures of one file, compared with one file")
class FiguresTest(unittest.TestCase):
    """The averages of recordings of which torch stated its own."""

    def test_operators_as_torch_counts_them(self):
        names = ("torch_resnet50_amp", "torch_ddp_gloo_rank0")
        if not TRACES.is_dir():
            self.skipTest(f"no traces in {TRACES}")
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "trace.json")
                _native_files.run("convert", str(TRACES / f"{name}.json.gz"),
                                  "-o", path, "--to", "kineto")
                rows = {(row.key, row.is_device): row for row in
                        EventList(read_events(path)).key_averages()}
            stated = json.loads(
                (TRACES / f"{name}.key_averages.json").read_text())
            compared = 0
            for row in stated:
                ours = rows.get((row["key"], "CUDA" in row["dev_type"]))
                if not row["key"].startswith("aten::"):
                    continue
                compared += 1
                self.assertEqual(ours.count, row["count"], row["key"])
                for stated_time, our_time in (
                        (row["self_cpu"], ours.self_cpu_time_total),
                        (row["self_dev"], ours.self_device_time_total)):
                    self.assertAlmostEqual(our_time, stated_time,
                                           delta=1 + 0.01 * stated_time)
            self.assertGreater(compared, 20)


if __name__ == "__main__":
    unittest.main()
