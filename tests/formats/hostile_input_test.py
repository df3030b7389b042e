#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Input that is far too large, empty or of the wrong kind, through every verb.

usage: hostile_input_test.py STEPSCOPE

What is read must end in the ledger, also where a trace has more threads,
processes or levels than anybody looked at. A search through what came before,
done for each, would make the work per event grow with their number: so it is
counted, in instructions. No clock decides.
"""

import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

MEBIBYTE = 1 << 20

# Traces of any number of events, each with more of something.
THREADS = '{{"ph":"X","name":"n","pid":1,"tid":{i},"ts":{i},"dur":1}}'
PROCESSES = '{{"ph":"X","name":"n","pid":"p{i}","tid":1,"ts":{i},"dur":1}}'
LEVELS = ('{{"ph":"b","cat":"c","id":1,"name":"n","pid":1,"tid":1,"ts":{i},'
          '"args":{{"i":{i}}}}}')
SIBLINGS = '{{"ph":"X","name":"n","pid":1,"tid":1,"ts":{i},"dur":{count}}}'


# Events, of which the work is compared.
FEW = 2000
MANY = 16_000
# Maps that grow and sorting make some; measured at most 1.1.
MOST_GROWTH = 1.4


def events_of(shape, count):
    return (shape.format(i=i, count=count) for i in range(count))


def stepscope(*args):
    return subprocess.run([STEPSCOPE, *map(str, args)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)


def instructions(*args):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         STEPSCOPE, *map(str, args)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    counted = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or not counted:
        raise AssertionError(result.stderr)
    return int(counted.group(1))


def growth(few, many):
    """By what factor the work per event is more where there are more of them.

    Both are pairs of a number of events and of instructions without those that
    any run takes.
    """
    return (many[1] / many[0]) / (few[1] / few[0])


class HostileInputTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, events):
        path = self.folder / "in.json"
        with open(path, "w", encoding="ascii") as file:
            file.write("[")
            file.write(",\n".join(events))
            file.write("]")
        return path

    def info(self, path):
        result = stepscope("info", path, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        info = json.loads(result.stdout)
        ledger = info["ledger"]
        self.assertEqual(ledger["seen"], ledger["kept"] +
                         sum(ledger["repaired"].values()) +
                         sum(ledger["rejected"].values()))
        return info

    def convert_to_all(self, path):
        for out in ["o.json", "o.pftrace", "o.sscap", "o.paddle_trace.json",
                    "o.pb"]:
            with self.subTest(to=out):
                result = stepscope("convert", path, "-o", self.folder / out)
                self.assertEqual(result.returncode, 0, result.stderr)
        result = stepscope("timeline", "--profile_path", path,
                           "--timeline_path", self.folder / "o.timeline")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = stepscope("summary", path)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_million_threads(self):
        count = 1_000_000
        path = self.write(events_of(THREADS, count))
        info = self.info(path)
        self.assertEqual(info["counts"]["events"], count)
        self.assertEqual(len(info["threads"]), count)
        result = stepscope("convert", path, "-o", self.folder / "o.sscap")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.info(self.folder / "o.sscap")["counts"],
                         info["counts"])
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(peak, 2 * MEBIBYTE, "KiB")

    def test_processes_of_the_same_pid(self):
        count = 60_000  # names instead of numbers: none has a pid
        path = self.write(events_of(PROCESSES, count))
        self.assertEqual(len(self.info(path)["processes"]), count)
        self.convert_to_all(path)

    def test_levels_that_each_say_more(self):
        count = 150_000  # never ended, of one id
        path = self.write(events_of(LEVELS, count))
        info = self.info(path)
        self.assertEqual(info["ledger"]["repaired"],
                         {"begin without an end": count})
        self.convert_to_all(path)

    def test_siblings_that_all_overlap(self):
        count = 20_000
        path = self.write(events_of(SIBLINGS, count))
        info = self.info(path)
        self.assertEqual(info["ledger"]["kept"], count, "none is dropped")
        self.convert_to_all(path)

    # 8,000 instructions per event, and 3 for each of those before it.
    def test_a_search_for_each_event_is_found(self):
        of = lambda count: (count, 8000 * count + 3 * count * count / 2)
        self.assertGreater(growth(of(FEW), of(MANY)), 2 * MOST_GROWTH)
        plain = lambda count: (count, 8000 * count)
        self.assertLess(growth(plain(FEW), plain(MANY)), MOST_GROWTH)

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_work_per_event_does_not_grow_with_their_number(self):
        verbs = [["summary"], ["convert", "-o", self.folder / "o.json"]]
        for verb in verbs:
            def count(shape, events, verb=verb):
                path = self.write(events_of(shape, events))
                return instructions(verb[0], path, *verb[1:])

            start = count(THREADS, 1)
            for shape in [THREADS, PROCESSES, LEVELS, SIBLINGS]:
                with self.subTest(verb=verb[0], shape=shape):
                    work = [(n, count(shape, n) - start) for n in (FEW, MANY)]
                    self.assertLess(growth(*work), MOST_GROWTH, work)

    def refuse(self, path, what):
        for verb in ["info", "summary"]:
            result = stepscope(verb, path)
            self.assertEqual(result.returncode, 3, (verb, result.stderr))
            self.assertEqual(result.stdout, "")
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn(what, result.stderr)
        out = self.folder / "out.json"
        self.assertEqual(stepscope("convert", path, "-o", out).returncode, 3)
        self.assertFalse(out.exists())

    def test_nothing_and_other_things(self):
        path = self.folder / "file"
        path.write_bytes(b"")
        self.refuse(path, "byte 0: the file is empty")
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
        self.refuse(path, "not a trace in a known format")
        path.write_bytes(gzip.compress(b""))
        self.refuse(path, "byte 0: the file is empty")
        path.write_bytes(gzip.compress(b"[" + b'{"ph":"X"},' * 9)[:12])
        self.refuse(path, "byte")
        self.refuse(self.folder / "absent", "No such file")
        (self.folder / "folder").mkdir()
        self.refuse(self.folder / "folder", "no readable trace")

    def test_bomb(self):
        # One compressed piece, 4,096 times: to compress them all would take
        # most of this test. Nobody comes to the checksum at the end.
        path = self.folder / "bomb.json.gz"
        stream = zlib.compressobj(9, zlib.DEFLATED, 31)
        with open(path, "wb") as file:
            file.write(stream.compress(
                b'[{"ph":"X","name":"n","pid":1,"tid":1,"ts":1,"dur":1},'))
            file.write(stream.flush(zlib.Z_FULL_FLUSH))
            piece = stream.compress(b" " * MEBIBYTE)
            piece += stream.flush(zlib.Z_FULL_FLUSH)
            file.write(piece * 4096)
            file.write(stream.flush())
        info = self.info(path)
        self.assertEqual(info["counts"]["events"], 1, "what came before it")
        self.assertFalse(info["complete"])
        self.assertTrue(any("400 times" in note for note in info["notes"]),
                        info["notes"])
        # Of the 4 GiB that it would be. One element may have 512 MiB.
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(peak, 2 * MEBIBYTE, "KiB")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_file_of_somebody_else(self):
        path = self.folder / "closed"
        path.write_bytes(b"[]")
        path.chmod(0)
        self.refuse(path, "Permission denied")


if __name__ == "__main__":
    STEPSCOPE = sys.argv.pop(1)
    unittest.main()
