#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The flight recorder and `stepscope trigger` on a real training of two
processes over gloo. Skipped where no Python has torch with gloo.

Nothing here depends on how fast the machine is: a stalled machine may make a
step slow or seem to hang, and so save more windows than the tests ask for.

usage: flight_test.py STEPSCOPE [--gpu]
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

import support
from support import RunTestCase
from torch_test import python_with_torch

SCRIPT = pathlib.Path(__file__).resolve().parent / "flight_training.py"
SKIPPED = 77
PYTHON = ""
GPU = []  # --gpu: the ranks train on the GPU, and meet by gloo all the same
LIMIT_S = 600  # only a defect takes so long
HAS_GLOO = ("import torch.distributed as d; "
            "raise SystemExit(not (d.is_available() and d.is_gloo_available()))")


class FlightTestCase(RunTestCase):

    def setUp(self):
        super().setUp()
        self.job = self.folder / "job"
        self.job.mkdir()
        self.ranks = []
        self.addCleanup(self.end_all)

    def end_all(self):
        (self.job / "stop").touch()
        for process in self.ranks:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            process.stdout.close()

    def start(self, *flags, world=2, together=True):
        """Each rank under a `stepscope run` of its own, as a launcher does
        it. Not `together`: as many jobs of one rank, which never wait."""
        for rank in range(world):
            env = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(world))
            place = self.job if together else self.job / f"alone_{rank}"
            place.mkdir(exist_ok=True)
            where = (str(rank), str(world)) if together else ("0", "1")
            self.ranks.append(subprocess.Popen(
                [support.STEPSCOPE, "run", "--out", str(self.out), *flags,
                 "--", PYTHON, str(SCRIPT), str(place), *where, "0",
                 *GPU],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=env, cwd=self.folder, start_new_session=True))

    def wait_for(self, what, check):
        limit = time.monotonic() + LIMIT_S
        while True:
            found = check()
            if found:
                return found
            self.assertLess(time.monotonic(), limit, f"waiting for {what}")
            for process in self.ranks:
                self.assertIn(process.poll(), (None, 0, -signal.SIGKILL),
                              f"a rank ended while waiting for {what}")
            time.sleep(0.05)

    def processes(self):
        """The job's control files: {rank: {key: value}}."""
        found = {}
        for path in (self.out / "control").glob("*.process"):
            try:
                lines = path.read_text(encoding="utf-8").splitlines()
            except FileNotFoundError:
                continue
            values = dict(line.partition(" ")[::2] for line in lines)
            found[values.get("rank", "")] = values
        return found

    def wait_for_steps(self, least, world=2):
        self.wait_for(f"step {least}", lambda: sum(
            int(values.get("step", -1)) >= least
            for values in self.processes().values()) == world)

    def windows(self, kind):
        return sorted(self.out.glob(f"window_*_{kind}*"))

    def saved(self, kind, count=2):
        """The first window of that kind that `count` processes saved."""
        for window in self.windows(kind):
            if len(list(window.glob("*.sscap"))) == count:
                return window
        return None

    def trigger(self, *flags):
        return subprocess.run(
            [support.STEPSCOPE, "trigger", "--job", str(self.out), *flags],
            capture_output=True, text=True, timeout=LIMIT_S, check=False)

    def finish(self):
        (self.job / "stop").touch()
        return [process.communicate(timeout=LIMIT_S)[0]
                for process in self.ranks]

    def steps_of(self, folder):
        """{pid: steps} of the windows in a folder; and the other events."""
        steps, others = {}, []
        for event in self.events(folder):
            if event["ph"] != "X":
                continue
            step = re.fullmatch(r"ProfileStep#(\d+)", event["name"])
            if step:
                steps.setdefault(event["pid"], set()).add(int(step[1]))
            else:
                others.append(event["name"])
        return steps, others


