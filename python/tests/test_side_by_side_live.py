# SPDX-License-Identifier: Apache-2.0
"""A program of the real Paddle under stepscope.profiler: what Paddle's own
profiler records of it, and nothing twice.

Needs Paddle as test_side_by_side.py does. Tried with 3.3.1 for the CPU; what a
GPU would add was not tried."""

import collections
import importlib.util
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

import stepscope
import support

PADDLE = os.environ.get("PADDLE_FOR_TESTS", "")
CNN = pathlib.Path(__file__).resolve().parent / "side_by_side/cnn.py"
# Tables whose rows are the same; the one of user-defined events has more here.
TABLES = ("Overview Summary", "Model Summary", "Operator Summary")


def rows(text):
    """(table, name, calls) of the tables above."""
    found, table = collections.Counter(), None
    for line in text.splitlines():
        title = re.match(r"-+(\w[\w ]* Summary)-+", line)
        if title:
            table = title[1]
        row = re.match(r"(\s*\S.*?)\s{2,}(\d+)\s{2,}", line)
        if row and table in TABLES:
            found[table, row[1], int(row[2])] += 1
    return found


def events(path):
    """How often there is each (type, name) in a Chrome trace."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file)["traceEvents"]
    return collections.Counter(
        (event["cat"], re.sub(r"\[[\d.]+ [mun]?s\]$", "", event["name"]))
        for event in found if event.get("ph") == "X")


@unittest.skipUnless(PADDLE or importlib.util.find_spec("paddle"),
                     "no Paddle for this Python; make test-peers has one on "
                     "x86_64")
class LiveTest(support.InOwnFolder):
    def python(self, *arguments, code=0):
        path = os.pathsep.join(filter(None, (
            os.environ.get("PYTHONPATH", ""), PADDLE)))
        done = subprocess.run(
            [sys.executable, *arguments], check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
            env={**os.environ, "GLOG_minloglevel": "2", "PYTHONPATH": path})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def train(self, module, workers):
        folder = os.path.abspath(f"{module}-{workers}")
        os.mkdir(folder)
        before = os.getcwd()
        os.chdir(folder)
        try:
            self.python(str(CNN), module, str(workers))
        finally:
            os.chdir(before)
        with open(f"{folder}/seen.json", encoding="utf-8") as file:
            return json.load(file), events(f"{folder}/trace.json")

    def test_names_and_calls_are_those_of_paddle(self):
        for workers in (0, 2):
            with self.subTest(workers=workers):
                theirs, their_events = self.train("paddle.profiler", workers)
                ours, our_events = self.train("stepscope.profiler", workers)
                their_rows = rows(theirs["tables"])
                self.assertEqual(their_rows, rows(ours["tables"]))
                self.assertGreater(len(their_rows), 80)
                self.assertEqual(their_events, our_events)
                self.assertRegex(
                    ours["step_info"], r"^ reader_cost: \S+ s batch_cost: \S+ "
                    r"s ips: \S+ images/s$")
                self.assertFalse(ours["used"])
                for stage in ("Dataloader", "Forward", "Backward",
                              "Optimization"):
                    self.assertIn(("Model Summary", f"  {stage}", 4),
                                  their_rows)

    def test_timer_only_counts_reading(self):
        said = self.python("-c", """
import numpy, paddle
import stepscope.profiler as profiler
class Numbers(paddle.io.Dataset):
    def __getitem__(self, index):
        return numpy.full([4], index, "float32")
    def __len__(self):
        return 80
for workers in (0, 2):
    prof = profiler.Profiler(timer_only=True, quiet=True)
    prof.start()
    assert not paddle.profiler.utils._is_profiler_used
    assert not profiler.utils._is_profiler_used
    for batch in paddle.io.DataLoader(Numbers(), batch_size=4,
                                      num_workers=workers):
        prof.step(4)
    print(prof.step_info())
    prof.stop()
assert list(paddle.profiler.timer.benchmark().hooks) == ["timer_hook"]
""").stdout
        self.assertEqual(len(re.findall("(?m)^ reader_cost: .* samples/s$",
                                        said)), 2, said)

    def test_each_window_has_its_own_operators(self):
        self.python("-c", """
