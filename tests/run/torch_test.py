#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stepscope run` on a torch script. Skipped where no Python has torch.

usage: torch_test.py STEPSCOPE
"""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import support
from support import RunTestCase, names

SCRIPT = pathlib.Path(__file__).resolve().parent / "torch_training.py"
SKIPPED = 77
PYTHON = ""
CACHE = ""
BATCHES = 6
FIND = "import importlib.util as u; raise SystemExit(not u.find_spec('torch'))"


def python_with_torch():
    for name in (sys.executable, "/usr/bin/python3", "python3"):
        path = shutil.which(name)
        if path and subprocess.run([path, "-c", FIND], check=False,
                                   capture_output=True).returncode == 0:
            return path
    return None


class TorchTest(RunTestCase):

    def train(self, *arguments, flags=(), **settings):
        env = {**os.environ, "XDG_CACHE_HOME": CACHE, **settings}
        return self.run_it(PYTHON, SCRIPT, *arguments, flags=flags, env=env,
                           timeout=800)

    def types(self):
        return collections.Counter(
            e["cat"] for e in self.events() if e["ph"] == "X")

    def test_the_script_computes_what_it_computes_alone(self):
        alone = subprocess.run([PYTHON, SCRIPT], check=True, text=True,
                               capture_output=True, timeout=120).stdout
        self.assertEqual(self.train().stdout, alone)

    def test_operators_stages_and_steps_of_a_script_with_a_loader(self):
        self.train("loader", BATCHES)
        events = self.events()
        steps = [e for e in events if e.get("cat") == "ProfileStep"]
        self.assertEqual([e["name"] for e in steps],
                         [f"ProfileStep#{i}" for i in range(BATCHES)])
        count = collections.Counter(names(events))
        self.assertEqual(count["aten::linear"], 2 * BATCHES)
        self.assertEqual(count["my forward"], BATCHES)
        self.assertEqual(count["Optimizer.step#SGD.step"], BATCHES)
        self.assertEqual(count["end of data"], 1)
        by_name = {e["name"]: e for e in events if e["ph"] == "X"}
        self.assertEqual(by_name["aten::linear"]["cat"], "Operator")
        self.assertEqual(by_name["Optimizer.step#SGD.step"]["cat"],
                         "Optimization")
        self.assertEqual(by_name["AddmmBackward0"]["cat"], "Backward")
        loads = [e for e in events if e.get("cat") == "Dataloader"]
        self.assertEqual(len(loads), BATCHES + 1)  # the last finds no more
        # Every operator of the forward pass lies in a step.
        for event in events:
            if event["name"] != "aten::linear":
                continue
            self.assertTrue(any(
                s["ts"] <= event["ts"] and
                event["ts"] + event["dur"] <= s["ts"] + s["dur"]
                for s in steps), event)

    def test_steps_of_a_script_without_a_loader_follow_the_optimizer(self):
        self.train("optimizer", BATCHES)
        steps = [e["name"] for e in self.events()
                 if e.get("cat") == "ProfileStep"]
        self.assertEqual(steps, [f"ProfileStep#{i}" for i in range(BATCHES)])

    def test_a_window_of_steps_holds_those_alone(self):
        self.train("loader", BATCHES, flags=["--steps", "2:4"])
        events = self.events()
        self.assertEqual([e["name"] for e in events
                          if e.get("cat") == "ProfileStep"],
                         ["ProfileStep#2", "ProfileStep#3"])
        self.assertEqual(names(events).count("aten::linear"), 4)

    def test_a_loaders_workers_have_captures_of_their_own(self):
        self.train("workers", BATCHES)
        captures = self.captures()
        self.assertEqual(len(captures), 3)
        stacks = [names(self.events(c)).count("aten::stack")
                  for c in captures]
        self.assertEqual(sum(stacks), 2 * BATCHES)
        self.assertEqual(sorted(stacks)[0], 0)  # the training process

    def test_a_job_with_workers_leaves_whole_captures_and_nothing_else(self):
        before = set(pathlib.Path("/dev/shm").glob("stepscope-*"))
        done = self.train("workers", BATCHES)
        # What other tests leave there has other processes' numbers.
        pids = {c.name.split("_")[-3] for c in self.captures()}
        self.assertEqual(len(pids), 3)
        self.assertEqual(sorted(p.name for p in self.out.iterdir()),
                         [c.name for c in self.captures()])
        left = set(pathlib.Path("/dev/shm").glob("stepscope-*")) - before
        self.assertEqual([p for p in left if p.name.split("-")[1] in pids], [])
        self.assertRegex(
            done.stderr.splitlines()[-2],
            r"^stepscope: recorded 3 captures, \d+\.\d\d MB, in ")
        self.assertNotIn("note:", done.stderr)
        info = self.info()
        self.assertTrue(info["complete"])
        self.assertEqual(info["ledger"]["seen"], info["ledger"]["kept"])
        text = self.info_text()
        self.assertIn("state     complete", text)
        # One note for both workers; two if how one of them ended was not told.
        notes = [n for n in text.splitlines() if n.startswith("note ")]
        self.assertIn(len(notes), (1, 2), text)
        for note in notes:
            self.assertRegex(
                note, r"^note      (2 processes \(\d+, \d+\)|process \d+ "
                r"\(.*\)): ended (by _exit \(code 0\) )?without closing")
        summary = subprocess.run(
            [support.STEPSCOPE, "summary", str(self.out)], check=True,
            capture_output=True, text=True, timeout=120).stdout
        self.assertIn("aten::linear", summary)
        self.assertNotIn("cut short", summary)

    def test_passes_are_concluded_one_per_step(self):
        for how in ("loader", "workers", "optimizer"):
            with self.subTest(how=how):
                shutil.rmtree(self.out, ignore_errors=True)
                self.train(how, BATCHES)
                summary = subprocess.run(
                    [support.STEPSCOPE, "summary", str(self.out), "--views",
                     "model", "--format", "json"], check=True,
                    capture_output=True, timeout=120).stdout
                model = {row["name"]: row
                         for row in json.loads(summary)["model"]}
                for stage in ("Forward", "Backward"):
                    self.assertEqual(model[stage]["calls"], BATCHES, stage)
                    self.assertTrue(model[stage]["inferred"], stage)
                self.assertGreaterEqual(model["Others"]["cpu"]["total_ns"], 0)

    def test_shapes_of_every_operator_arrive_without_a_word_of_torch(self):
        done = self.train("loader", BATCHES, flags=["--shapes"])
        for line in done.stderr.splitlines():
            self.assertTrue(line.startswith("stepscope: "), done.stderr)
        # The engine's ranges around a node have no inputs, and torch.empty
        # takes no tensor but has its arguments.
        operators = [e for e in self.events() if e.get("cat") in
                     ("Operator", "Backward") and
                     not e["name"].startswith("autograd::engine")]
        self.assertGreater(len(operators), 100)
        without = {e["name"] for e in operators
                   if "Input Dims" not in e.get("args", {})}
        self.assertEqual(without, set())

    def test_shapes_on_request(self):
        self.train(flags=["--shapes"])
        found = [e["args"] for e in self.events()
                 if e["name"] == "aten::addmm"]
        self.assertEqual(found[0]["Input Dims"],
                         "[[64],[8,32],[32,64],[],[]]")
        self.assertEqual(found[0]["Input type"],
                         '["float","float","float","Scalar","Scalar"]')
        shutil.rmtree(self.out)
        self.train()
        found = [e for e in self.events() if e["name"] == "aten::addmm"]
        self.assertNotIn("Input Dims", found[0].get("args", {}))

    def test_without_the_observer_the_summary_says_why(self):
        self.train(flags=["--no-torch"])
        self.assertNotIn("Operator", self.types())
        done = subprocess.run(
            [support.STEPSCOPE, "summary", "--format", "json",
             str(self.out)], check=True, capture_output=True, text=True)
        self.assertIn("--no-torch was given", done.stdout)

    def test_a_compiler_that_fails_costs_operators_and_one_line(self):
        with tempfile.TemporaryDirectory() as cache:
            done = self.train(CXX="/bin/false", XDG_CACHE_HOME=cache)
        self.assertIn("loss", done.stdout)
        self.assertEqual(done.stderr.count("operators are not recorded"), 1)
        self.assertNotIn("Operator", self.types())


if __name__ == "__main__":
    support.STEPSCOPE = str(pathlib.Path(sys.argv[1]).resolve())
    PYTHON = python_with_torch()
    if PYTHON is None:
        print("no Python here has torch: skipped")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        CACHE = folder  # the observer is built once, for all tests
        unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
