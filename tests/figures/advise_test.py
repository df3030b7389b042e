#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What advise says about real traces.

usage: advise_test.py STEPSCOPE TRACES

Each case is one that a reader once got a wrong answer for.
"""

import json
import pathlib
import subprocess
import sys
import unittest

STEPSCOPE = sys.argv[1]
TRACES = pathlib.Path(sys.argv[2])


def advise(name, *more):
    done = subprocess.run([STEPSCOPE, "advise", str(TRACES / name),
                           "--format", "json", *more],
                          check=True, capture_output=True, timeout=120)
    return json.loads(done.stdout)


def by_id(answer):
    return {finding["id"]: finding for finding in answer["advice"]}


class AdviseTest(unittest.TestCase):
    def test_every_saving_is_replayed_or_said_to_be_a_bound(self):
        files = [p for p in TRACES.iterdir()
                 if p.name.endswith((".json.gz", ".pb"))]
        self.assertTrue(files)
        for path in files:
            answer = advise(path.name)
            savings = [f["saving_ns"] for f in answer["advice"]]
            self.assertEqual(savings, sorted(savings, reverse=True))
            for finding in answer["advice"]:
                with self.subTest(path.name, finding=finding["id"]):
                    self.assertLessEqual(finding["low_ns"],
                                         finding["saving_ns"])
                    self.assertLessEqual(finding["saving_ns"],
                                         finding["high_ns"])
                    self.assertLessEqual(finding["saving_ratio"], 1)
                    if "on average" not in finding["saving_basis"]:
                        self.assertLessEqual(finding["saving_ns"],
                                             answer["step_ns"])
                    self.assertTrue(
                        finding["change"]
                        or "not replayed" in finding["saving_basis"]
                        or finding["saving_ns"] == 0)
                    if finding["change"]:
                        self.assertGreater(finding["low_ns"], 0)
                        self.assertGreaterEqual(finding["saving_ratio"], 0.03)

    def test_an_idle_device_is_named(self):
        answer = advise("jax.xplane.pb")
        self.assertLess(answer["device_busy"], 0.2)
        idle = by_id(answer)["device_idle"]
        self.assertTrue(any("PjitFunction" in e["name"]
                            for e in idle["evidence"]))

    def test_a_host_bound_step_gains_nothing_from_tensor_cores(self):
        self.assertNotIn("tensor_cores",
                         by_id(advise("torch_cnn.json.gz")))

    def test_what_to_try_fits_the_operator(self):
        found = by_id(advise("hta_nccl.json.gz"))["cpu_operator"]
        self.assertIn("unflatten_dense_tensors", found["evidence"][0]["name"])
        self.assertTrue(any("bucket" in text for text in found["try"]))

    def test_idle_time_is_named_by_range(self):
        found = by_id(advise("torch_cnn.json.gz"))["launch_bound"]
        self.assertTrue(any(e["name"].startswith("Optimizer.step#")
                            for e in found["evidence"]))

    def test_a_graph_is_one_launch(self):
        done = subprocess.run([STEPSCOPE, "summary",
                               str(TRACES / "torch_cuda_graph.json.gz"),
                               "--format", "json", "--views", "launch"],
                              check=True, capture_output=True, timeout=120)
        launch = json.loads(done.stdout)["launch"]
        # In each of 20 steps a graph of eight kernels and four other launches.
        self.assertLess(launch["launch_bound_of"], 120)

    def test_no_graph_holds_what_the_host_communicates(self):
        answer = advise("torch_ddp_gloo_rank0.json.gz")
        self.assertEqual(answer["advice"][0]["id"], "exposed_communication")
        launch = by_id(answer)["launch_bound"]
        self.assertIsNone(launch["change"])
        self.assertLess(launch["saving_ratio"], 0.25)

    def test_work_outside_the_steps_is_a_doubt(self):
        doubts = advise("tf_gpu_worker.xplane.pb")["doubts"]
        self.assertTrue(any("outside the steps" in text for text in doubts))


if __name__ == "__main__":
    if not (TRACES / "torch_cnn.json.gz").exists():
        print(f"{TRACES} is not there: skipped")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
