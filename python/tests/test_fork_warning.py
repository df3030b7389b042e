# SPDX-License-Identifier: Apache-2.0
"""A program that forks is warned of its own threads, and not of ours."""

import subprocess
import sys
import unittest

import support
from stepscope._native_files import PROGRAM

# The recorder's threads run from the first look on that finds some.
SCRIPT = """
import os, sys, threading, time, warnings

def ours():
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/comm") as file:
            if file.read().startswith("stepscope"):
                return True
    return False

def fork():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

while not ours():
    time.sleep(0.01)
end = threading.Event()
if "own" in sys.argv:
    threading.Thread(target=end.wait).start()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    fork()
    print(len(caught))
if "own" not in sys.argv:
    warnings.simplefilter("error")
    fork()
end.set()
"""


@unittest.skipIf(sys.version_info < (3, 12), "earlier Pythons do not warn")
class ForkWarningTest(support.InOwnFolder):
    def warnings_of(self, *arguments):
        done = subprocess.run(
            [PROGRAM, "run", "--quiet", "--no-gpu", "--python", "--out", "log",
             "--", sys.executable, "-c", SCRIPT, *arguments],
            capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_not_of_ours(self):
        self.assertEqual(self.warnings_of(), ["0"])

    def test_of_its_own(self):
        self.assertEqual(self.warnings_of("own"), ["1"])


if __name__ == "__main__":
    unittest.main()
