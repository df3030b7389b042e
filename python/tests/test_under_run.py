# SPDX-License-Identifier: Apache-2.0
"""A program that uses the package, under `stepscope run`."""

import collections
import json
import os
import shutil
import subprocess
import sys

from stepscope import _native_files
from support import InOwnFolder


def run(script, *flags):
    """Runs a script under `stepscope run`; returns its slices."""
    with open("script.py", "w", encoding="utf-8") as file:
        file.write(script)
    subprocess.run(
        [_native_files.PROGRAM, "run", "--quiet", "--out", "out", *flags,
         # As a child, which is given a second before it is recorded even
         # without an event.
         "--", "sh", "-c", '"$0" script.py; exit $?', sys.executable],
        check=True, timeout=240)
    if not os.path.isdir("out") or not os.listdir("out"):
        return []
    _native_files.run("convert", "out", "-o", "out.json")
    with open("out.json", encoding="utf-8") as file:
        return [event for event in json.load(file)["traceEvents"]
                if event["ph"] == "X"]


class UnderRun(InOwnFolder):

    def test_no_event_after_the_import_is_lost(self):
        # It is over long before the injector would have begun to record by
        # itself.
        events = run("import stepscope\n"
                     "for i in range(1000):\n"
                     "    with stepscope.RecordEvent('early'):\n"
                     "        pass\n"
                     "import os\n"
                     "os._exit(0)\n")
        self.assertEqual([e["name"] for e in events].count("early"), 1000)

    def test_calls_of_step_bound_steps(self):
        for after in (0, 20000):  # many: the last step's slot is written out
            shutil.rmtree("out", ignore_errors=True)
            events = run("import stepscope\n"
                         "for i in range(20):\n"
                         "    with stepscope.RecordEvent('work'):\n"
                         "        pass\n"
                         "    stepscope.step()\n"
                         f"for i in range({after}):\n"
                         "    with stepscope.RecordEvent('after'):\n"
                         "        pass\n")
            self.assertEqual([e["name"] for e in events
                              if e["name"].startswith("ProfileStep")],
                             [f"ProfileStep#{i}" for i in range(1, 20)])
            self.assertNotIn("after the last step",
                             [e["name"] for e in events])

    def test_a_window_of_steps_still_begins_with_its_first_step(self):
        events = run("import stepscope\n"
                     "for i in range(6):\n"
                     "    with stepscope.RecordEvent(f'work {i}'):\n"
                     "        pass\n"
                     "    stepscope.step()\n", "--steps", "2:4")
        names = collections.Counter(e["name"] for e in events)
        self.assertEqual(names["work 2"], 1)
        self.assertEqual(names["work 3"], 1)
        self.assertEqual(names["work 0"] + names["work 1"], 0)
        self.assertEqual(names["work 4"] + names["work 5"], 0)
