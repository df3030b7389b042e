# SPDX-License-Identifier: Apache-2.0
"""Profiler.export, and what becomes of an export that fails."""

import json
import os
import re
import unittest

import stepscope
import support
from stepscope import profiler


class ExportTest(support.InOwnFolder):
    def test_export_follows_the_suffix(self):
        prof = stepscope.Profiler(quiet=True, on_trace_ready=lambda prof: None)
        self.assertEqual(self.warned(lambda: prof.export("x.pftrace")),
                         ["export: no window was recorded"])
        with prof:
            with profiler.RecordEvent("mine"):
                pass
        formats = {"x.sscap": "capture", "x.pb": "paddle-pb",
                   "x.pftrace": "perfetto", "x.json": "chrome",
                   "x.pt.trace.json": "kineto", "x.pt.trace.json.gz": "kineto",
                   "x.json.gz": "chrome", "x.sscap.zst": "capture",
                   "x.other": "chrome"}
        for path, name in formats.items():
            with self.subTest(path):
                prof.export(path)
                read = stepscope.load(path)
                self.assertIn("mine", [row["name"] for row in read.events])
                if name != "chrome":
                    self.assertEqual(read.info["sources"][0]["format"], name)
        prof.export("named.sscap", "json")
        with open("named.sscap", encoding="utf-8") as file:
            json.load(file)

    def test_a_failed_export_does_not_end_the_program(self):
        exporter = profiler.export_chrome_tracing("log")
        for ready in (exporter, lambda prof: prof.export("/proc/no/x.json")):
            prof = stepscope.Profiler(quiet=True, on_trace_ready=ready)
            prof.start()
            exporter.dir_name = "/proc/no"  # as if the disk were gone
            (said,) = self.warned(prof.stop)
            self.assertRegex(said, "^stepscope: .*/proc/no")
        # Where the folder is there, its capture is all that is left of it.
        os.makedirs("log/full.json")
        prof = stepscope.Profiler(
            quiet=True,
            on_trace_ready=lambda prof: prof.export("log/full.json"))
        prof.start()
        (said,) = self.warned(prof.stop)
        (capture,) = re.findall("the capture stays at (.*sscap)$", said)
        self.assertEqual(stepscope.load(capture).info["complete"], True)
        # What a callback raises itself is its own.
        prof = stepscope.Profiler(
            quiet=True, on_trace_ready=lambda prof: open("/none/x"))
        prof.start()
        with self.assertRaises(OSError):
            prof.stop()


if __name__ == "__main__":
    unittest.main()
