#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The one screen of `stepscope summary`, over all real traces: it fits, holds
no share above 100 % and no column of zeros, and says of findings what
`stepscope advise` says."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

STEPSCOPE = sys.argv[1]
TRACES = pathlib.Path(sys.argv[2])
LINES = 45
COLUMNS = 100
NOT_TRACES = {".md", ".txt", ".py", ".pickle"}


def run(*arguments):
    return subprocess.run([STEPSCOPE, *map(str, arguments)], text=True,
                          capture_output=True)


def all_traces():
    for path in sorted(TRACES.rglob("*")):
        stated = path.name.endswith((".key_averages.json", "truth.json"))
        if path.is_file() and path.suffix not in NOT_TRACES and not stated:
            yield path


class OneScreenTest(unittest.TestCase):
    def screens(self):
        """(path, text) of every trace that this build reads."""
        seen = 0
        for path in all_traces():
            done = run("summary", path)
            if done.returncode == 3:
                continue  # a format that this build does not read
            self.assertEqual(done.returncode, 0, f"{path}: {done.stderr}")
            seen += 1
            yield path, done.stdout
        self.assertGreater(seen, 10)

    def test_ranges_can_be_the_steps(self):
        """A trace of a server has no steps, but a range for each batch."""
        trace = TRACES / "peer/05_sglang_decode_tp0.trace.json.gz"
        if not trace.exists():
            self.skipTest("no " + trace.name)
        chosen = ("--step-range", "step*DECODE*")
        views = ("--views", "steps", "--format", "json")
        steps = json.loads(run("summary", trace, *views, *chosen).stdout)
        self.assertEqual(len(steps["steps"]), 5)
        self.assertEqual(json.loads(run("summary", trace,
                                        *views).stdout)["steps"], [])
        self.assertIn("no range is called nobody, so it has no steps",
                      run("info", trace, "--step-range", "nobody").stdout)
        self.assertIn("* No range is called nobody, so it has no steps.",
                      run("summary", trace, "--step-range", "nobody").stdout)
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "copy.json"
            done = run("convert", trace, "-o", copy, *chosen)
            self.assertEqual(done.returncode, 0, done.stderr)
            again = json.loads(run("summary", copy, *views).stdout)
            self.assertEqual(len(again["steps"]), 5)

    def test_it_fits_and_its_figures_make_sense(self):
        for path, text in self.screens():
            with self.subTest(path.name):
                lines = text.splitlines()
                self.assertLessEqual(len(lines), LINES, text)
                for line in lines:
                    self.assertLessEqual(len(line), COLUMNS, text)
                    self.assertEqual(line, line.rstrip(), text)
                for share in re.findall(r"([0-9.]+) %", text):
                    self.assertLessEqual(float(share), 100, text)
                self.assertNotIn("Utilization", text)
                self.assertNotIn("nan", text.split())
                self.assertIn("stepscope advise ", text)
                self.check_columns(lines, text)

    def check_columns(self, lines, text):
        """No share above 100, and a column is left out if it is all zeros."""
        for head in (i for i, line in enumerate(lines)
                     if line.endswith(" calls")):
            rows = []
            for line in lines[head + 1:]:
                numbers = re.search(r"((?:\s+<?[\d.,]+)+)$", line)
                if not line.startswith("  ") or numbers is None:
                    break
                rows.append(numbers.group(1).split())
            self.assertTrue(rows, text)
            columns = len(re.findall(r"self|%|total|on device|average|calls",
                                     lines[head].split(",")[-1]
                                     if "," in lines[head] else lines[head]))
            columns = min(columns, min(map(len, rows)))
            for i in range(1, columns + 1):
                column = [row[-i] for row in rows]
                self.assertTrue(any(value.strip("0.") for value in column),
                                text)

    def test_findings_are_those_of_advise(self):
        for name in ("torch_cnn.json.gz", "torch_resnet50_amp.json.gz",
                     "hta_nccl.json.gz"):
            with self.subTest(name):
                text = run("summary", TRACES / name).stdout
                advice = json.loads(
                    run("advise", TRACES / name, "--format", "json").stdout)
                for finding in advice["advice"][:3]:
                    words = finding["finding"].split()[:5]
                    self.assertIn(" ".join(words), text)
                    saved = f"{finding['saving_ratio'] * 100:.1f} %"
                    if finding["saving_ns"] > 0:
                        self.assertIn(saved, text)

    def test_ranks_are_one_job(self):
        path = TRACES / "torch_ddp_gloo_rank0.json.gz"
        other = TRACES / "torch_ddp_gloo_rank1.json.gz"
        with tempfile.TemporaryDirectory() as folder:
            for trace in (path, other):
                (pathlib.Path(folder) / trace.name).symlink_to(
                    trace.resolve())
            text = run("summary", folder).stdout
        self.assertIn("2 ranks", text)
        self.assertIn("--views ranks,stragglers", text)
        self.assertLessEqual(len(text.splitlines()), LINES)


if __name__ == "__main__":
    if not TRACES.is_dir():
        print("no real traces here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
