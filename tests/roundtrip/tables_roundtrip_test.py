#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Export, import again, and compare what `summary --format json` says.

usage: tables_roundtrip_test.py STEPSCOPE GENERATE TRACES

TRACES is a folder of real traces; where it is missing, generated ones are
tested alone. Times are compared from the first step or event on, since some
formats are absolute and others are not.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REAL = ["torch_cnn.json.gz", "hta_nccl.json.gz", "torch_cuda_graph.json.gz",
        "jax.xplane.pb", "hta_event_sync.json.gz", "jax.trace.json.gz",
        "kineto_2021_resnet50.pt.trace.json.gz", "torch_resnet50_amp.json.gz",
        "torch_ddp_gloo_rank0.json.gz"]
# More that only formats which keep everything are asked for.
MORE_REAL = ["torch_ddp_gloo_rank1.json.gz", "tf_gpu_worker.xplane.pb",
             "paddle/paddle33_cnn.paddle_trace.json.gz",
             "paddle/paddle26_cnn.paddle_trace.pb"]
# They have types that Paddle's trees know, and that trees tell apart.
AS_TREES = ["torch_cnn.json.gz", "hta_nccl.json.gz"]
# Files that are copied into one folder, which is one job.
FOLDERS = {
    "two ranks": ["torch_ddp_gloo_rank0.json.gz",
                  "torch_ddp_gloo_rank1.json.gz"],
}
GENERATED = ["capture", "kineto", "paddle-json", "paddle-pb", "fluid",
             "xplane"]
# Points in time, and what tells about the file rather than the program.
POINTS = {"start_ns", "longest_at_ns", "peak_at_ns", "at_ns", "begin_ns",
          "device_start_ns", "device_end_ns"}
ABOUT_FILE = {"source", "ledger", "notes"}
# Of the process; test_processes_keep_rank_and_devices asks who keeps the rank.
POINTS |= {"rank", "peak_memory_gb_per_s", "peak_tflops_per_s", "roof_ratio"}
# Format, name of the file, tables that it does not claim to keep, and how much
# numbers may differ: Paddle's trees hold ratios in 32 bits.
CHROME = ("chrome", "x.json", set(), 0)
# Of no step, the time of all is the window's. Forward and Backward that were
# concluded are events there, and advice names them.
PADDLE = ("paddle", "x.paddle_trace.json", {"distribution", "advice"}, 0)
# So does what memory was for. Sizes and groups of collectives are arguments,
# which trees do not have.
TREES = ("paddle", "x.pb",
         {"flops", "mfu", "advice", "launch", "outliers", "memory_peak",
          "collectives"}, 1e-6)
# What only one of the formats says, or says where nothing was recorded.
NOT_IN_TREES = {"occupancy", "unfilled"}
CAPTURE = ("capture", "x.sscap", set(), 0)
PERFETTO = ("perfetto", "x.pftrace", set(), 0)
# Formats that keep every table of any trace, merged folders included. A new
# one is a line here.
LOSSLESS = [CAPTURE, CHROME, PERFETTO]


def difference(a, b, tolerance, path=""):
    """Where two values differ first, or None."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key in POINTS or key in NOT_IN_TREES and tolerance:
                continue
            found = difference(a.get(key), b.get(key), tolerance,
                               f"{path}.{key}")
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"{path}: {len(a)} rows, {len(b)} after the round trip"
        for index, (x, y) in enumerate(zip(a, b)):
            found = difference(x, y, tolerance, f"{path}[{index}]")
            if found:
                return found
        return None
    if isinstance(a, float) and isinstance(b, float) and (
            abs(a - b) <= tolerance * max(1, abs(a))):
        return None
    return None if a == b else f"{path}: {a!r}, {b!r} after the round trip"


class TablesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.files.cleanup)
        cls.folder = pathlib.Path(cls.files.name)

    def run_program(self, *args):
        done = subprocess.run([str(arg) for arg in args],
                              capture_output=True, check=False, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def tables(self, path):
        return json.loads(self.run_program(STEPSCOPE, "summary", path,
                                           "--format", "json"))

    def check(self, path, *formats):
        want = self.tables(path)
        self.assertTrue(want["overview"]["cpu"] or want["operator"], path)
        for name, file, not_kept, tolerance in formats:
            with self.subTest(trace=path.name, to=file):
                out = self.folder / file
                self.run_program(STEPSCOPE, "convert", path, "--to", name,
                                 "-o", out)
                got = self.tables(out)
                for key in want.keys() - ABOUT_FILE - not_kept:
                    self.assertIsNone(
                        difference(want[key], got[key], tolerance, key))

    def test_generated(self):
        for name in GENERATED:
            path = self.folder / f"generated_{name}"
            self.run_program(GENERATE, name, path, "--events", 3000)
            # Fluid's types are guessed from names, and guessed otherwise
            # where a file states types.
            rest = () if name == "fluid" else (CHROME, PADDLE, TREES)
            self.check(path, CAPTURE, PERFETTO, *rest)

    def test_real(self):
        folder = pathlib.Path(TRACES)
        if not folder.is_dir():
            self.skipTest(f"no folder {folder}")
        for name in REAL:
            trees = (TREES,) if name in AS_TREES else ()
            self.check(folder / name, *LOSSLESS, PADDLE, *trees)
        for name in MORE_REAL:
            self.check(folder / name, CAPTURE, PERFETTO)

    def test_merged_folders(self):
        folder = pathlib.Path(TRACES)
        if not folder.is_dir():
            self.skipTest(f"no folder {folder}")
        for name, files in FOLDERS.items():
            job = self.folder / name
            job.mkdir()
            for file in files:
                shutil.copy(folder / file, job)
            self.check(job, *LOSSLESS)
            # Every process has its own device.
            want = self.tables(job)
            gpus = [row for row in want["device"]
                    if "GPU" in row["name"]]
            self.assertEqual(len(gpus), len(files))

    def test_processes_keep_rank_and_devices(self):
        folder = pathlib.Path(TRACES)
        if not folder.is_dir():
            self.skipTest(f"no folder {folder}")
        files = [folder / file for file in FOLDERS["two ranks"]]
        for name, file, _, _ in LOSSLESS:
            out = self.folder / f"named_{file}"
            self.run_program(STEPSCOPE, "convert", *files, "--to", name, "-o",
                             out)
            info = json.loads(self.run_program(STEPSCOPE, "info", out,
                                               "--format", "json"))
            self.assertEqual([row["rank"] for row in info["processes"]],
                             [0, 1], name)

    def test_a_difference_is_seen(self):
        a = {"x": [{"calls": 1, "ratio": 0.5, "start_ns": 1}]}
        b = {"x": [{"calls": 2, "ratio": 0.5, "start_ns": 9}]}
        self.assertIn("x[0].calls", difference(a, b, 0))
        b["x"][0]["calls"] = 1
        self.assertIsNone(difference(a, b, 0))
        b["x"][0]["ratio"] = 0.5001
        self.assertIn("ratio", difference(a, b, 1e-6))


if __name__ == "__main__":
    STEPSCOPE, GENERATE, TRACES = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
