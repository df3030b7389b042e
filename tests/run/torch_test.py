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


COLLECTIVE = """
import ctypes, tempfile
import torch
import torch.distributed as dist
ctypes.CDLL(None).stepscope_injector_attach_torch_v1()  # now, not soon
if not dist.is_available() or not dist.is_gloo_available():
    print("no gloo")
    raise SystemExit
with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group("gloo", init_method=f"file://{folder}/store",
                            rank=0, world_size=1)
    for _ in range(3):
        dist.all_reduce(torch.ones(4, 5))
    dist.destroy_process_group()
"""


def torch_version():
    text = subprocess.run([PYTHON, "-c", "import torch; "
                           "print(torch.__version__)"], check=True,
                          capture_output=True, text=True).stdout
    return tuple(int(part) for part in text.split(".")[:2])


def python_with_torch():
    for name in (sys.executable, "/usr/bin/python3", "python3"):
        path = shutil.which(name)
        if path and subprocess.run([path, "-c", FIND], check=False,
                                   capture_output=True).returncode == 0:
            return path
    return None


class TorchTest(RunTestCase):

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.runs = {}

    def train(self, *arguments, flags=(), **settings):
        env = {**os.environ, "XDG_CACHE_HOME": CACHE, **settings}
        # -E: the hook of the Python package, which a tree may have or not, is
        # left out. Its own tests are in python/tests.
        return self.run_it(PYTHON, "-E", SCRIPT, *arguments, flags=flags,
                           env=env, timeout=800)

    def look_at(self, how, **settings):
        """Makes `self.out` the captures of a run that many tests look at: to
        start torch is most of what a test costs."""
        key = (how, *sorted(settings.items()))
        if key not in self.runs:
            self.out = pathlib.Path(self.shared.name) / str(len(self.runs))
            self.train(how, BATCHES, **settings)
            self.runs[key] = self.out
        self.out = self.runs[key]

    def types(self):
        return collections.Counter(
            e["cat"] for e in self.events() if e["ph"] == "X")

    def test_the_script_computes_what_it_computes_alone(self):
        alone = subprocess.run([PYTHON, SCRIPT], check=True, text=True,
                               capture_output=True, timeout=120).stdout
        self.assertEqual(self.train().stdout, alone)

    def test_operators_stages_and_steps_of_a_script_with_a_loader(self):
        self.look_at("loader")
        events = self.events()
        steps = [e for e in events if e.get("cat") == "ProfileStep"]
        self.assertEqual([e["name"] for e in steps],
                         [f"ProfileStep#{i}" for i in range(BATCHES)])
        count = collections.Counter(names(events))
        self.assertEqual(count["aten::linear"], 2 * BATCHES)
        self.assertEqual(count["my forward"], BATCHES)
        self.assertEqual(count["Optimizer.step#SGD.step"], BATCHES)
        self.assertEqual(names(events, "i").count("end of data"), 1)
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
        self.look_at("optimizer")
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
        self.look_at("workers")
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
            done.stderr.splitlines()[-4],
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
        self.assertIn("aten::addmm", summary)
        self.assertNotIn("cut short", summary)

    def test_passes_are_concluded_one_per_step(self):
        for how in ("loader", "workers", "optimizer"):
            with self.subTest(how=how):
                self.look_at(how)
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

    def test_the_prebuilt_observer_needs_no_compiler(self):
        with tempfile.TemporaryDirectory() as cache:
            done = self.train(CXX="/bin/false", XDG_CACHE_HOME=cache)
            self.assertEqual(list(pathlib.Path(cache).iterdir()), [])
        self.assertNotIn("operators", done.stderr)
        self.assertGreater(self.types()["Operator"], 100)
        self.assertGreater(self.types()["Backward"], 10)

    def test_both_observers_record_the_same(self):
        counts = []
        for settings in ({}, {"STEPSCOPE_TORCH_COMPILE": "1"}):
            self.look_at("loader", **settings)
            events = self.events()
            # What precedes the observer is a matter of luck.
            first = min(e["ts"] for e in events
                        if e.get("cat") == "ProfileStep")
            counts.append(collections.Counter(
                (e["name"], e["cat"], "Sequence number" in e.get("args", {}))
                for e in events if e["ph"] == "X" and e["ts"] >= first))
        self.assertEqual(counts[0], counts[1])

    def test_sequence_numbers_pair_operators_with_their_gradients(self):
        for settings in ({}, {"STEPSCOPE_TORCH_COMPILE": "1"}):
            with self.subTest(settings=settings):
                self.look_at("loader", **settings)
                numbers = collections.defaultdict(list)
                for event in self.events():
                    number = event.get("args", {}).get("Sequence number")
                    if event["ph"] == "X" and number is not None:
                        numbers[event["name"]].append(int(number))
                self.assertEqual(len(numbers["AddmmBackward0"]), 2 * BATCHES)
                self.assertEqual(sorted(numbers["aten::addmm"]),
                                 sorted(numbers["AddmmBackward0"]))

    def test_a_compiler_that_fails_costs_operators_and_one_line(self):
        with tempfile.TemporaryDirectory() as cache:
            done = self.train(CXX="/bin/false", XDG_CACHE_HOME=cache,
                              STEPSCOPE_TORCH_COMPILE="1")
        self.assertIn("loss", done.stdout)
        self.assertEqual(done.stderr.count("operators are not recorded"), 1)
        self.assertNotIn("Operator", self.types())

    def test_without_a_compiler_an_old_torch_has_operators_less_shapes(self):
        if torch_version() >= (2, 3):
            self.skipTest("the prebuilt observer knows the shapes")
        with tempfile.TemporaryDirectory() as cache:
            done = self.train(CXX="/bin/false", XDG_CACHE_HOME=cache,
                              flags=["--shapes"])
        self.assertEqual(done.stderr.count("shapes are not recorded"), 1)
        self.assertGreater(self.types()["Operator"], 100)

    def test_a_collective_of_gloo_is_communication(self):
        script = self.folder / "collective.py"
        script.write_text(COLLECTIVE, encoding="utf-8")
        done = self.run_it(PYTHON, script, flags=["--shapes"],
                           env={**os.environ, "XDG_CACHE_HOME": CACHE},
                           timeout=800)
        if "no gloo" in done.stdout:
            self.skipTest("this torch has no gloo")
        found = [e for e in self.events() if e["name"] == "gloo:all_reduce"]
        self.assertEqual(len(found), 3)
        for event in found:
            self.assertEqual(event["cat"], "Communication")
            self.assertEqual(event["args"]["Input Dims"], "[[4,5]]")


if __name__ == "__main__":
    support.STEPSCOPE = str(pathlib.Path(sys.argv[1]).resolve())
    PYTHON = python_with_torch()
    if PYTHON is None:
        print("no Python here has torch: skipped")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        CACHE = folder  # what is compiled is compiled once, for all tests
        unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
