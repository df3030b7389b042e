# SPDX-License-Identifier: Apache-2.0
"""Writers of a dataset that are killed, or that work at the same time.

usage: faults_test.py STEPSCOPE TRACES PYARROW
"""

import fcntl
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import dataset_support as support

RANKS = 5


class Faults(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.traces = self.folder / "traces"
        self.traces.mkdir()
        for rank in range(RANKS):
            support.write_rank(self.traces, rank, skew_us=rank * 300.0)
        self.dataset = self.folder / "dataset"
        whole = self.folder / "whole"
        self.convert(whole)
        self.expected = support.everything(whole)

    def convert(self, dataset):
        done = support.convert(dataset, self.traces)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def start(self, *inputs):
        writer = subprocess.Popen(
            [support.PROGRAM, "convert", *map(str, inputs), "-o",
             str(self.dataset), "--to", "parquet"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        return writer

    def written(self):
        """Sources that are written and wait for the commit."""
        staging = self.dataset / "_staging"
        if not staging.is_dir():
            return []
        return sorted(path.name for path in staging.iterdir()
                      if len(path.name) == 16)

    def kill_before_commit(self):
        """All sources are written, none of them counts."""
        # The writer waits for the bytes of a pipe that nobody fills.
        pipe = self.folder / "pipe"
        if not pipe.exists():
            os.mkfifo(pipe)
        writer = self.start(*sorted(self.traces.iterdir()), pipe)
        while len(self.written()) < RANKS:
            self.assertIsNone(writer.poll(), "the writer has ended")
            time.sleep(0.01)
        writer.send_signal(signal.SIGKILL)
        writer.wait()

    def check(self, dataset):
        self.assertEqual(support.everything(dataset), self.expected)
        self.assertEqual(support.hidden(dataset), support.SETTLED)

    def test_killed_before_the_commit(self):
        self.kill_before_commit()
        self.assertFalse((self.dataset / "ranks").exists())
        self.assertFalse((self.dataset / "events").exists())
        # What was written is used: its source need not be there any more.
        hashes = self.written()
        times = {name: (self.dataset / "_staging" / name).stat().st_ino
                 for name in hashes}
        self.assertEqual(len(times), RANKS)
        self.convert(self.dataset)
        self.check(self.dataset)

    def test_killed_at_any_move_of_the_commit(self):
        self.kill_before_commit()
        job = support.table(self.folder / "whole", "ranks")[0]["job"]
        moves = []
        for name in self.written():
            for path in sorted((self.dataset / "_staging" / name).rglob(
                    "*.parquet")):
                parts = list(path.relative_to(
                    self.dataset / "_staging" / name).parts)
                if parts[0] != "ranks":
                    parts[1] = "job=" + job
                    moves.append((path.relative_to(self.dataset),
                                  pathlib.Path(*parts)))
        self.assertEqual(len(moves), RANKS * (len(support.TABLES) - 1))
        for count in (1, 7, 9, 10, 23, len(moves)):
            with self.subTest(moves=count):
                stopped = self.folder / f"stopped{count}"
                shutil.copytree(self.dataset, stopped)
                for name in self.written():
                    (stopped / "_staging" / name / "job").write_text(job)
                for source, target in moves[:count]:
                    (stopped / target).parent.mkdir(parents=True,
                                                    exist_ok=True)
                    (stopped / source).rename(stopped / target)
                self.convert(stopped)
                self.check(stopped)

    def test_killed_before_its_last_cleaning(self):
        self.kill_before_commit()
        staging = self.dataset / "_staging"
        left = self.folder / "left"
        shutil.copytree(staging, left)
        self.convert(self.dataset)
        for known_by in left.glob("*/source"):
            known_by.unlink()  # which may be the first file that goes
        shutil.copytree(left, staging)
        self.convert(self.dataset)
        self.check(self.dataset)

    def test_killed_at_any_time(self):
        """Whenever the kill comes, the next run makes it whole."""
        dice = random.Random(1)
        for _ in range(12):
            writer = self.start(self.traces)
            time.sleep(dice.uniform(0, 0.3))
            writer.kill()
            writer.wait()
            if not (self.dataset / "ranks").exists():
                continue
            # What counts is whole, and nothing counts twice.
            ranks = support.table(self.dataset, "ranks")
            events = support.table(self.dataset, "events")
            for rank in ranks:
                found = sum(1 for row in events
                            if row["source_id"] == rank["source_id"])
                self.assertEqual(found, rank["events"])
        self.convert(self.dataset)
        self.check(self.dataset)

    def test_killed_half_written_source_is_thrown_away(self):
        half = self.dataset / "_staging" / "0123456789abcdef.1.0"
        half.mkdir(parents=True)
        (half / "junk").write_text("x")
        (self.dataset / "_stepscope_dataset.json").write_text(
            '{"format":"stepscope dataset","version":2}\n')
        self.convert(self.dataset)
        self.check(self.dataset)

    def test_half_written_source_of_a_living_writer_is_left_alone(self):
        half = self.dataset / "_staging" / "0123456789abcdef.1.0"
        half.mkdir(parents=True)
        (self.dataset / "_stepscope_dataset.json").write_text(
            '{"format":"stepscope dataset","version":2}\n')
        with open(half / "_lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.convert(self.dataset)
            self.assertTrue(half.is_dir())
        self.assertEqual(support.everything(self.dataset), self.expected)

    def test_rows_without_a_commit_are_thrown_away(self):
        self.convert(self.dataset)
        part = next((self.dataset / "ranks").rglob("*.parquet"))
        part.unlink()
        (self.traces / "rank0.json").touch()
        self.convert(self.dataset)
        self.check(self.dataset)

    def test_several_writers_at_once(self):
        for overlap in (self.traces, self.traces):
            writers = [self.start(overlap) for _ in range(3)]
            for writer in writers:
                self.assertEqual(writer.wait(), 0)
            self.check(self.dataset)

    def test_writers_of_different_ranks_at_once(self):
        writers = [self.start(path) for path in sorted(self.traces.iterdir())]
        for writer in writers:
            self.assertEqual(writer.wait(), 0)
        self.check(self.dataset)


if __name__ == "__main__":
    support.need()
    unittest.main(argv=sys.argv[:1])
