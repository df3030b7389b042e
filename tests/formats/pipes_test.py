#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every format through a pipe gives what it gives as a file.

usage: pipes_test.py STEPSCOPE FIXTURES
"""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

STEPSCOPE = sys.argv[1]
FIXTURES = pathlib.Path(sys.argv[2])

JSON_TRACE = json.dumps({
    "schemaVersion": 1,
    "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": f"op{i % 7}", "pid": 1, "tid": 2,
         "ts": i * 10, "dur": 5} for i in range(5000)
    ],
}).encode()


def run(*arguments, data=None, **more):
    return subprocess.run([STEPSCOPE, *map(str, arguments)], input=data,
                          capture_output=True, timeout=120, check=False,
                          **more)


def tables(result):
    """The summary without the names of files."""
    document = json.loads(result.stdout)
    document["source"].pop("files", None)
    return document


class Pipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.traces = {"chrome": JSON_TRACE}
        for name in ("fluid/profile.pb.gz",
                     "paddle/small_time_1.paddle_trace.pb.gz",
                     "tensorflow/run_metadata_0.pb.gz",
                     "tensorflow/step_stats_0.pb.gz",
                     "xplane/tf_cpu.xplane.pb.gz"):
            cls.traces[name] = gzip.decompress((FIXTURES / name).read_bytes())
        source = cls.folder / "t.json"
        source.write_bytes(JSON_TRACE)
        capture = cls.folder / "t.sscap"
        done = run("convert", source, "-o", capture)
        assert done.returncode == 0, done.stderr
        cls.traces["capture"] = capture.read_bytes()
        nsys = pathlib.Path(__file__).parents[1] / "fuzz/corpus/nsys"
        for seed in sorted(nsys.glob("*")) if nsys.is_dir() else []:
            cls.traces["nsys"] = seed.read_bytes()
            break

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_every_format_plain_and_compressed(self):
        for name, data in self.traces.items():
            path = self.folder / "whole"
            path.write_bytes(data)
            whole = run("summary", path, "--format", "json")
            self.assertEqual(whole.returncode, 0, (name, whole.stderr))
            packings = [data, gzip.compress(data, 1)]
            if shutil.which("zstd"):
                packings.append(subprocess.run(
                    ["zstd", "-q", "-c"], input=data, capture_output=True,
                    check=True).stdout)
            for packed in packings:
                piped = run("summary", "-", "--format", "json", data=packed)
                self.assertEqual(piped.returncode, 0, (name, piped.stderr))
                self.assertEqual(tables(piped), tables(whole), name)

    def test_the_source_is_called_standard_input(self):
        # A capture made of a trace names the files of that trace.
        for name in ("chrome", "xplane/tf_cpu.xplane.pb.gz"):
            shown = run("info", "-", "--format", "json",
                        data=self.traces[name])
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertEqual(json.loads(shown.stdout)["source"]["files"],
                             ["standard input"])

    def test_other_names_of_pipes(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for path in ("/dev/stdin", "/proc/self/fd/0"):
            done = run("summary", path, data=JSON_TRACE)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(
            ["bash", "-c", '"$0" summary <(cat "$1") && '
             '{ cat "$1" > "$2" & } && "$0" summary "$2" && wait',
             STEPSCOPE, str(self.folder / "t.json"), str(fifo)],
            capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(b"op0"), 2)

    def test_a_pipe_that_ends_early_keeps_its_part(self):
        cut = JSON_TRACE[:len(JSON_TRACE) // 2]
        for data in (cut, gzip.compress(JSON_TRACE)[:12000],
                     self.traces["capture"][:-200]):
            done = run("info", "-", data=data)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"standard input", done.stdout)

    def one_line(self, result, code):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
        self.assertEqual(result.stdout, b"")
        return result.stderr.decode()

    def test_standard_input_twice(self):
        out = self.folder / "out.json"
        for arguments in (("compare", "-", "-"),
                          ("compare", "-", "/dev/stdin"),
                          ("convert", "-", "-", "-o", out),
                          ("timeline", "--profile_path", "a=-,b=-",
                           "--timeline_path", out)):
            line = self.one_line(run(*arguments, data=JSON_TRACE), 2)
            self.assertIn("standard input is given twice", line)
        self.assertFalse(out.exists())

    def test_nothing_and_rubbish(self):
        line = self.one_line(run("summary", "-", data=b""), 3)
        self.assertIn("standard input: byte 0: it is empty", line)
        line = self.one_line(run("summary", "-", data=b"rubbish" * 5000), 3)
        self.assertIn("standard input: byte 0: not a trace", line)
        folder = os.open(self.folder, os.O_RDONLY)
        done = subprocess.run([STEPSCOPE, "summary", "-"], stdin=folder,
                              capture_output=True, timeout=60, check=False)
        os.close(folder)
        line = self.one_line(done, 3)
        self.assertIn("standard input: Is a directory", line)

    def test_no_folder_for_the_copy(self):
        done = run("summary", "-", data=self.traces["capture"],
                   env={**os.environ, "TMPDIR": "/proc"})
        line = self.one_line(done, 3)
        self.assertIn("needs a temporary copy", line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
