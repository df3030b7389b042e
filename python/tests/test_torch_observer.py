# SPDX-License-Identifier: Apache-2.0
"""Operators of torch in a program that records itself. Skipped where no Python
of this version has torch."""

import collections
import functools
import json
import os
import shutil
import subprocess
import sys
import unittest

import stepscope
from stepscope import _native_files, _torch_observer
from support import InOwnFolder

ASK = ("import importlib.util as u, sys; "
       "print('%d.%d' % sys.version_info[:2], bool(u.find_spec('torch')))")

START = """
import io, contextlib, sys
import stepscope
from stepscope import _torch_observer as observer
early = observer.attach()
assert early == "torch is not imported", early
assert not observer.is_attached()
import torch
reason = observer.attach(shapes=len(sys.argv) > 1)
assert reason == "", reason
assert observer.is_attached()
torch.manual_seed(0)
torch.set_num_threads(1)
weight = torch.ones(3, 4, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
def step():
    optimizer.zero_grad()
    (torch.ones(2, 3) @ weight).sum().backward()
    optimizer.step()
def record(work):
    with contextlib.redirect_stdout(io.StringIO()):
        with stepscope.Profiler(
                frameworks=False,
                targets=[stepscope.ProfilerTarget.CPU],
                on_trace_ready=lambda p: p.export("trace.json")):
            work()
"""


@functools.lru_cache(maxsize=None)
def python_with_torch():
    for program in (sys.executable, shutil.which("python3"),
                    "/usr/bin/python3"):
        if not program or not os.path.exists(program):
            continue
        said = subprocess.run([program, "-c", ASK], check=False, text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.split()
        if said == ["%d.%d" % sys.version_info[:2], "True"]:
            return program
    return None


class WithoutTorch(unittest.TestCase):

    def test_the_package_has_the_observer(self):
        # Its symbols of stepscope come from the recorder that is loaded: if
        # it loads, it found them all.
        script = ("import ctypes, os, sys, stepscope\n"
                  "lib = sys.argv[1]\n"
                  "name = f'libstepscope.so.{stepscope.__version__[0]}'\n"
                  "ctypes.CDLL(os.path.join(lib, name),\n"
                  "            mode=os.RTLD_NOLOAD | os.RTLD_GLOBAL)\n"
                  "observer = ctypes.CDLL(\n"
                  "    os.path.join(lib, 'libstepscope_torch.so'),\n"
                  "    mode=os.RTLD_NOW)\n"
                  "probe = observer.stepscope_torch_probe_v1\n"
                  "probe.restype = ctypes.c_char_p\n"
                  "print(probe().decode())\n")
        said = subprocess.run(
            [sys.executable, "-c", script,
             os.path.join(_native_files.FOLDER, "lib")], check=True,
            stdout=subprocess.PIPE, text=True, timeout=240).stdout
        self.assertEqual(said, "torch is not loaded\n")

    def test_it_says_that_torch_is_not_imported(self):
        if "torch" in sys.modules:
            self.skipTest("torch is imported")
        self.assertEqual(_torch_observer.attach(), "torch is not imported")
        self.assertFalse(_torch_observer.is_attached())
        _torch_observer.observe(True)
        _torch_observer.observe(False)


class WithTorch(InOwnFolder):

    def setUp(self):
        super().setUp()
        if python_with_torch() is None:
            self.skipTest("no Python of this version has torch")

    def run_script(self, script, *arguments, under=()):
        with open("script.py", "w", encoding="utf-8") as file:
            file.write(START + script)
        package = os.path.dirname(os.path.dirname(stepscope.__file__))
        done = subprocess.run(
            [*under, python_with_torch(), "script.py", *arguments],
            check=False, timeout=240, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": package})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def events(self, path="trace.json"):
        with open(path, encoding="utf-8") as file:
            return [event for event in json.load(file)["traceEvents"]
                    if event["ph"] == "X"]

    def test_operators_are_recorded_while_they_are_observed(self):
        self.run_script("""
def work():
    step()
    observer.observe(True)
    for _ in range(3):
        step()
    observer.observe(False)
    step()
record(work)
""")
        events = self.events()
        counts = collections.Counter(event["name"] for event in events)
        self.assertEqual(counts["aten::matmul"], 3)
        self.assertEqual(counts["Optimizer.step#SGD.step"], 3)
        types = {event["name"]: event["cat"] for event in events}
        self.assertEqual(types["aten::matmul"], "Operator")
        self.assertEqual(types["MmBackward0"], "Backward")
        self.assertEqual(types["Optimizer.step#SGD.step"], "Optimization")
        numbers = collections.defaultdict(list)
        for event in events:
            numbers[event["name"]].append(
                event["args"].get("Sequence number"))
        self.assertEqual(sorted(numbers["aten::mm"], key=str)[:3],
                         sorted(numbers["MmBackward0"]))

    def test_outside_of_a_recording_nothing_is_left_behind(self):
        self.run_script("""
observer.observe(True)
step()
observer.observe(False)
observer.observe(False)
record(lambda: None)
""")
        self.assertEqual([event["name"] for event in self.events()
                          if event["cat"] == "Operator"], [])

    def test_under_run_each_operator_is_recorded_once(self):
        done = self.run_script("""
def work():
    observer.observe(True)
    for _ in range(3):
        step()
    observer.observe(False)
record(work)
""", under=[_native_files.PROGRAM, "run", "--quiet", "--out", "out", "--"])
        self.assertNotIn("not recorded", done.stderr)
        counts = collections.Counter(event["name"]
                                     for event in self.events())
        self.assertEqual(counts["aten::matmul"], 3)
        self.assertEqual(counts["Optimizer.step#SGD.step"], 3)

    def test_shapes_where_torch_has_what_it_takes(self):
        done = self.run_script("""
def work():
    observer.observe(True)
    step()
    observer.observe(False)
record(work)
print(tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 3))
""", "shapes")
        shapes = [event["args"].get("Input Dims") for event in self.events()
                  if event["name"] == "aten::matmul"]
        self.assertEqual(shapes, ["[[2,3],[3,4]]"]
                         if done.stdout.strip() == "True" else [None])
