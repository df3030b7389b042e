# SPDX-License-Identifier: Apache-2.0
"""paddle.profiler and stepscope.profiler run the same program, and a user sees
the same: names, states, files, trees, tables, warnings, kinds of exceptions.

Needs the real Paddle: the one that tools/bootstrap fetches on x86_64, in
PADDLE_FOR_TESTS, or one installed beside stepscope. Tried with 3.3.1."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import unittest

import support

# A folder with Paddle for this version of Python, or "".
PADDLE = os.environ.get("PADDLE_FOR_TESTS", "")
FACTS = pathlib.Path(__file__).resolve().parent / "side_by_side/facts.py"


def differences(theirs, ours, where=""):
    """What is not the same. A message of an exception may say more."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(set(theirs) | set(ours)):
            yield from differences(theirs.get(key), ours.get(key),
                                   f"{where}/{key}")
    elif where.endswith("/raised") and theirs and ours:
        if theirs[0] != ours[0] or not ours[1]:
            yield f"{where}: {theirs} became {ours}"
    elif theirs != ours:
        yield f"{where}: {theirs} became {ours}"


class SideBySideTest(support.InOwnFolder):
    def facts(self, module):
        os.mkdir(module)
        path = PADDLE if module.startswith("paddle") else ""
        path = os.pathsep.join(filter(None, (
            os.environ.get("PYTHONPATH", ""), path)))
        done = subprocess.run(
            [sys.executable, str(FACTS), module], cwd=module, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=300, env={**os.environ, "GLOG_minloglevel": "3",
                              "PYTHONPATH": path})
        self.assertEqual(done.returncode, 0, done.stdout)
        with open(f"{module}/facts.json", encoding="utf-8") as file:
            return json.load(file)

    @unittest.skipUnless(PADDLE or importlib.util.find_spec("paddle"),
                         "no Paddle for this Python; make test-peers has one "
                         "on x86_64")
    def test_paddle(self):
        theirs = self.facts("paddle.profiler")
        ours = self.facts("stepscope.profiler")
        self.assertEqual(list(differences(theirs, ours)), [])

    def test_the_facts_are_some(self):
        facts = self.facts("stepscope.profiler")
        self.assertIn(["inner", "12"],
                      facts["tables"]["default"]["rows"])
        self.assertEqual(facts["tables"]["one view"]["titles"],
                         ["UserDefined Summary"])
        self.assertEqual(facts["trees"]["2 inner PythonUserDefined"], 6)
        self.assertEqual(facts["files"]["names, worker"], [True, True])
        self.assertEqual(facts["states"]["pair"][0][2:6],
                         ["READY", "RECORD", "RECORD", "RECORD_AND_RETURN"])

    def test_a_difference_is_found(self):
        self.assertEqual(list(differences({"a": {"b": 1}}, {"a": {"b": 2}})),
                         ["/a/b: 1 became 2"])
        raised = {"raised": ["TypeError", "x"]}
        self.assertEqual(
            len(list(differences(raised, {"raised": ["ValueError", "x"]}))), 1)
        self.assertEqual(
            list(differences(raised, {"raised": ["TypeError", "better"]})), [])


if __name__ == "__main__":
    unittest.main()
