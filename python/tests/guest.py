# SPDX-License-Identifier: Apache-2.0
"""What the tests of a guest's manners share."""

import support

# What the children have in common. deliver() returns when `upload` is at work,
# which sets `begun`; from then on nobody waits for it as long as usual.
# `slow_end` keeps the interpreter at its end for a while, so that threads which
# need it then are there to be seen.
BEGIN = """
import atexit, io, os, signal, sys, threading, time
import stepscope
from stepscope import Profiler, ProfilerState, RecordEvent
from stepscope.profiler import profiler as inside

begun = threading.Event()

def deliver(upload, grace=0.1):
    p = Profiler(quiet=True, on_trace_ready=upload,
                 scheduler=lambda step: (ProfilerState.CLOSED if step else
                                         ProfilerState.RECORD_AND_RETURN))
    p.start()
    p.step()
    begun.wait()
    inside._WAIT_S, inside._GRACE_S = 0.1, grace
    return p

class SlowEnd:
    def __del__(self, sleep=time.sleep):
        sleep(0.3)

sys.modules["slow_end"] = SlowEnd()
"""


class GuestTest(support.InOwnFolder):
    def run_child(self, text, *arguments, code=0, said=()):
        """Runs it; `said` is all of standard error, line by line, as regular
        expressions."""
        result = support.run_script(BEGIN + text, *arguments, check=False)
        self.assertEqual(result.returncode, code, result)
        lines = [line for line in result.stderr.splitlines()
                 if "DeprecationWarning" not in line
                 and "ResourceWarning" not in line
                 and not line.startswith(" ")]
        self.assertEqual(len(lines), len(said), result.stderr)
        for line, expected in zip(lines, said):
            self.assertRegex(line, expected)
        return result.stdout


STILL_RUNNING = (r"^stepscope: on_trace_ready=upload \(.*script\.py:\d+\) is "
                 r"still running and is not waited for; its window may be "
                 r"incomplete$")
