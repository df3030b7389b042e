# SPDX-License-Identifier: Apache-2.0
"""The history of torch's allocator as part of a recording, and what is saved
when memory is out: with a torch that stands in for one with a GPU."""

import glob
import json
import os
import subprocess
import sys

from stepscope import _native_files
from support import InOwnFolder, once

STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "standin_memory")
KIB = 1024

TRAINING = """
import sys
import torch
from torch.cuda import memory
import stepscope

torch.cuda.init()
weights = memory.allocate(1 << 20)
kept = []

def step():
    with stepscope.RecordEvent("forward"):
        kept.append(memory.allocate(4096))  # leak
    with stepscope.RecordEvent("other"):
        memory.free(memory.allocate(100000))
"""
PACKAGE = TRAINING + """
with stepscope.Profiler(
        targets=[stepscope.ProfilerTarget.CPU], quiet=True,
        profile_memory=True, memory_stacks="stacks" in sys.argv,
        on_trace_ready=lambda p: p.export("window.sscap")) as p:
    for _ in range(6):
        step()
        p.step()
"""
RUN = TRAINING + """
for _ in range(7):
    stepscope.step()
    step()
"""
OUT = """
import time
import torch
from torch.cuda import memory
import stepscope
torch.cuda.init()
while not stepscope.enabled():  # a shorter program is over before that
    time.sleep(0.01)
kept = []
while True:
    kept.append(memory.allocate(5 << 20))  # too much
"""
HISTORIES = """
print(memory.calls, [memory.options["most"] > 0])
"""


