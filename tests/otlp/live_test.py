#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run --otlp sends while the program runs, each span once; the program waits
until that was seen.

usage: live_test.py STEPSCOPE SERVE
"""

import collections
import subprocess
import sys
import threading
import unittest

from endpoints_test import NOT_SENT, RawServer
from support import LIMIT_S, OtlpTestCase, requests_in


class Live(OtlpTestCase):

    def test_requests_arrive_while_the_program_runs(self):
        receiver = self.receiver()
        stop = self.folder / "stop"
        with subprocess.Popen(
                self.command(["--otlp", receiver.url], (6, "until", stop)),
                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                cwd=self.folder, env=self.environment()) as process:
            with receiver.came:
                came = receiver.came.wait_for(lambda: receiver.bodies, LIMIT_S)
            still_running = process.poll() is None
            stop.touch()
            out, said = process.communicate(timeout=LIMIT_S)
        self.assertTrue(came, said)
        self.assertTrue(still_running)
        self.assertEqual((process.returncode, out), (3, "served\n"), said)
        spans = receiver.taken()
        self.assertEqual(len(requests_in(spans)), 6)
        # None twice, though the captures were read again.
        counts = collections.Counter(span["spanId"] for span in spans)
        self.assertEqual(set(counts.values()), {1})
        self.assertIn("sent 6 requests to ", said)
        self.assertIn("1 request had not ended and was not sent", said)

    def test_the_program_does_not_wait_for_one_that_never_reads(self):
        connected = threading.Event()

        def hold(connection, over):
            connected.set()
            over.wait()

        receiver = RawServer(hold)
        self.addCleanup(receiver.close)
        stop = self.folder / "stop"
        with subprocess.Popen(
                self.command(["--otlp", receiver.url], (6, "until", stop)),
                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                cwd=self.folder,
                env=self.environment(OTEL_EXPORTER_OTLP_TIMEOUT="3600000")
                ) as process:
            came = connected.wait(LIMIT_S)
            stop.touch()
            # What the program says when it is done; the receiver still holds
            # what was sent to it.
            served = process.stdout.readline()
            held = not receiver.over.is_set()
            receiver.close()
            out, said = process.communicate(timeout=LIMIT_S)
        self.assertTrue(came and held, said)
        self.assertEqual((process.returncode, served + out), (3, "served\n"))
        self.assertIn(NOT_SENT, said)

    def test_a_receiver_that_comes_later_gets_all(self):
        """What could not be sent stays in the capture."""
        working = []
        receiver = self.receiver(status=lambda: 200 if working else 500)
        stop = self.folder / "stop"
        with subprocess.Popen(
                self.command(["--otlp", receiver.url], (6, "until", stop)),
                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                cwd=self.folder, env=self.environment()) as process:
            with receiver.came:
                came = receiver.came.wait_for(lambda: receiver.bodies, LIMIT_S)
            working.append(True)
            stop.touch()
            _, said = process.communicate(timeout=LIMIT_S)
        self.assertTrue(came, said)
        self.assertEqual(len(requests_in(receiver.taken())), 6)
        self.assertIn("sent 6 requests to ", said)
        self.assertEqual(said.count("requests cannot be sent to "), 1, said)
        self.assertNotIn("were not sent", said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
