# SPDX-License-Identifier: Apache-2.0
"""What the tests share: a folder of one's own, and a look at what was
recorded."""

import collections
import contextlib
import glob
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

import stepscope


class InOwnFolder(unittest.TestCase):
    """Each test runs in an empty folder, and sees every warning."""

    def setUp(self):
        before = os.getcwd()
        folder = tempfile.mkdtemp(prefix="stepscope-python-")
        os.chdir(folder)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.addCleanup(os.chdir, before)
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("always")

    def files(self, folder, suffix):
        return sorted(glob.glob(os.path.join(folder, "*" + suffix)))

    def warned(self, function):
        """The texts of the warnings of a call."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function()
        return [str(warning.message) for warning in caught]

    def printed(self, function):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            function()
        return out.getvalue()


def once(why):
    """For what says the same with every Python: it runs with one of them."""
    return unittest.skipIf("ANOTHER_PYTHON_FOR_TESTS" in os.environ, why)


def quiet_stdout():
    return contextlib.redirect_stdout(io.StringIO())


def read_events(path):
    """The slices of a Chrome trace, in order of time."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    return sorted((event for event in events if event.get("ph") == "X"),
                  key=lambda event: event["ts"])


def record(work):
    """The slices that a function records, without the step around them."""
    with quiet_stdout():
        prof = stepscope.Profiler(
            targets=[stepscope.ProfilerTarget.CPU],
            on_trace_ready=lambda p: p.export("trace.json"))
        with prof:
            work()
    return [event for event in read_events("trace.json")
            if not event["name"].startswith("ProfileStep")]


def count(events):
    return dict(collections.Counter(event["name"] for event in events))


def run_script(text, *arguments, check=True, env=None):
    """A program of its own, in the working folder."""
    with open("script.py", "w", encoding="utf-8") as file:
        file.write(text)
    result = subprocess.run(
        [sys.executable, "-W", "always", "script.py", *arguments],
        check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=240, env={**os.environ, **(env or {})})
    if check and result.returncode != 0:
        raise AssertionError(f"exit {result.returncode}: {result.stdout}\n"
                             f"{result.stderr}")
    return result
