#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that somebody else put where stepscope reads or writes.

usage: planted_files_test.py STEPSCOPE

A pipe that nobody writes to holds up whoever opens it: then only the limit of
the whole test ends it.
"""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

STEPSCOPE = ""
TRACE = ('{"traceEvents":[{"ph":"X","name":"op","ts":1,"dur":2,"pid":1,'
         '"tid":1}]}')


def crc32c(data):
    value = 0xffffffff
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82f63b78 if value & 1 else 0)
    return value ^ 0xffffffff


def block(kind, payload, number):
    head = struct.pack("<IHHQIII", 0x4b425353, kind, 1, len(payload),
                       crc32c(payload), number, 0)
    return (head + struct.pack("<I", crc32c(head)) + payload +
            b"\0" * (-len(payload) % 8))


def killed_capture(live_path):
    """Of a process that was killed, with its live file at that path."""
    head = (b"SSCAP01\n" + struct.pack("<II", 1, 64) + b"\7" * 16 +
            b"\1" * 16 + struct.pack("<III", 1, 0, 0))
    pairs = b"".join(struct.pack("<II", len(key), len(value)) + key + value
                     for key, value in ((b"pid", b"1"),
                                        (b"live_path", live_path.encode())))
    clock = struct.pack("<IIQQqqqQ", 1, 1, 0, 1000, 500, 500, 500, 40)
    return (head + struct.pack("<I", crc32c(head)) + block(1, pairs, 0) +
            block(2, clock, 1))


class PlantedFiles(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.control = self.folder / "job" / "control"
        self.control.mkdir(parents=True)
        self.victim = self.folder / "victim"
        self.victim.write_text("kept", encoding="utf-8")

    def stepscope(self, *arguments, code=0):
        done = subprocess.run([STEPSCOPE, *map(str, arguments)],
                              capture_output=True, text=True, check=False,
                              cwd=self.folder, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def trigger(self, code):
        return self.stepscope("trigger", "--job", "job", code=code).stderr

    def test_a_trigger_changes_no_file_elsewhere(self):
        lock = self.control / "trigger.lock"
        for plant in (lambda: lock.symlink_to(self.victim),
                      lambda: lock.hardlink_to(self.victim)):
            plant()
            said = self.trigger(code=4)
            self.assertIn("trigger.lock", said)
            self.assertEqual(len(said.splitlines()), 1, said)
            self.assertEqual(self.victim.read_text(encoding="utf-8"), "kept")
            lock.unlink()
        lock.symlink_to(self.folder / "made")
        self.trigger(code=4)
        self.assertFalse((self.folder / "made").exists())

    def test_a_trigger_waits_for_no_pipe(self):
        os.mkfifo(self.control / "host_1.process")
        self.assertIn("no process of the job is alive", self.trigger(code=1))
        (self.control / "trigger.lock").unlink()
        os.mkfifo(self.control / "trigger.lock")
        self.assertIn("not a regular file", self.trigger(code=4))

    def test_the_control_folder_is_not_elsewhere(self):
        self.control.rmdir()
        (self.folder / "elsewhere").mkdir()
        self.control.symlink_to(self.folder / "elsewhere")
        self.assertIn("no job runs here", self.trigger(code=3))
        self.assertEqual(list((self.folder / "elsewhere").iterdir()), [])

    def test_no_path_that_a_capture_names_is_opened(self):
        pipe = self.folder / "pipe.sscap.live"
        os.mkfifo(pipe)
        capture = self.folder / "a.sscap"
        capture.write_bytes(killed_capture(str(pipe)))
        self.assertIn("live file was not found",
                      self.stepscope("info", capture).stdout)
        os.mkfifo(self.folder / "a.sscap.live")
        self.stepscope("info", capture)
        self.stepscope("convert", capture, "-o", "whole.sscap",
                       "--remove-live")
        self.assertTrue(pipe.exists())
        # By way of standard input it has no neighbours.
        with open(capture, "rb") as given:
            subprocess.run([STEPSCOPE, "info", "-"], stdin=given, check=True,
                           capture_output=True)

    def test_what_lies_in_a_folder_holds_nobody_up(self):
        traces = self.folder / "traces"
        traces.mkdir()
        (traces / "a.json").write_text(TRACE, encoding="utf-8")
        for name in ("b.json", "c.sscap", "d.sspart", "a.json.live"):
            os.mkfifo(traces / name)
        (traces / "e.json").symlink_to("/dev/zero")
        self.stepscope("info", traces)
        self.stepscope("summary", traces)
        self.stepscope("convert", traces, "-o", "one.json")
        self.stepscope("map", traces)
        self.stepscope("reduce", traces)


if __name__ == "__main__":
    STEPSCOPE = sys.argv.pop(1)
    unittest.main()
