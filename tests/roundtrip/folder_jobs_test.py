#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What verbs make of a folder: one job, or several.

usage: folder_jobs_test.py STEPSCOPE TRACES

TRACES is a folder of real traces; tests that need it are skipped without it.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

YEAR_2026_US = 1767225600 * 10**6


def trace(pid, begin_us, length_us=1000):
    return json.dumps({"traceEvents": [
        {"ph": "X", "name": "work", "pid": pid, "tid": pid,
         "ts": YEAR_2026_US + begin_us, "dur": length_us}]})


class FolderJobsTest(unittest.TestCase):
    def setUp(self):
        self.files = tempfile.TemporaryDirectory()
        self.addCleanup(self.files.cleanup)
        self.folder = pathlib.Path(self.files.name) / "job"
        self.folder.mkdir()

    def run_program(self, *args):
        return subprocess.run([STEPSCOPE, *map(str, args)],
                              capture_output=True, check=False, text=True)

    def info(self, path):
        done = self.run_program("info", path, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def copy(self, *names):
        if not pathlib.Path(TRACES).is_dir():
            self.skipTest(f"no folder {TRACES}")
        for name in names:
            shutil.copy(pathlib.Path(TRACES) / name, self.folder)

    def two_jobs(self):
        (self.folder / "first.json").write_text(trace(7, 0))
        (self.folder / "other.json").write_text(trace(8, 10**9))
        (self.folder / "README.md").write_text("not a trace")

    def test_an_analysis_of_two_jobs_stops_with_the_list(self):
        self.two_jobs()
        out = self.folder.parent / "x.sscap"
        for verb in (["summary"], ["advise"],
                     ["convert", "-o", out], ["compare", self.folder]):
            done = self.run_program(*verb, self.folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            lines = done.stderr.splitlines()
            self.assertIn("2 jobs in this folder, expected one", lines[0])
            self.assertIn("name one file", lines[0])
            self.assertIn("job 1: ", lines[1])
            self.assertIn("first.json", lines[1])
            self.assertIn("job 2: ", lines[2])
            self.assertIn("other.json", lines[2])
        self.assertFalse(out.exists())

    def test_info_lists_jobs_and_what_was_skipped(self):
        self.two_jobs()
        info = self.info(self.folder)
        self.assertEqual([len(job["files"]) for job in info["jobs"]], [1, 1])
        self.assertEqual(len(info["sources"]), 2)
        self.assertEqual(info["ledger"]["seen"], 2)
        self.assertEqual(len(info["skipped"]), 1)
        self.assertIn("not a trace", info["skipped"][0]["reason"])
        text = self.run_program("info", self.folder)
        self.assertEqual(text.returncode, 0)
        self.assertIn("job 2: ", text.stdout)
        self.assertIn("README.md: byte 0: not a trace", text.stdout)

    def test_files_that_are_named_are_one_job(self):
        self.two_jobs()
        out = self.folder.parent / "x.sscap"
        done = self.run_program("convert", self.folder / "first.json",
                                self.folder / "other.json", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info(out)
        self.assertEqual(len(info["sources"]), 2)
        self.assertEqual([row["source"] for row in info["processes"]],
                         [row["file"] for row in info["sources"]])

    def test_processes_that_overlap_are_one_job(self):
        (self.folder / "a.json").write_text(trace(7, 0))
        (self.folder / "b.json").write_text(trace(8, 500))
        done = self.run_program("summary", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.info(self.folder)["jobs"]), 1)

    def test_one_window_in_two_formats_counts_once(self):
        (self.folder / "a.json").write_text(trace(7, 0))
        done = self.run_program("convert", self.folder / "a.json", "-o",
                                self.folder / "a.sscap")
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info(self.folder)
        self.assertEqual(info["counts"]["events"], 1)
        (job,) = info["jobs"]
        self.assertEqual(job["same_window"],
                         [{"file": str(self.folder / "a.json"),
                           "same_window_as": str(self.folder / "a.sscap")}])

    def test_real_ranks_are_one_job(self):
        self.copy("torch_ddp_gloo_rank0.json.gz",
                  "torch_ddp_gloo_rank1.json.gz")
        info = self.info(self.folder)
        self.assertEqual(len(info["jobs"]), 1)
        self.assertEqual([row["rank"] for row in info["processes"]], [0, 1])

    def test_real_paddle_windows_count_once(self):
        self.copy("paddle/paddle26_cnn.paddle_trace.json.gz",
                  "paddle/paddle26_cnn.paddle_trace.pb")
        info = self.info(self.folder)
        (job,) = info["jobs"]
        self.assertEqual(len(job["same_window"]), 1)
        self.copy("paddle/paddle33_cnn.paddle_trace.json.gz",
                  "paddle/paddle33_cnn.paddle_trace.pb")
        self.assertEqual(len(self.info(self.folder)["jobs"]), 2)

    def test_unrelated_real_traces_are_many_jobs(self):
        if not pathlib.Path(TRACES).is_dir():
            self.skipTest(f"no folder {TRACES}")
        done = self.run_program("advise", TRACES)
        self.assertEqual(done.returncode, 2, done.stdout)
        jobs = self.info(TRACES)["jobs"]
        ranks = [job for job in jobs if len(job["files"]) == 2]
        self.assertEqual(len(ranks), 1)
        self.assertIn("torch_ddp_gloo_rank0", ranks[0]["files"][0])
        (jax,) = [job for job in jobs if job["same_window"]]
        self.assertTrue(jax["files"][0].endswith("jax.xplane.pb"))


if __name__ == "__main__":
    STEPSCOPE, TRACES = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
