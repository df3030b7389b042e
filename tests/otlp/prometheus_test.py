#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run --always --prometheus: text that a strict reader of the format takes.

usage: prometheus_test.py STEPSCOPE SERVE
"""

import re
import subprocess
import sys
import time
import unittest

from support import LIMIT_S, OtlpTestCase

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")


def parse(text):
    """{name: (type, [(labels, value)])}. Each metric is described before its
    samples, once, and no series is there twice."""
    assert text.endswith("\n")
    metrics, current, helped, seen = {}, None, None, set()
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            helped = line.split(" ", 3)[2]
            assert len(line.split(" ", 3)) == 4, line
        elif line.startswith("# TYPE "):
            _, _, current, kind = line.split(" ")
            assert current == helped and current not in metrics, line
            assert kind in ("gauge", "counter", "summary"), line
            metrics[current] = (kind, [])
        else:
            match = SAMPLE.fullmatch(line)
            assert match and match[1] == current, line
            labels = dict(re.findall(LABEL, match[2] or ""))
            series = (current, tuple(sorted(labels.items())))
            assert series not in seen, line
            seen.add(series)
            value = float(match[len(match.groups())])
            metrics[current][1].append((labels, value))
    return metrics


class Prometheus(OtlpTestCase):

    def test_figures_of_a_running_recorder(self):
        file = self.folder / "figures.prom"
        stop = self.folder / "stop"
        with subprocess.Popen(
                self.command(["--always", "--prometheus", str(file)],
                             (6, "until", stop)),
                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                cwd=self.folder, env=self.environment()) as process:
            limit = time.monotonic() + LIMIT_S
            while not file.exists() and time.monotonic() < limit:
                time.sleep(0.05)
            running = parse(file.read_text(encoding="utf-8"))
            stop.touch()
            _, said = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 3, said)
        ended = parse(file.read_text(encoding="utf-8"))
        for metrics, recording in ((running, 1), (ended, 0)):
            [(labels, value)] = metrics["stepscope_recording"][1]
            self.assertEqual(value, recording)
            self.assertIn("host", labels)
            self.assertIn("pid", labels)
            self.assertGreater(metrics["stepscope_events"][1][0][1], 0)
            self.assertEqual(metrics["stepscope_dropped_events"][1][0][1], 0)
            self.assertGreater(
                metrics["stepscope_reader_cpu_seconds_total"][1][0][1], 0)
        self.assertIn("stepscope_recorder_cpu_seconds_total", running)

    def test_faults(self):
        self.assertIn("--always", self.run_it(["--prometheus", "a"], code=2))
        said = self.run_it(["--always", "--prometheus", "no/where/a"], code=2)
        self.assertIn("create it first", said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