class Trigger(FlightTestCase):

    def check_recorded(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = re.search(r"recorded steps (\d+) to (\d+) of 2 processes in "
                         r"(\S+)", done.stdout)
        self.assertTrue(said, done.stdout)
        first, last = int(said[1]), int(said[2])
        self.assertEqual(last - first, 4)
        steps, others = self.steps_of(said[3])
        self.assertEqual(list(steps.values()),
                         [set(range(first, last + 1))] * 2)
        # In these steps operators are recorded, and they are everywhere.
        self.assertIn("aten::addmm", others)
        self.assertIn("gloo:all_reduce", others)
        if GPU:
            tables = json.loads(subprocess.run(
                [support.STEPSCOPE, "summary", "--views", "kernel", "--format",
                 "json", said[3]], check=True, capture_output=True, text=True,
                timeout=LIMIT_S).stdout)
            self.assertTrue(tables["kernel"])
        # Beside a GPU: what was launched between the last step and the stop is
        # no part of the window, and counted.
        self.assertLessEqual(set(self.info(said[3])["ledger"]["rejected"]),
                             {"device work launched after the stop"})

    def test_all_ranks_record_the_same_steps(self):
        self.start("--always", "--no-hang", "--no-slow")
        self.wait_for_steps(20)
        self.check_recorded(self.trigger("--steps", "5"))
        self.check_recorded(self.trigger("--steps", "5"))
        said = self.finish()
        self.assertIn("trigger_step_", said[0] + said[1])
        # Outside of the asked-for steps there are no operators.
        _, others = self.steps_of(self.captures()[0])
        self.assertIn("gloo:all_reduce", others)
        self.assertFalse((self.out / "control").exists())

    def test_a_budget_records_operators_in_some_steps(self):
        self.start("--always", "--no-hang", "--no-slow", "--budget", "20",
                   "--keep-steps", "2000", world=1)
        self.wait_for_steps(160, world=1)
        self.finish()
        [capture] = self.captures()
        events = sorted((event for event in self.events(capture)
                         if event["ph"] != "M"), key=lambda event: event["ts"])
        in_full, full_now = {}, None  # by step
        full_steps = []
        for event in events:
            if event["ph"] == "C" and event["name"] == "recorded in full":
                [full_now] = event["args"].values()
            step = re.fullmatch(r"ProfileStep#(\d+)", event["name"])
            if step and event["ph"] == "X":
                in_full[int(step[1])] = bool(full_now)
                if full_now:
                    full_steps.append((event["ts"], event["ts"] + event["dur"]))
        self.assertEqual(set(in_full), set(range(len(in_full))))
        self.assertFalse(any(in_full[step] for step in range(13)))
        self.assertIn(True, in_full.values())
        operators = [event["ts"] for event in events
                     if event["name"].startswith("aten::addmm")]
        for at in operators:
            self.assertTrue(any(begin <= at <= end
                                for begin, end in full_steps), at)
        self.assertGreaterEqual(len(operators), 2 * len(full_steps) - 2)
        budget = self.info(capture)["budget"]
        self.assertGreater(budget["full_share_ratio"], 0)
        summary = json.loads(subprocess.run(
            [support.STEPSCOPE, "summary", "--format", "json", "--views",
             "step_time", "--steps", "settled", str(capture)], check=True,
            capture_output=True, text=True, timeout=LIMIT_S).stdout)
        self.assertLessEqual(summary["step_time"]["steps"],
                             sum(in_full.values()))
        self.assertIn("their operators were not recorded (--budget)",
                      "".join(summary["notes"]))

    def test_a_budget_needs_always(self):
        for flags in (["--budget", "2"], ["--always", "--budget", "200"],
                      ["--always", "--budget", "-1"]):
            done = subprocess.run(
                [support.STEPSCOPE, "run", *flags, "--", "true"],
                capture_output=True, text=True, timeout=LIMIT_S, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--budget", done.stderr)

    def test_on_demand_records_nothing_else(self):
        self.start("--on-demand")
        self.wait_for_steps(20)
        self.assertEqual(self.captures(), [])
        self.assertEqual(list(self.out.glob("*.live")), [])
        self.check_recorded(self.trigger("--steps", "5"))
        self.finish()
        self.assertEqual(self.captures(), [])

    def test_a_dead_rank_is_named_and_the_others_go_on(self):
        self.start("--always", "--no-hang", "--no-slow", together=False)
        self.wait_for_steps(20)
        dead = int(self.processes()["1"]["pid"])
        os.kill(dead, signal.SIGKILL)
        self.ranks[1].wait(timeout=LIMIT_S)
        done = self.trigger("--steps", "3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"rank 1 (process {dead}) is dead", done.stderr)
        self.assertIn("of 1 process in", done.stdout)
        # Its last steps are on the disk all the same.
        mine = [path for path in self.captures() if f"_{dead}_" in path.name]
        steps, _ = self.steps_of(mine[0])
        self.assertGreaterEqual(len(steps[dead]), 20)
        self.assertNotIn("budget", self.info(mine[0]))

    def test_two_triggers_at_once(self):
        self.start("--always", "--no-hang", "--no-slow")
        self.wait_for_steps(20)
        first = subprocess.Popen(
            [support.STEPSCOPE, "trigger", "--job", str(self.out), "--steps",
             "5", "--margin", "5"], stdout=subprocess.PIPE, text=True)
        self.wait_for("the first request", lambda: any(
            values.get("request") not in (None, "0")
            for values in self.processes().values()))
        second = self.trigger("--steps", "5")
        self.assertEqual(second.returncode, 1, second.stdout + second.stderr)
        self.assertIn(f"another trigger is at work for this job: process "
                      f"{first.pid}", second.stderr)
        said, _ = first.communicate(timeout=LIMIT_S)
        self.assertEqual(first.returncode, 0, said)

    def test_a_job_that_is_over(self):
        self.start("--always", "--no-hang", "--no-slow", world=1)
        self.wait_for_steps(2, world=1)
        self.finish()
        done = self.trigger()
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("no job runs here", done.stderr)
        # As if its machine had gone down.
        control = self.out / "control"
        control.mkdir()
        (control / "h_1.process").write_text(
            "stepscope process 1\nbeat_ns 1\nhost elsewhere\npid 1\n"
            "pid_start 1\nrank 0\nstep 7\nend\n", encoding="utf-8")
        done = self.trigger()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no process of the job is alive", done.stderr)

    def test_without_steps_by_time(self):
        script = ("import pathlib, time\n"
                  f"while not pathlib.Path({str(self.job / 'stop')!r})"
                  ".exists(): time.sleep(0.01)\n")
        self.ranks.append(subprocess.Popen(
            [support.STEPSCOPE, "run", "--always", "--out", str(self.out),
             "--", sys.executable, "-c", script], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, cwd=self.folder,
            start_new_session=True))
        self.wait_for("the process", self.processes)
        done = self.trigger("--seconds", "0.5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("no process has shown a step", done.stderr)
        self.assertEqual(len(list(self.windows("trigger")[0].iterdir())), 1)


class Saves(FlightTestCase):

    def test_a_rank_that_does_not_come_is_named(self):
        self.start("--always", "--no-slow", "--hang-after", "2")
        self.wait_for_steps(20)
        before = set(self.windows("hang"))
        (self.job / "hang_1").touch()

        def named():
            for window in set(self.windows("hang")) - before:
                if len(list(window.glob("*.sscap"))) < 2:
                    continue
                text = self.info_text(window)
                # On a stalled machine a window may be older than the hang.
                if "before the collective for" in text:
                    return window, text
            return None

        window, text = self.wait_for("the hang", named)
        self.assertRegex(
            text, r"hang +rank 1 has not arrived: it is in ProfileStep#\d+ > "
                  r"before the collective for \d+\.\d s")
        self.assertRegex(text, r"hang +rank 0 waits in gloo:all_reduce for")
        self.assertIn("has not ended", text)  # the reason, in a note
        ranks = {rank["rank"]: rank
                 for rank in self.info(window)["hang"]["ranks"]}
        self.assertEqual(ranks[0]["waits_in"], "gloo:all_reduce")
        self.assertIsNone(ranks[1]["waits_in"])
        self.assertEqual(ranks[1]["open"][-1]["name"], "before the collective")
        advice = json.loads(subprocess.run(
            [support.STEPSCOPE, "advise", "--format", "json", str(window)],
            check=True, capture_output=True, text=True,
            timeout=LIMIT_S).stdout)
        first = advice["advice"][0]
        self.assertEqual(first["id"], "hang")
        self.assertIn("rank 1 has not arrived", first["finding"])
        # It goes on, and so does the job.
        step = int(self.processes()["0"]["step"])
        (self.job / "hang_1").unlink()
        self.wait_for_steps(step + 5)
        said = self.finish()
        self.assertIn("hang_step_", said[0] + said[1])

    def test_a_slow_step_is_saved_by_all(self):
        self.start("--always", "--no-hang", "--slow", "5")
        self.wait_for_steps(40)
        saved = self.saved("slow")
        while saved is None:
            # Longer than five medians, however long these are.
            median = int(self.processes()["1"]["step_ns"])
            (self.job / "slow_1").touch()
            time.sleep(10 * median / 1e9)
            (self.job / "slow_1").unlink()
            step = int(self.processes()["1"]["step"])
            self.wait_for_steps(step + 2)
            saved = self.saved("slow")
        number = int(re.search(r"slow_step_(\d+)", saved.name)[1])
        steps, _ = self.steps_of(saved)
        self.assertEqual(len(steps), 2)
        self.assertTrue(any(number in mine for mine in steps.values()))
        self.assertIn("slow step: step", self.info_text(saved))

    def test_a_killed_rank_leaves_its_last_steps(self):
        self.start("--always", "--no-hang", "--no-slow", together=False)
        self.wait_for_steps(60)
        (self.job / "alone_1" / "die_0").touch()
        said = self.ranks[1].communicate(timeout=LIMIT_S)[0]
        self.assertIn("was killed by SIGKILL", said)
        pid = int(re.search(r"note: process (\d+)", said)[1])
        mine = [path for path in self.captures() if f"_{pid}_" in path.name]
        steps, others = self.steps_of(mine[0])
        last = max(steps[pid])
        self.assertGreaterEqual(steps[pid], set(range(last - 19, last + 1)))
        self.assertIn("before the collective", others)


def main():
    global PYTHON
    support.STEPSCOPE = sys.argv.pop(1)
    if "--gpu" in sys.argv:
        sys.argv.remove("--gpu")
        GPU.append("--gpu")
    PYTHON = python_with_torch()
    if PYTHON is None or subprocess.run([PYTHON, "-c", HAS_GLOO],
                                        check=False).returncode != 0:
        print("skipped: no Python with torch and gloo")
        return SKIPPED
    result = unittest.main(exit=False, verbosity=2).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
