# SPDX-License-Identifier: Apache-2.0
"""The samples of Paddle's guide, with paddle.profiler replaced by stepscope.

With paddle where it is installed, else with a stand-in."""

import importlib.util
import os
import pathlib
import unittest

import support

HERE = pathlib.Path(__file__).resolve().parent


class SamplesTest(support.InOwnFolder):
    def run_sample(self, name):
        path = HERE / "samples" / f"{name}.py"
        paths = [os.environ.get("PYTHONPATH", "")]
        if importlib.util.find_spec("paddle") is None:
            paths.append(str(HERE / "standin"))
        return support.run_script(
            path.read_text(encoding="utf-8"),
            env={"PYTHONPATH": os.pathsep.join(filter(None, paths))})

    def steps(self, folder="profiler_demo"):
        """The steps of each file."""
        return [[int(event["name"].split("#")[1])
                 for event in support.read_events(path)
                 if event["name"].startswith("ProfileStep#")]
                for path in self.files(folder, ".paddle_trace.json")]

    def test_batch_range(self):
        said = self.run_sample("batch_range").stdout
        self.assertEqual(self.steps(), [list(range(2, 10))])
        for table in ("Device Summary", "Overview Summary"):
            self.assertEqual(said.count(table), 1)
        self.assertRegex(said, r"\nProfileStep +8 ")
        self.assertIn("Perf Summary", said)
        # Nothing else is left.
        self.assertEqual(len(os.listdir("profiler_demo")), 1)

    def test_batch_ranges(self):
        self.run_sample("batch_ranges")
        self.assertEqual(self.steps(), [[2, 3, 4, 5], [8, 9, 10, 11],
                                        [14, 15, 16, 17]])

    def test_all_batches(self):
        said = self.run_sample("all_batches").stdout
        (steps,) = self.steps("profiler_log")
        self.assertEqual(steps[:20], list(range(20)))
        self.assertIn("Overview Summary", said)

    def test_start_and_stop(self):
        said = self.run_sample("start_and_stop").stdout
        self.assertEqual(self.steps(), [list(range(2, 10))])
        self.assertIn("Overview Summary", said)

    def test_own_scheduler(self):
        said = self.run_sample("own_scheduler").stdout
        (steps,) = self.steps()
        self.assertEqual(steps[:30], list(range(30)))
        self.assertIn("Overview Summary", said)

    def test_own_callback(self):
        said = self.run_sample("own_callback").stdout
        self.assertEqual(self.steps(), [list(range(2, 10))])
        self.assertEqual(said.count("Overview Summary"), 2)
        self.assertRegex(said, r"\nDataPrepare +8 ")
        (path,) = self.files("profiler_demo", ".json")
        names = support.count(support.read_events(path))
        self.assertEqual(names["DataPrepare"], 8)

    def test_benchmark_only(self):
        said = self.run_sample("benchmark_only").stdout
        self.assertRegex(said, r"Iter 0:  .*batch_cost: [\d.]+ s ips: [\d.]+ "
                               r"images/s\n")
        self.assertRegex(said, r"Iter 10:  .*images/s\n")
        self.assertIn("Perf Summary", said)
        self.assertIn("Time Unit: s, IPS Unit: images/s", said)
        self.assertEqual(self.files("profiler_log", ".json"), [])

    def test_training(self):
        said = self.run_sample("training").stdout
        self.assertEqual(self.steps(), [list(range(3, 14))])
        self.assertEqual(said.count("Perf Summary"), 1)
        self.assertEqual(said.count("Overview Summary"), 1)
        self.assertRegex(said, r"\nProfileStep +11 ")


if __name__ == "__main__":
    unittest.main()
