# SPDX-License-Identifier: Apache-2.0
"""Folders of several ranks: who is late, by which clock, and what is wrong.

usage: ranks_test.py STEPSCOPE TRACES
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, TRACES = sys.argv[1:3]
RANKS = "ranks,stragglers,collectives,rank_steps"
STEPS = 12
LATE_US = 15000  # of rank 1, every third step


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                          check=False)


def summary(folder, *options):
    done = run("summary", folder, "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rank_trace(rank, ranks=3, skew_us=0.0, drift=0.0, steps=STEPS, pid=None):
    """What torch.profiler writes of a rank; times as its clock shows them."""
    events = []

    def add(category, name, thread, begin, end, **args):
        def shown(time):
            return 1000.0 + time * (1 + drift) + skew_us
        events.append({"ph": "X", "cat": category, "name": name,
                       "pid": pid or 500 + rank, "tid": thread,
                       "ts": shown(begin), "dur": shown(end) - shown(begin),
                       "args": args})

    now = 0.0
    for step in range(steps):
        late = LATE_US if step % 3 == 0 else 0
        arrival = now + 5000 + (late if rank == 1 else 40 * rank)
        left = now + 5000 + (late or 40 * (ranks - 1)) + 2000 + step * 17
        jitter = (step * 7919 + rank * 104729) % 11
        add("user_annotation", f"ProfilerStep#{step}", 1, now, left + 500)
        add("cpu_op", "aten::mm", 1, now + 10, now + 4900)
        add("user_annotation", "gloo:all_reduce", 2, arrival, left + jitter,
            **{"Input Dims": [[1000]], "Input type": ["float"]})
        now = left + 600
    return {"schemaVersion": 1, "baseTimeNanoseconds": 1790857026000000000,
            "distributedInfo": {"backend": "gloo", "rank": rank,
                                "world_size": ranks},
            "traceEvents": events}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(path, mode) as file:
            file.write(content if isinstance(content, (bytes, str))
                       else json.dumps(content))

    def write_ranks(self, **changes):
        for rank in range(3):
            self.write(f"rank{rank}.json",
                       rank_trace(rank, **changes.get(f"rank{rank}", {})))

    def expect_late(self, found, delays_us=4 * LATE_US):
        worst = found["stragglers"][0]
        self.assertEqual(worst["rank"], 1)
        self.assertEqual([s["step"] for s in worst["steps"]], [0, 3, 6, 9])
        # Against rank 2, which comes 80 us after it could.
        self.assertAlmostEqual(worst["delays_ns"] / 1e3, delays_us, delta=500)
        self.assertEqual(worst["doing"], "nothing recorded")


class MadeUp(Folder):
    def test_the_late_rank_is_named(self):
        self.write_ranks()
        self.expect_late(summary(self.folder))

    def test_skew_and_drift_are_found(self):
        self.write_ranks(rank1={"skew_us": 70000.0, "drift": 3e-5},
                         rank2={"skew_us": -30000.0})
        self.expect_late(summary(self.folder))
        clocks = json.loads(run("info", self.folder, "--format",
                                "json").stdout)["clocks"]
        self.assertEqual([c["method"] for c in clocks],
                         ["reference", "collectives", "collectives"])
        self.assertAlmostEqual(clocks[1]["offset_ns"], -70e6, delta=20e3)
        self.assertAlmostEqual(clocks[2]["offset_ns"], 30e6, delta=20e3)

    def test_file_by_file_gives_the_same(self):
        self.write_ranks(rank1={"skew_us": 70000.0})
        whole = summary(self.folder)
        by_file = summary(self.folder, "--views", RANKS)
        self.expect_late(by_file)
        for ours, theirs in zip(by_file["ranks"], whole["ranks"]):
            for key in ("step_ns", "wait_ns", "transfer_ns", "delays_ns"):
                self.assertAlmostEqual(ours[key], theirs[key], delta=3)

    def test_damaged_empty_and_foreign_files_are_skipped(self):
        self.write_ranks()
        self.write("rank7.json.gz", b"\x1f\x8b\x08\x00 not gzip at all")
        self.write("rank8.json", b"")
        self.write("notes.txt", "nothing to see\n")
        for options in ((), ("--views", RANKS)):
            found = summary(self.folder, *options)
            self.assertEqual(len(found["ranks"]), 3)
            self.expect_late(found)
        told = run("info", self.folder).stdout
        self.assertIn("rank7.json.gz", told)

    def test_two_files_claim_one_rank(self):
        self.write_ranks()
        self.write("rank1b.json", rank_trace(1, pid=999))
        found = summary(self.folder, "--views", RANKS)
        self.assertEqual(len(found["ranks"]), 3)
        self.assertTrue(any("claim rank 1" in n for n in found["notes"]),
                        found["notes"])

    def test_a_rank_that_died(self):
        self.write_ranks(rank2={"steps": 5})
        found = summary(self.folder, "--views", RANKS)
        self.assertEqual([r["steps"] for r in found["ranks"]], [12, 12, 5])
        self.assertTrue(any("rank 2 at step 4" in n for n in found["notes"]),
                        found["notes"])
        self.expect_late(found)

    def test_ranks_of_different_jobs(self):
        self.write_ranks(rank2={"skew_us": 4 * 3600e6})
        for options in ((), ("--views", RANKS)):
            done = run("summary", self.folder, *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn("2 jobs", done.stderr)

    def test_one_rank_is_no_job(self):
        self.write("rank0.json", rank_trace(0))
        found = summary(self.folder)
        self.assertEqual(found["ranks"], [])
        self.assertNotIn("Stragglers", run("summary", self.folder).stdout)

    def test_text_shows_the_tables(self):
        self.write_ranks()
        text = run("summary", self.folder).stdout
        for title in ("Ranks", "Stragglers", "Collectives"):
            self.assertIn(title, text)
        self.assertNotIn("Rank Steps", text)

    def test_advice_names_the_rank(self):
        self.write_ranks()
        text = run("advise", self.folder).stdout
        self.assertIn("Rank 1 comes late", text)
        self.assertIn("steps 0, 3, 6 and 9", text)


class Recorded(Folder):
    def setUp(self):
        super().setUp()
        for rank in range(2):
            path = os.path.join(TRACES, f"torch_ddp_gloo_rank{rank}.json.gz")
            if not os.path.exists(path):
                self.skipTest(f"{path} is not here")
            os.symlink(path, os.path.join(self.folder, f"rank{rank}.json.gz"))

    def test_the_rank_that_sleeps(self):
        """Rank 1 sleeps 20 ms in every third step."""
        for options in ((), ("--views", RANKS)):
            worst = summary(self.folder, *options)["stragglers"][0]
            self.assertEqual(worst["rank"], 1)
            self.assertEqual([s["step"] for s in worst["steps"]], [6, 9])
            for step in worst["steps"]:
                self.assertAlmostEqual(step["delay_ns"], 21.5e6, delta=2e6)
                self.assertEqual(step["doing"], "nothing recorded")
                self.assertAlmostEqual(step["doing_ns"], 20e6, delta=0.5e6)
        self.assertIn("Rank 1 comes late", run("advise", self.folder).stdout)

    def test_clocks_of_one_machine_agree(self):
        clock = json.loads(run("info", self.folder, "--format",
                               "json").stdout)["clocks"][1]
        self.assertEqual(clock["method"], "collectives")
        self.assertLess(abs(clock["offset_ns"]), clock["error_ns"])
        self.assertLess(clock["error_ns"], 300_000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
