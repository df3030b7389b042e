#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What advise says of programs that run on the processor alone. Skipped where
no Python has torch.

usage: advice_cpu_test.py STEPSCOPE PACKAGE

PACKAGE is the Python package of the tree, which records functions.

Each program has one part that takes far longer than all others, on any machine.
"""

import json
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "run"))
import support
from torch_test import python_with_torch

SKIPPED = 77
PYTHON = ""
PACKAGE = pathlib.Path()


class AdviceCpuTest(support.RunTestCase):

    def advise(self, script, *flags, arguments=()):
        self.run_it(PYTHON, HERE / script, *arguments, flags=flags,
                    timeout=600)
        done = subprocess.run(
            [support.STEPSCOPE, "advise", str(self.out), "--format", "json"],
            check=True, capture_output=True, text=True, timeout=600)
        answer = json.loads(done.stdout)
        self.check_shares(answer)
        self.assertTrue(answer["advice"], "no finding")
        return answer

    def check_shares(self, answer):
        for finding in answer["advice"]:
            with self.subTest(finding["id"]):
                self.assertLessEqual(finding["saving_ratio"], 1)
                self.assertLessEqual(finding["low_ns"], finding["saving_ns"])
                self.assertLessEqual(finding["saving_ns"], finding["high_ns"])
                self.assertTrue(finding["evidence"])
                self.assertTrue(finding["try"])
                self.assertTrue(finding["change"]
                                or "not replayed" in finding["saving_basis"])

    def check_command(self, first):
        """The replay that is offered as a check gives the same saving."""
        done = subprocess.run(
            [support.STEPSCOPE, "whatif", str(self.out), "--change",
             first["change"], "--format", "json"],
            check=True, capture_output=True, text=True, timeout=600)
        self.assertEqual(json.loads(done.stdout)["changes"][0]["saving_ns"],
                         first["saving_ns"])

    def check_own_time(self, first, name):
        """A replay that saves clearly more than was measured is not told."""
        self.assertEqual(first["id"], "own_time")
        self.assertRegex(first["finding"], f'^"{name}" takes ')
        if first["change"] is not None:
            self.assertRegex(first["change"], f"^self:{name}=0.5$")
            self.check_command(first)

    def test_a_transformer_names_its_products(self):
        first = self.advise("transformer.py", "--no-gpu")["advice"][0]
        self.check_own_time(first, "aten::(add)?mm")

    def test_an_inference_loop_names_its_product(self):
        first = self.advise("inference.py", "--no-gpu")["advice"][0]
        self.check_own_time(first, "aten::addmm")
        self.assertTrue(any("aten::linear" in e["what"]
                            for e in first["evidence"]))

    def test_a_slow_callback_is_named_by_its_function(self):
        if not PACKAGE.is_dir():
            self.skipTest(f"no {PACKAGE}")
        first = self.advise("slow_callback.py", "--no-gpu",
                            "--python")["advice"][0]
        self.assertEqual(first["id"], "callback")
        self.assertIn("Log.on_step_end", first["finding"])
        self.assertTrue(any("Log.write" in e["name"]
                            for e in first["evidence"]))
        self.check_command(first)

    def test_without_functions_its_place_is_named(self):
        first = self.advise("slow_callback.py", "--no-gpu")["advice"][0]
        self.assertEqual(first["id"], "unrecorded")
        self.assertTrue(any("--python" in text for text in first["try"]))


    def find(self, name, answer):
        found = [f for f in answer["advice"] if f["id"] == name]
        return found[0] if found else None

    def require_samples(self, python_functions=False):
        if not pathlib.Path("/proc/self/schedstat").is_file():
            self.skipTest("this system does not say how long threads wait")
        if python_functions and not PACKAGE.is_dir():
            self.skipTest(f"no {PACKAGE}")

    def test_more_threads_than_processors(self):
        self.require_samples()
        found = self.find("oversubscribed",
                          self.advise("too_many_threads.py", "--no-gpu"))
        self.assertIsNotNone(found)
        self.assertIn("set_num_threads", found["try"][0])

    def test_one_thread_is_not_too_many(self):
        self.require_samples()
        answer = self.advise("too_many_threads.py", "--no-gpu",
                             arguments=["one"])
        self.assertIsNone(self.find("oversubscribed", answer))

    def test_more_loader_workers_than_processors(self):
        self.require_samples()
        found = self.find("oversubscribed",
                          self.advise("too_many_workers.py", "--no-gpu"))
        self.assertIsNotNone(found)
        self.assertTrue(any("worker processes" in e["what"]
                            for e in found["evidence"]), found)
        self.assertIn("num_workers", " ".join(found["try"]))

    def test_no_loader_workers_are_not_too_many(self):
        self.require_samples()
        answer = self.advise("too_many_workers.py", "--no-gpu",
                             arguments=["none"])
        self.assertIsNone(self.find("oversubscribed", answer))

    def test_a_wait_for_another_thread_is_named(self):
        if not PACKAGE.is_dir():
            self.skipTest(f"no {PACKAGE}")
        answer = self.advise("waits_for_thread.py", "--no-gpu", "--python",
                             "--python-include", "*/queue.py")
        found = self.find("thread_wait", answer)
        self.assertIsNotNone(found, answer["advice"])
        self.assertIn("Queue.get", found["finding"])
        self.assertTrue(any("make_value" in e["name"]
                            for e in found["evidence"]), found)

    def test_threads_of_python_take_turns(self):
        self.require_samples(python_functions=True)
        answer = self.advise("take_turns.py", "--no-gpu", "--python")
        if any("busy with other programs" in d for d in answer["doubts"]):
            self.assertIsNone(self.find("threads_take_turns", answer))
            self.skipTest("other programs use the machine: not to be told")
        found = self.find("threads_take_turns", answer)
        self.assertIsNotNone(found)
        self.assertIn("4 threads", found["finding"])

    def test_one_thread_of_python_does_not(self):
        self.require_samples(python_functions=True)
        answer = self.advise("take_turns.py", "--no-gpu", "--python",
                             arguments=["alone"])
        self.assertIsNone(self.find("threads_take_turns", answer))


if __name__ == "__main__":
    support.STEPSCOPE = str(pathlib.Path(sys.argv[1]).resolve())
    PACKAGE = pathlib.Path(sys.argv[2])
    PYTHON = python_with_torch()
    if PYTHON is None:
        print("no Python here has torch: skipped")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
