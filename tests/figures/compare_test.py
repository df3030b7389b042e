#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What compare concludes from planted steps and from real traces.

usage: compare_test.py STEPSCOPE FOLDER

FOLDER has real traces; what needs them is left out where they are not.
"""

import csv
import io
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
TRACES = pathlib.Path(sys.argv[2])
STEP_US = 10000.0


def stepscope(*arguments, expect=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode != expect:
        raise AssertionError(f"{arguments}: exit code {done.returncode}, not "
                             f"{expect}\n{done.stdout[:500]}\n{done.stderr}")
    return done


def compare(a, b, *arguments):
    return json.loads(stepscope("compare", a, b, "--format", "json",
                                *arguments).stdout)


class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.files = 0

    def tearDown(self):
        self.folder.cleanup()

    def trace(self, lengths_us, **more):
        """A file with steps of these lengths, one after the other."""
        events = []
        time = 1000.0
        for number, length in enumerate(lengths_us):
            for name, dur, cat in (
                    (f"ProfilerStep#{number}", length, "user_annotation"),
                    ("aten::mm", length / 2, "cpu_op")):
                events.append({"ph": "X", "cat": cat, "name": name, "pid": 1,
                               "tid": 1, "ts": round(time, 3),
                               "dur": round(dur, 3)})
            time += length
        self.files += 1
        path = pathlib.Path(self.folder.name) / f"{self.files}.json"
        path.write_text(json.dumps(
            {"schemaVersion": 1, "trace_id": "1", "traceEvents": events,
             **more}))
        return path

    def noisy(self, seed, count, factor=1.0, noise=0.02, **more):
        generator = random.Random(seed)
        return self.trace([STEP_US * factor * generator.gauss(1, noise)
                           for _ in range(count)], **more)

    def test_a_planted_regression_is_found(self):
        a = self.noisy(1, 20)
        b = self.noisy(2, 20, factor=1.1)
        done = stepscope("compare", a, b, "--fail-if-slower", "5", expect=1)
        self.assertIn("B is slower by", done.stdout)
        self.assertRegex(done.stderr,
                         r"B is slower than A by \d+\.\d\d %, which is more "
                         r"than 5 %")
        answer = compare(a, b)
        self.assertEqual(answer["verdict"], "slower")
        self.assertTrue(answer["conclusive"])
        self.assertIsNone(answer["gate"])
        self.assertAlmostEqual(answer["ratio"], 0.1, delta=0.02)
        self.assertLess(answer["low"], answer["ratio"])
        self.assertGreater(answer["high"], answer["ratio"])
        self.assertGreater(answer["low"], 0.05)
        self.assertLess(answer["p"], 1e-6)
        self.assertAlmostEqual(answer["resolvable"],
                               (answer["high"] - answer["low"]) / 2)
        row = next(r for r in answer["rows"] if r["name"] == "aten::mm")
        self.assertTrue(row["beyond_noise"])
        self.assertAlmostEqual(row["ratio"], 0.1, delta=0.02)
        # The other way round nothing fails.
        stepscope("compare", b, a, "--fail-if-slower", "0")
        self.assertEqual(compare(b, a)["verdict"], "faster")

    def test_medians_are_those_of_the_steps(self):
        lengths = [10000, 10400, 10100, 10900, 10200, 10300]
        answer = compare(self.trace(lengths), self.trace(lengths[:5]))
        self.assertEqual(answer["median_a_ns"],
                         statistics.median(lengths) * 1000)
        self.assertEqual(answer["median_b_ns"],
                         statistics.median(lengths[:5]) * 1000)
        self.assertEqual(answer["step"]["median_a_ns"], answer["median_a_ns"])

    def test_noise_fails_no_gate(self):
        failed = 0
        for seed in range(20):
            done = subprocess.run(
                [PROGRAM, "compare", self.noisy(100 + seed, 12, noise=0.1),
                 self.noisy(200 + seed, 12, noise=0.1), "--fail-if-slower",
                 "2"], check=False, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            self.assertIn(done.returncode, (0, 1))
            failed += done.returncode
        self.assertLessEqual(failed, 1)

    def test_what_cannot_be_resolved_is_said(self):
        a = self.noisy(3, 20, noise=0.15)
        b = self.noisy(4, 20, noise=0.15)
        done = stepscope("compare", a, b, "--fail-if-slower", "5")
        says = (r"5 % asked, [\d.]+ % resolvable: record \d+ more steps \(\d+ "
                r"settled steps on each side\)")
        self.assertRegex(done.stdout, says)
        self.assertRegex(done.stderr, says)
        answer = compare(a, b, "--fail-if-slower", "5")
        self.assertFalse(answer["conclusive"])
        self.assertEqual(answer["gate"]["answer"], "unresolved")
        self.assertEqual(answer["gate"]["asked"], 0.05)
        needed = 20 * (answer["resolvable"] / 0.05) ** 2
        self.assertAlmostEqual(answer["steps_needed"], needed, delta=1)
        # That many resolve it, roughly: a median's spread is known badly.
        more = compare(
            self.noisy(5, answer["steps_needed"], noise=0.15),
            self.noisy(6, answer["steps_needed"], noise=0.15))
        self.assertLess(more["resolvable"], 0.1)

    def test_warm_up_is_no_regression(self):
        settled = [STEP_US * f for f in (1, 1.01, 0.99, 1.0, 1.02, 0.98)]
        a = self.trace(settled)
        b = self.trace([9 * STEP_US, 4 * STEP_US] + settled)
        done = stepscope("compare", a, b, "--fail-if-slower", "5")
        self.assertIn("B: steps 0-1 left out as warm-up", done.stdout)
        answer = compare(a, b)
        self.assertEqual((answer["steps_b"], answer["warmup_b"]), (6, 2))
        self.assertEqual(answer["p"], 1)
        self.assertEqual(compare(a, b, "--steps", "all")["steps_b"], 8)
        self.assertEqual(compare(b, b, "--steps", "2:6")["steps_b"], 4)
        done = stepscope("compare", a, b, "--steps", "7:", expect=2)
        self.assertIn("no such step of A was recorded; it has steps 0-5",
                      done.stderr)

    def test_few_steps_conclude_nothing(self):
        a = self.trace([STEP_US] * 5)
        for lengths in ([], [9 * STEP_US], [9 * STEP_US] * 2):
            b = self.trace(lengths) if lengths else self.loose()
            done = stepscope("compare", a, b, "--fail-if-slower", "5")
            self.assertIn("nothing can be concluded", done.stdout)
            self.assertIn("nothing can be concluded", done.stderr)
            answer = compare(a, b)
            self.assertEqual(answer["verdict"], "unknown")
            for key in ("low", "high", "p", "resolvable", "steps_needed"):
                self.assertIsNone(answer[key], key)

    def loose(self):
        path = pathlib.Path(self.folder.name) / "loose.json"
        path.write_text('{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":'
                        '"cpu_op","name":"mm","pid":1,"tid":1,"ts":0,'
                        '"dur":90000}]}')
        return path

    def test_every_format_has_the_figures(self):
        a = self.noisy(7, 6)
        b = self.noisy(8, 6, factor=1.3)
        answer = compare(a, b)
        table = stepscope("compare", a, b, "--format", "csv").stdout
        rows = list(csv.DictReader(io.StringIO(table)))
        step = rows[0]
        self.assertEqual(step["table"], "step")
        for key in ("ratio", "low", "high", "resolvable", "p"):
            self.assertAlmostEqual(float(step[key]), answer[key], places=5)
        self.assertEqual(int(step["median_b"]), answer["median_b_ns"])
        self.assertEqual(step["conclusive"], "1")
        self.assertEqual({len(row) for row in rows}, {21})
        self.assertNotIn(None, {key for row in rows for key in row})
        for output in ("text", "md"):
            shown = stepscope("compare", a, b, "--format", output).stdout
            self.assertTrue(shown.startswith(answer["summary"]), output)
            self.assertIn("95 % interval", shown)
            self.assertIn("p = 0.00", shown)
            self.assertIn("A change of ", stepscope(
                "compare", a, a, "--format", output).stdout)

    def test_settings_that_cost_differ(self):
        a = self.noisy(9, 5, record_shapes=1, with_stack=1)
        b = self.noisy(9, 5)
        self.assertIn(
            "A was recorded with shapes and call stacks, B with neither "
            "shapes nor call stacks: part of the change may be the cost of "
            "recording.", compare(a, b)["notes"])
        self.assertFalse([n for n in compare(a, a)["notes"] if "cost" in n])


@unittest.skipUnless(TRACES.is_dir(), f"no {TRACES}")
class RealTraces(unittest.TestCase):
    def test_a_trace_is_like_itself(self):
        for path in sorted(TRACES.glob("*.gz")) + sorted(TRACES.glob("*.pb")):
            with self.subTest(path.name):
                answer = compare(path, path, "--fail-if-slower", "0")
                self.assertIn(answer["verdict"], ("same", "unknown"))
                self.assertIn(answer["p"], (1, None))
                self.assertEqual(answer["ratio"], 0)
                for row in answer["rows"]:
                    self.assertFalse(row["beyond_noise"], row)

    def test_two_ranks_of_a_job(self):
        ranks = [TRACES / f"torch_ddp_gloo_rank{r}.json.gz" for r in (0, 1)]
        for a, b in (ranks, ranks[::-1]):
            answer = compare(a, b, "--fail-if-slower", "5")
            # They wait for each other; a step of 15 ms varies by as much.
            self.assertEqual(answer["verdict"], "same")
            self.assertEqual(answer["gate"]["answer"], "unresolved")
            self.assertGreater(answer["p"], 0.5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
