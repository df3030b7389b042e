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


def rank_trace(rank, ranks=3, skew_us=0.0, drift=0.0, steps=STEPS, pid=None,
               job=0):
    """What torch.profiler writes of a rank; times as its clock shows them. No
    two jobs take equally long for their steps."""
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
        left += job * 131 * ((step * 5 + job) % 7)
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

    def expect_jobs(self, files):
        """The files of each job, by what they are called."""
        for options in ((), ("--views", RANKS)):
            done = run("summary", self.folder, *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn("2 jobs", done.stderr)
        jobs = json.loads(run("info", self.folder, "--format",
                              "json").stdout)["jobs"]
        self.assertEqual([[os.path.basename(f) for f in job["files"]]
                          for job in jobs], files)

    def test_ranks_of_a_later_job(self):
        self.write_ranks(rank2={"skew_us": 4 * 3600e6, "job": 1})
        self.expect_jobs([["rank0.json", "rank1.json"], ["rank2.json"]])

    def test_two_jobs_at_one_time(self):
        self.write_ranks()
        for rank in range(2):
            self.write(f"rank{rank}_of_another.json",
                       rank_trace(rank, pid=900 + rank, job=1))
        self.expect_jobs([["rank0.json", "rank1.json", "rank2.json"],
                          ["rank0_of_another.json", "rank1_of_another.json"]])

    def test_clocks_hours_apart(self):
        self.write_ranks(rank1={"skew_us": 4 * 3600e6},
                         rank2={"skew_us": -7 * 3600e6, "drift": 2e-5})
        self.expect_late(summary(self.folder))
        by_file = summary(self.folder, "--views", RANKS)
        self.expect_late(by_file)
        info = json.loads(run("info", self.folder, "--format", "json").stdout)
        for notes in (by_file["notes"], info["notes"]):
            self.assertTrue(any("rank1.json: its clock differs" in n and
                                "4.0 hours" in n for n in notes), notes)

    def test_a_rank_that_died_in_a_step(self):
        self.write_ranks()
        cut = rank_trace(2)
        # What was open is not there: its last step, and who waits in it.
        cut["traceEvents"] = [e for e in cut["traceEvents"]
                              if not e["name"].endswith("#7")][:23]
        self.write("rank2.json", cut)
        found = summary(self.folder, "--views", RANKS)
        self.assertEqual([r["steps"] for r in found["ranks"]], [12, 12, 7])
        self.expect_late(found)

    def test_clocks_as_recorded(self):
        """--no-align leaves them, and says so."""
        self.write_ranks(rank1={"skew_us": 70000.0})
        for options in ((), ("--views", RANKS)):
            found = summary(self.folder, "--no-align", *options)
            self.assertEqual([r["clock"]["method"] for r in found["ranks"]],
                             ["reference", "absolute time", "absolute time"])
            self.assertEqual([r["clock"]["offset_ns"] for r in found["ranks"]],
                             [0, 0, 0])
        self.assertTrue(any("not aligned, as asked" in n
                            for n in found["notes"]), found["notes"])
        done = run("advise", self.folder, "--no-align")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_recorded_times_come_back_from_a_merged_file(self):
        self.write_ranks(rank1={"skew_us": 70000.0, "drift": 3e-5},
                         rank2={"skew_us": -30000.0})
        merged = self.folder + "_merged.json"
        self.addCleanup(os.remove, merged)
        self.assertEqual(run("convert", self.folder, "-o", merged).returncode,
                         0)
        with open(merged) as file:
            trace = json.load(file)
        base = trace["baseTimeNanoseconds"]
        facts = {}
        for event in trace["traceEvents"]:
            if event.get("ph") == "M":
                facts.setdefault(event["pid"], {}).update(event["args"])
        for rank in range(3):
            with open(os.path.join(self.folder, f"rank{rank}.json")) as file:
                recorded = json.load(file)
            first = recorded["traceEvents"][0]
            shown = next(e for e in trace["traceEvents"]
                         if e.get("name") == first["name"] and
                         e["pid"] == first["pid"])
            clock = {k: v for k, v in facts[first["pid"]].items()
                     if k.startswith("clock_")}
            center = int(clock["clock_center_ns"])
            time = base + round(shown["ts"] * 1000)
            since = (time - int(clock["clock_offset_ns"]) - center) / (
                1 + float(clock["clock_drift_ppm"]) * 1e-6)
            expected = (recorded["baseTimeNanoseconds"] +
                        round(first["ts"] * 1000))
            self.assertAlmostEqual(since, expected - center, delta=600)

    def timeline(self, *options):
        """Begin of the first step by label, and what is said about clocks."""
        out = os.path.join(self.folder, "timeline.out")
        files = ",".join(f"t{rank}=" +
                         os.path.join(self.folder, f"rank{rank}.json")
                         for rank in range(3))
        done = run("timeline", "--profile_path", files, "--timeline_path", out,
                   *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out) as file:
            trace = json.load(file)
        label = {e["pid"]: e["args"]["name"].split(":")[0]
                 for e in trace["traceEvents"] if e["ph"] == "M"}
        return ({label[e["pid"]]: e["ts"] for e in trace["traceEvents"]
                 if e["name"] == "ProfilerStep#0"}, trace.get("clocks"))

    def test_timeline_is_aligned(self):
        self.write_ranks(rank1={"skew_us": 70000.0},
                         rank2={"skew_us": -30000.0})
        begins, clocks = self.timeline()
        self.assertLess(max(begins.values()) - min(begins.values()), 20)
        self.assertEqual([c["clock_method"] for c in clocks],
                         ["reference", "collectives", "collectives"])
        begins, clocks = self.timeline("--no-align")
        self.assertAlmostEqual(begins["t1"] - begins["t2"], 100000, delta=1)
        self.assertIsNone(clocks)

    def test_gain_by_replay(self):
        """15 ms in every third of 12 steps, less 80 us of rank 2."""
        self.write_ranks()
        for options in ((), ("--views", RANKS)):
            worst = summary(self.folder, *options)["stragglers"][0]
            for key in ("replay_low_ns", "replay_high_ns"):
                self.assertAlmostEqual(worst[key], 5e6, delta=0.1e6)
            self.assertLess(worst["replay_error_ns"], 0.2e6)
        finding = next(f for f in json.loads(run(
            "advise", self.folder, "--format", "json").stdout)["advice"]
            if f["id"] == "straggler")
        self.assertLessEqual(finding["low_ns"], finding["saving_ns"])
        self.assertGreater(finding["low_ns"], 4.8e6)
        self.assertIn("replay of 12 steps", finding["saving_basis"])

    def test_one_rank_is_no_job(self):
        self.write("rank0.json", rank_trace(0))
        found = summary(self.folder)
        self.assertEqual(found["ranks"], [])
        for layout in ("screen", "paddle"):
            text = run("summary", self.folder, "--layout", layout).stdout
            self.assertNotIn("stragglers", text.lower())

    def test_text_shows_the_tables(self):
        self.write_ranks()
        text = run("summary", self.folder, "--layout", "paddle").stdout
        for title in ("Ranks", "Stragglers", "Collectives"):
            self.assertIn(title, text)
        self.assertNotIn("Rank Steps", text)

    def test_advice_names_the_rank(self):
        self.write_ranks()
        text = run("advise", self.folder).stdout
        self.assertIn("Rank 1 comes late", text)
        self.assertIn("steps 0, 3, 6 and 9", text)


class Pipeline(Folder):
    """Four stages that pass on eight micro-batches in each step."""
    STAGES, BATCHES, STEPS = 4, 8, 6
    TRANSFER = 100.0
    SLOW = 2  # a stage that computes half as long again

    def write_stages(self, skew_us):
        """Returns how long each stage waits for a neighbour in a step."""
        events = [[] for _ in range(self.STAGES)]
        waits = [0.0] * self.STAGES

        def add(stage, category, name, begin, end, **args):
            shown = 1000.0 + skew_us[stage]
            events[stage].append({
                "ph": "X", "cat": category, "name": name, "pid": 500 + stage,
                "tid": 1, "ts": begin + shown, "dur": end - begin,
                "args": args})

        begin = 0.0
        for step in range(self.STEPS):
            free = [begin + 10 * (step % 3)] * self.STAGES
            for batch in range(self.BATCHES):
                sent = None
                for stage in range(self.STAGES):
                    if sent is not None:
                        # Who is there first waits for the other.
                        met = max(free[stage], sent)
                        pair = {"Src Rank": stage - 1, "Dst Rank": stage}
                        add(stage - 1, "user_annotation", "gloo:send", sent,
                            met + self.TRANSFER, **pair)
                        add(stage, "user_annotation", "gloo:recv", free[stage],
                            met + self.TRANSFER, **pair)
                        waits[stage - 1] += met - sent
                        waits[stage] += met - free[stage]
                        free[stage - 1] = met + self.TRANSFER
                        free[stage] = met + self.TRANSFER
                    work = 1500.0 if stage == self.SLOW else 1000.0
                    add(stage, "cpu_op", "aten::mm", free[stage],
                        free[stage] + work)
                    free[stage] += work
                    sent = free[stage]
            end = max(free) + 500
            for stage in range(self.STAGES):
                add(stage, "user_annotation", "gloo:all_reduce", free[stage],
                    end + (step * 31 + stage * 17) % 7,
                    **{"Input Dims": [[10]], "Input type": ["float"]})
                add(stage, "user_annotation", f"ProfilerStep#{step}", begin,
                    end + 50)
            begin = end + 100 + 13 * step
        for stage in range(self.STAGES):
            self.write(f"stage{stage}.json", {
                "schemaVersion": 1, "baseTimeNanoseconds": 1790857026000000000,
                "distributedInfo": {"backend": "gloo", "rank": stage,
                                    "world_size": self.STAGES},
                "traceEvents": events[stage]})
        return [wait / self.STEPS for wait in waits]

    def test_bubbles_and_load(self):
        waits = self.write_stages([0, 40000, -20000, 5000])
        for options in ((), ("--views", RANKS)):
            ranks = summary(self.folder, *options)["ranks"]
            for rank, wait in zip(ranks, waits):
                self.assertAlmostEqual(rank["bubble_ns"] / 1e3, wait,
                                       delta=100 + 0.05 * wait)
                self.assertGreater(rank["pipeline_ns"], rank["bubble_ns"])
            # The last stage starves while the first batch comes to it.
            self.assertGreater(ranks[3]["bubble_ns"], 3e6)
            loads = [rank["load"] for rank in ranks]
            for stage, load in enumerate(loads):
                self.assertAlmostEqual(
                    load, 1.5 / 1.125 if stage == self.SLOW else 1 / 1.125,
                    delta=0.01)

    def test_ranks_without_a_pipeline_have_no_bubbles(self):
        self.write_ranks()
        for rank in summary(self.folder, "--views", RANKS)["ranks"]:
            self.assertIsNone(rank["bubble_ns"])


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
