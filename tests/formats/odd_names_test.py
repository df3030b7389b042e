#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `convert` writes can be read back, whatever the names are.

usage: odd_names_test.py STEPSCOPE
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

STEPSCOPE = ""
NAMES = {
    "control characters": b"a\\u001b[31m",
    "nothing else": b"\\u0001\\u0002\\u007f",
    "invalid UTF-8": b"\xff\xfe\x80 name \xc3",
    "long": b"x" * 100_000,
    "long and odd": b"\\u001b" * 30_000,
    "empty": b"",
}
FORMATS = {
    "paddle": "t.paddle_trace.pb", "fluid": "t.fluid", "chrome": "t.json",
    "perfetto": "t.perfetto-trace",
    "capture": "t.sscap",
}


class OddNames(unittest.TestCase):

    def info(self, path):
        done = subprocess.run(
            [STEPSCOPE, "info", "--format", "json", str(path)],
            capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_format_reads_its_own(self):
        for what, name in NAMES.items():
            for to, output in FORMATS.items():
                with self.subTest(names=what, to=to), \
                        tempfile.TemporaryDirectory() as temporary:
                    folder = pathlib.Path(temporary)
                    source = folder / "source.json"
                    event = (b'{"ph":"X","name":"%s","ts":%d,"dur":2,'
                             b'"pid":1,"tid":1}')
                    source.write_bytes(b'{"traceEvents":[' + b",".join(
                        event % (each, 10 * i)
                        for i, each in enumerate((name, b"plain", name))) +
                        b"]}")
                    written = folder / output
                    subprocess.run([STEPSCOPE, "convert", str(source), "-o",
                                    str(written), "--to", to], check=True,
                                   capture_output=True)
                    events = [sum(thread["events"]
                                  for thread in self.info(path)["threads"])
                              for path in (source, written)]
                    self.assertEqual(events, [3, 3])


if __name__ == "__main__":
    STEPSCOPE = sys.argv.pop(1)
    unittest.main()
