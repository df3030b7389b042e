# SPDX-License-Identifier: Apache-2.0
"""Profiler.leave_step() and resume(): what is between them is in no step."""

import unittest

import stepscope
import support
from loop_support import Recorded


def names(path):
    return [event["name"] for event in support.read_events(path)
            if event["name"].startswith("ProfileStep")]


class LeftStepsTest(support.InOwnFolder):
    def test_loop_with_evaluations(self):
        with support.quiet_stdout(), stepscope.Profiler(
                on_trace_ready=stepscope.export_capture("log")) as prof:
            for _ in range(2):
                for _ in range(3):
                    with stepscope.RecordEvent("train"):
                        pass
                    prof.step()
                prof.leave_step()
                prof.leave_step()  # it is left already
                with stepscope.RecordEvent("evaluate"):
                    pass
                prof.resume()
            prof.leave_step()
        seen = Recorded("log")
        self.assertEqual(seen.by_step("train"), [1] * 6)
        self.assertEqual(seen.outside("evaluate"), 2)
        self.assertEqual([row["index"]
                          for row in seen.result["steps"].to_dicts()],
                         list(range(6)))
        # What other programs read has the same steps.
        seen.result.export("trace.json")
        self.assertEqual(names("trace.json"),
                         [f"ProfileStep#{step}" for step in range(6)])

    def test_start_at_rest(self):
        with support.quiet_stdout(), stepscope.Profiler(
                start_at_rest=True,
                on_trace_ready=lambda p: p.export("trace.json")) as prof:
            with stepscope.RecordEvent("before"):
                pass
            prof.step()  # as resume(): there is no step to end
            self.assertEqual(prof.step_num, 0)
            prof.step()
            self.assertEqual(prof.step_num, 1)
            prof.leave_step()
        self.assertEqual(names("trace.json"), ["ProfileStep#0"])

    def test_while_it_does_not_run(self):
        prof = stepscope.Profiler(scheduler=(5, 6))
        prof.leave_step()
        prof.resume()
        with support.quiet_stdout(), prof:
            prof.step()
        self.assertEqual(prof.step_num, 1)

    def test_in_a_step_that_is_not_recorded(self):
        with support.quiet_stdout(), stepscope.Profiler(
                scheduler=(2, 4),
                on_trace_ready=lambda p: p.export("trace.json")) as prof:
            for _ in range(5):
                prof.step()
                prof.leave_step()
                prof.resume()
        self.assertEqual(names("trace.json"),
                         ["ProfileStep#2", "ProfileStep#3"])


if __name__ == "__main__":
    unittest.main()
