# SPDX-License-Identifier: Apache-2.0
"""Profiler(mode="flight"): what it keeps, saves and refuses."""

import glob
import pathlib
import re
import subprocess
import time
import unittest

import stepscope
import support
from stepscope import _native_files
from stepscope.profiler import Profiler, ProfilerTarget

CPU = [ProfilerTarget.CPU]
LIMIT_S = 300  # only a defect takes so long
PROGRAM = _native_files.PROGRAM


class FlightTest(support.InOwnFolder):
    def flight(self, **options):
        delivered = []

        def ready(prof):
            prof.export("last.json", "json")
            delivered.append("last.json")

        return Profiler(mode="flight", targets=CPU, on_trace_ready=ready,
                        quiet=True, slow=-1, hang_after=-1,
                        **options), delivered

    def wait_for(self, check):
        limit = time.monotonic() + LIMIT_S
        while not check():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)

    def steps(self, path):
        return {int(found[1]) for event in support.read_events(path)
                for found in [re.fullmatch(r"ProfileStep#(\d+)",
                                           event["name"])] if found}

    def test_stop_delivers_the_last_steps(self):
        prof, delivered = self.flight(keep_steps=5)
        with prof:
            for _ in range(40):
                with stepscope.RecordEvent("work"):
                    pass
                prof.step()
        self.assertEqual(delivered, ["last.json"])
        self.assertGreaterEqual(self.steps("last.json"), set(range(35, 41)))

    def test_save(self):
        prof, _ = self.flight(keep_steps=5)
        with prof:
            for _ in range(40):
                prof.step()
            prof.save("to see it")
            pattern = "profiler_log/window_*_asked_step_40/*.sscap"
            self.wait_for(lambda: glob.glob(pattern))
            window = glob.glob(pattern)[0]
        subprocess.run([PROGRAM, "convert", window, "-o", "window.json"],
                       check=True)
        self.assertEqual(self.steps("window.json"), set(range(35, 41)))

    def test_trigger(self):
        prof, _ = self.flight()
        with prof:
            for _ in range(30):
                prof.step()
                time.sleep(0.001)
            self.wait_for(lambda: any(
                "step 30\n" in path.read_text(encoding="utf-8")
                for path in pathlib.Path("profiler_log/control").glob(
                    "*.process")))
            trigger = subprocess.Popen(
                [PROGRAM, "trigger", "--job", "profiler_log", "--steps", "2",
                 "--margin", "0.2"], stdout=subprocess.PIPE, text=True)
            while trigger.poll() is None:
                prof.step()
                time.sleep(0.001)
            said = trigger.communicate()[0]
        self.assertEqual(trigger.returncode, 0, said)
        self.assertRegex(said, r"recorded steps \d+ to \d+ of 1 process in")

    def test_on_demand_records_what_a_trigger_asks_for(self):
        delivered = []
        prof = Profiler(mode="on_demand", job="job", targets=CPU, quiet=True,
                        on_trace_ready=delivered.append)
        recorded = []
        with prof:
            for _ in range(30):
                prof.step()
                time.sleep(0.001)
            self.wait_for(lambda: any(
                "step 30\n" in path.read_text(encoding="utf-8")
                for path in pathlib.Path("job/control").glob("*.process")))
            trigger = subprocess.Popen(
                [PROGRAM, "trigger", "--job", "job", "--steps", "2",
                 "--margin", "0.2"], stdout=subprocess.PIPE, text=True)
            while trigger.poll() is None:
                if stepscope.enabled():
                    recorded.append(prof.step_num)
                with stepscope.RecordEvent("work"):
                    time.sleep(0.001)
                prof.step()
            said = trigger.communicate()[0]
        self.assertEqual(trigger.returncode, 0, said)
        self.assertEqual(delivered, [])
        self.assertEqual(len(recorded), 2)
        windows = glob.glob("job/window_*_trigger_*/*.sscap")
        self.assertEqual(len(windows), 1)
        # Nothing else was recorded.
        self.assertEqual(glob.glob("**/*.sscap", recursive=True), windows)
        subprocess.run([PROGRAM, "convert", windows[0], "-o", "window.json"],
                       check=True)
        self.assertEqual(self.steps("window.json"), set(recorded))
        names = [event["name"] for event in support.read_events("window.json")]
        self.assertEqual(names.count("work"), 2)

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, "mode must be"):
            Profiler(mode="always")
        with self.assertRaisesRegex(ValueError, "records every step"):
            Profiler(mode="flight", scheduler=(2, 5))
        with self.assertRaisesRegex(ValueError, "a trigger asks for"):
            Profiler(mode="on_demand", timer_only=True)
        with self.assertRaisesRegex(ValueError, "job is the folder"):
            Profiler(job="log")
        with self.assertRaisesRegex(RuntimeError, "nothing is kept"):
            with Profiler(mode="on_demand", job="job", quiet=True) as prof:
                prof.save()
        with self.assertRaisesRegex(ValueError, "1 to 2000"):
            Profiler(mode="flight", keep_steps=0)
        with self.assertRaisesRegex(RuntimeError, "does not run"):
            Profiler(mode="flight").save()


if __name__ == "__main__":
    unittest.main()