@once("what is done with the history is the same with every Python")
class MemoryHistoryTest(InOwnFolder):

    def program(self, script, *arguments, run=None, fails=False, **more):
        with open("script.py", "w", encoding="utf-8") as file:
            file.write(script)
        command = [sys.executable, "script.py", *arguments]
        if run is not None:
            command = [_native_files.PROGRAM, "run", "--out", "out", *run,
                       "--", *command]
        path = os.pathsep.join([STANDIN, *sys.path])
        done = subprocess.run(
            command, text=True, capture_output=True, check=False, timeout=240,
            env={**os.environ, "PYTHONPATH": path, **more})
        self.assertEqual(done.returncode != 0, fails, done.stderr)
        return done

    def tables(self, path):
        out = subprocess.run(
            [_native_files.PROGRAM, "summary", "--format", "json", "--views",
             "memory_peak,memory_growth,memory_lifetimes", path],
            text=True, capture_output=True, check=True).stdout
        return json.loads(out)

    def gpu(self, tables):
        top = tables["memory_peak"]
        (gpu,) = [row for row in [top, *top.get("others", [])]
                  if row["device"] == "gpu:0"]
        return gpu

    def line(self, mark):
        with open("script.py", encoding="utf-8") as file:
            (number,) = [i for i, line in enumerate(file, 1)
                         if line.rstrip().endswith("# " + mark)]
        return f"script.py:{number}"

    def expect_training(self, path, stacks, most):
        """The peak to the byte, and the leak by its owner and line."""
        tables = self.tables(path)
        gpu = self.gpu(tables)
        self.assertEqual(gpu["allocated_bytes"], most)
        self.assertEqual(gpu["reserved_bytes"], 20 << 20)
        self.assertEqual(sum(row["bytes"] for row in gpu["live"]), most)
        self.assertIn(("other", 100352),
                      [(row["owner"], row["bytes"]) for row in gpu["live"]])
        (leak,) = [row for row in tables["memory_growth"]
                   if row["name"] == "forward"]
        self.assertEqual(leak["bytes_per_step"], 4096)
        line = leak["line"] or ""
        self.assertTrue(line.endswith(self.line("leak")) if stacks
                        else line == "", line)

    def test_a_window_has_the_history(self):
        for stacks in ((), ("stacks",)):
            done = self.program(PACKAGE + HISTORIES, *stacks)
            self.assertEqual(done.stderr, "")
            # On for the window alone.
            self.assertIn("['all', None]", done.stdout)
            self.expect_training("window.sscap", stacks,
                                 (1 << 20) + 6 * 4096 + 100352)

    def test_an_older_torch(self):
        # Without times: what was held is known, and not in which step.
        done = self.program(PACKAGE, "stacks", STANDIN_OLD="1")
        self.assertEqual(done.stderr, "")
        gpu = self.gpu(self.tables("window.sscap"))
        self.assertEqual(gpu["allocated_bytes"],
                         (1 << 20) + 6 * 4096 + 100352)
        self.assertIn(self.line("leak"),
                      [os.path.basename(row["line"] or "")
                       for row in gpu["live"]])

    def test_each_window_has_its_own(self):
        script = PACKAGE.replace("6)", "12)").replace(
            "quiet=True", "quiet=True, scheduler=stepscope.make_scheduler("
            "closed=1, ready=1, record=4, repeat=2)").replace(
            '"window.sscap"', 'f"window{next(names)}.sscap"').replace(
            "kept = []", "kept = []\nnames = iter('ab')")
        self.program(script)
        self.assertEqual(len(self.files(".", ".sscap")), 2)
        for path in self.files(".", ".sscap"):
            gpu = self.gpu(self.tables(path))
            allocations = {row["owner"]: row["allocations"]
                           for row in gpu["live"]}
            self.assertLessEqual(allocations["forward"], 4)
            self.assertIn("(before the recording)", allocations)

    def test_the_programs_own_history_stays(self):
        script = PACKAGE.replace(
            "kept = []", "memory._record_memory_history()\nkept = []")
        done = self.program(script + HISTORIES)
        self.assertEqual(done.stderr.count("it is used as it is"), 1)
        self.assertIn("['all']", done.stdout)
        self.expect_training("window.sscap", True,
                             (1 << 20) + 6 * 4096 + 100352)

    def test_under_run(self):
        for option in ("--memory", "--memory-stacks"):
            self.program(RUN, run=[option])
            # From the first use of the GPU on.
            self.expect_training(sorted(glob.glob("out*"))[-1],
                                 option == "--memory-stacks",
                                 (1 << 20) + 7 * 4096 + 100352)
            subprocess.run(["rm", "-r", "out"], check=True)

    def test_under_run_with_chosen_steps(self):
        # The capture is complete long before the program ends.
        self.program(RUN, run=["--memory", "--steps", "2:4"])
        gpu = self.gpu(self.tables("out"))
        owners = {row["owner"]: row["allocations"] for row in gpu["live"]}
        self.assertLessEqual(owners["forward"], 2)

    def test_without_being_asked_there_is_nothing(self):
        done = self.program(PACKAGE.replace("profile_memory=True, ", "") +
                            "\nprint(memory.calls)")
        self.assertIn("[]", done.stdout)

    def test_out_of_memory(self):
        done = self.program(OUT, run=["--memory-stacks"], fails=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("OutOfMemoryError: Tried to allocate 5242880",
                      done.stderr)
        (line,) = [line for line in done.stderr.splitlines()
                   if "is out of memory" in line]
        self.assertIn("5,242,880 bytes", line)
        self.assertIn("stepscope advise ", line)
        path = line.rpartition(" ")[2]
        advice = subprocess.run([_native_files.PROGRAM, "advise", path],
                                text=True, capture_output=True, check=True)
        self.assertIn("ran out of memory", advice.stdout)
        self.assertIn(self.line("too much"), advice.stdout)
        # The capture has it, too, and is not two jobs for it.
        self.assertIn("ran out of memory", subprocess.run(
            [_native_files.PROGRAM, "advise", "out"], text=True,
            capture_output=True, check=True).stdout)

    def test_out_of_memory_in_the_flight_recorder(self):
        script = TRAINING + """
with stepscope.Profiler(mode="flight", profile_memory=True, job="job") as p:
    step()
    p.step()
    memory.allocate(30 << 20)
"""
        done = self.program(script, fails=True)
        self.assertIn("OutOfMemoryError", done.stderr)
        self.assertEqual(len(self.files("job/out_of_memory", ".pickle")), 1)

    def test_a_program_that_tries_again_leaves_few_files(self):
        script = OUT.replace("kept.append", "    kept.append").replace(
            "while True:", "for _ in range(20):\n    try:")
        script += "    except torch.OutOfMemoryError:\n        pass\n"
        done = self.program(script, run=["--memory"])
        self.assertEqual(done.stderr.count("is out of memory"), 3)

    def test_nothing_of_it_ends_the_program(self):
        script = PACKAGE.replace(
            "kept = []", "def fails(*_, **__):\n    raise RuntimeError('no')\n"
            "memory._snapshot = fails\nkept = []")
        done = self.program(script)
        self.assertIn("the memory of the GPU is not recorded: "
                      "RuntimeError: no", done.stderr)
