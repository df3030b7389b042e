# SPDX-License-Identifier: Apache-2.0
"""`stepscope run --memory` of a torch without a GPU: allocations of the host by
operator, growth, and programs that have torch's own profiler. Skipped without
torch."""

import importlib.util
import json
import subprocess
import sys
import unittest

from stepscope import _native_files
from support import InOwnFolder

TRAINING = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(),
                            torch.nn.Linear(256, 8))
optimizer = torch.optim.Adam(model.parameters())
x = torch.randn(32, 64)
kept = []
for _ in range(12):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    kept.append(torch.full((1024, 256), 1.0))  # 1 MiB
    optimizer.step()
"""
PROFILED = TRAINING + """
from torch.profiler import ProfilerActivity, profile
with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as prof:
    y = x + x
(row,) = [row for row in prof.key_averages() if row.key == "aten::add"]
print(row.cpu_memory_usage)
"""


@unittest.skipIf(importlib.util.find_spec("torch") is None,
                 "torch is not installed")
class TorchMemoryInRun(InOwnFolder):

    def run_program(self, script, *options):
        with open("script.py", "w", encoding="utf-8") as file:
            file.write(script)
        done = subprocess.run(
            [_native_files.PROGRAM, "run", "--out", "out", *options, "--",
             sys.executable, "script.py"],
            text=True, capture_output=True, check=False, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def tables(self):
        return json.loads(subprocess.run(
            [_native_files.PROGRAM, "summary", "--format", "json", "--views",
             "memory,memory_peak,memory_growth,memory_segments", "out"],
            text=True, capture_output=True, check=True).stdout)

    def test_a_leak_of_the_host_is_found(self):
        self.run_program(TRAINING, "--memory")
        tables = self.tables()
        (leak,) = [row for row in tables["memory_growth"]
                   if row["bytes_per_step"] >= 1 << 20
                   and row["name"] != "the process"]
        self.assertEqual(leak["bytes_per_step"], 1 << 20)
        self.assertTrue(leak["name"].startswith("aten::"), leak)
        peak = tables["memory_peak"]
        self.assertEqual(peak["device"], "cpu")
        self.assertEqual(sum(row["bytes"] for row in peak["live"]),
                         peak["allocated_bytes"])
        self.assertGreaterEqual(peak["allocated_bytes"], 12 << 20)
        # The host has no caching allocator that could be replayed.
        self.assertEqual(tables["memory_segments"], [])
        self.assertIn("host memory",
                      [place["place"] for place in tables["memory"]])

    def test_without_being_asked_there_is_nothing(self):
        self.run_program(TRAINING)
        tables = self.tables()
        self.assertIsNone(tables["memory_peak"])
        self.assertEqual(tables["memory"], [])

    def test_torchs_own_profiler_still_works(self):
        done = self.run_program(PROFILED, "--memory")
        self.assertEqual(done.stdout.split(), [str(32 * 64 * 4)])
        # What was told before is there.
        self.assertEqual(self.tables()["memory_peak"]["device"], "cpu")