import paddle
import stepscope.profiler as profiler
x, seen = paddle.ones([4]), []
def look(prof):
    seen.append(prof)
    prof.export(f"{len(seen)}.json")
with profiler.Profiler(scheduler=profiler.make_scheduler(
        closed=0, ready=1, record=2), on_trace_ready=look) as prof:
    for step in range(8):
        paddle.exp(x)
        prof.step()
assert not paddle.profiler.utils._is_profiler_used
""")
        self.assertEqual([events(f"{window}.json")["Operator", "exp dygraph"]
                          for window in (1, 2, 3)], [2, 2, 1])

    def test_killed_it_keeps_steps_and_stages(self):
        self.python("-c", """
import os, signal, paddle
import stepscope.profiler as profiler
net = paddle.nn.Linear(4, 4)
prof = profiler.Profiler(keep_capture=True,
                         on_trace_ready=profiler.export_capture("log"))
prof.start()
for step in range(5):
    net(paddle.ones([2, 4])).mean().backward()
    prof.step()
os.kill(os.getpid(), signal.SIGKILL)
""", code=-signal.SIGKILL)
        found = [os.path.join(folder, name)
                 for folder, _, names in os.walk(".") for name in names
                 if name.endswith(".sscap")]
        self.assertTrue(found)
        with self.assertWarnsRegex(UserWarning, "killed"):
            stepscope.load(found[0]).export("killed.json")
        kept = events("killed.json")
        self.assertEqual(kept["Forward", "Linear"], 5)
        self.assertEqual(kept["Backward", "Gradient Backward"], 5)

    def test_fluid(self):
        """The same events, by the profiler of Paddle 1.x."""
        said = self.python("-c", """
import paddle
from stepscope.fluid import profiler
net = paddle.nn.Linear(4, 4)
with profiler.profiler("CPU", "total", "profile"):
    net(paddle.exp(paddle.ones([2, 4]))).mean().backward()
    profiler.reset_profiler()
    for _ in range(3):
        net(paddle.tanh(paddle.ones([2, 4]))).mean().backward()
assert not paddle.profiler.utils._is_profiler_used
""").stdout
        calls = dict(re.findall(r"(?m)^thread\d+::(\S.*?)\s{2,}(\d+) ", said))
        self.assertEqual(calls.get("tanh dygraph"), "3", said)
        self.assertEqual(calls.get("Linear"), "3", said)
        self.assertNotIn("exp dygraph", calls)
        self.assertGreater(os.path.getsize("profile"), 1000)

    def test_beside_paddle_profiler(self):
        """Whoever comes first, nobody fails, and one line says who has the
        operators."""
        for first in ("ours", "theirs"):
            with self.subTest(first=first):
                done = self.python("-W", "always", "-c", f"""
import paddle, stepscope.profiler as profiler
x = paddle.ones([4])
net = paddle.nn.Linear(4, 4)
def make_ours():
    prof = profiler.Profiler(on_trace_ready=lambda p: p.export("ours.json"))
    prof.start()
    return prof
def make_theirs():
    prof = paddle.profiler.Profiler(
        on_trace_ready=lambda p: p.export("theirs.json"))
    prof.start()
    return prof
if "{first}" == "ours":
    ours = make_ours()
    theirs = make_theirs()
else:
    theirs = make_theirs()
    ours = make_ours()
net(paddle.exp(x))
ours.step()
theirs.stop()
del theirs
ours.step()
net(paddle.tanh(x))
ours.stop()
assert not paddle.profiler.utils._is_profiler_used
""")
                self.assertEqual(done.stderr.count("stepscope:"), 1,
                                 done.stderr)
                mine, other = events("ours.json"), events("theirs.json")
                self.assertIn(("Forward", "Linear"), mine)
                self.assertIn(("Forward", "Linear"), other)
                self.assertIn(("Operator", "exp dygraph"), other)
                self.assertNotIn(("Operator", "exp dygraph"), mine)
                # Theirs is gone: the operators are ours again.
                self.assertIn(("Operator", "tanh dygraph"), mine)


if __name__ == "__main__":
    unittest.main()
