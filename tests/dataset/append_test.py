# SPDX-License-Identifier: Apache-2.0
"""A dataset grows: ranks added later, files given again, changed or bad.

usage: append_test.py STEPSCOPE TRACES PYARROW
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import dataset_support as support


class Append(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.traces = self.folder / "traces"
        self.traces.mkdir()
        self.dataset = self.folder / "dataset"

    def convert(self, *inputs, code=0, dataset=None):
        done = support.convert(dataset or self.dataset, *inputs)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def ranks(self, dataset=None):
        return {row["rank"]: row
                for row in support.table(dataset or self.dataset, "ranks")}

    def test_rank_by_rank_is_the_same_as_at_once(self):
        for rank in range(4):
            support.write_rank(self.traces, rank, skew_us=rank * 900.0)
        together = self.folder / "together"
        self.convert(self.traces, dataset=together)
        for rank in (2, 0, 3, 1):
            self.convert(self.traces / f"rank{rank}.json")
        self.assertEqual(support.everything(self.dataset),
                         support.everything(together))
        clocks = self.ranks()
        self.assertEqual({row["job"] for row in clocks.values()},
                         {"job-20261001-121706"})
        # Rank 3's clock shows 2.7 ms more than rank 0's.
        moved = clocks[3]["clock_offset_ns"] - clocks[0]["clock_offset_ns"]
        self.assertLess(abs(moved + 2_700_000), 50_000)
        self.assertEqual(clocks[3]["clock_method"], "collectives")
        self.assertEqual(support.hidden(self.dataset), support.SETTLED)

    def test_file_given_again_is_not_read_again(self):
        path = support.write_rank(self.traces, 0)
        self.convert(self.traces)
        before = support.everything(self.dataset)
        self.assertIn("1 file is in the dataset already",
                      self.convert(self.traces))
        copy = self.folder / "another name"
        shutil.copy(path, copy)
        self.assertIn("already", self.convert(copy))
        self.assertEqual(support.everything(self.dataset), before)

    def test_what_others_wrote_is_put_in_place_unread(self):
        """As tasks of a cluster do it, and their driver at the end."""
        paths = [support.write_rank(self.traces, rank) for rank in range(2)]
        together = self.folder / "together"
        self.convert(self.traces, dataset=together)
        for path in paths:
            done = support.run("convert", path, "-o", self.dataset, "--to",
                               "parquet", "--no-commit")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse((self.dataset / "ranks").exists())
        # Only who reads it again can see this. The time says: no need.
        first, before = paths[0].read_bytes(), paths[0].stat()
        paths[0].write_bytes(b" " * before.st_size)
        os.utime(paths[0], ns=(before.st_atime_ns, before.st_mtime_ns))
        # Of the other, the time says that it must be read.
        os.utime(paths[1])
        self.assertEqual(self.convert(self.traces), "")
        self.assertEqual(support.everything(self.dataset),
                         support.everything(together))
        self.assertEqual(support.hidden(self.dataset), support.SETTLED)
        # A file that has changed between is read, and the older one is gone.
        paths[0].write_bytes(first)
        again = self.folder / "again"
        support.run("convert", *paths, "-o", again, "--to", "parquet",
                    "--no-commit")
        support.write_rank(self.traces, 0, mark="aten::other")
        self.convert(self.traces, dataset=again)
        names = {row["name"] for row in support.table(again, "events")
                 if row["rank"] == 0}
        self.assertIn("aten::other", names)
        self.assertNotIn("aten::mm", names)
        self.assertEqual(support.hidden(again), support.SETTLED)

    def test_no_commit_is_of_datasets(self):
        path = support.write_rank(self.traces, 0)
        done = support.run("convert", path, "-o", self.folder / "x.sscap",
                           "--no-commit")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--to parquet", done.stderr)

    def test_changed_file_replaces_its_rows(self):
        support.write_rank(self.traces, 0)
        support.write_rank(self.traces, 1)
        self.convert(self.traces)
        support.write_rank(self.traces, 1, mark="aten::bmm", steps=9)
        self.assertIn("rank1.json: has changed", self.convert(self.traces))
        names = support.sums(support.table(self.dataset, "events"))
        self.assertIn("aten::bmm", names)
        fresh = self.folder / "fresh"
        self.convert(self.traces, dataset=fresh)
        self.assertEqual(support.everything(self.dataset),
                         support.everything(fresh))

    def test_two_files_of_one_rank_are_both_kept(self):
        support.write_rank(self.traces, 0)
        other = support.rank_trace(0, pid=900, mark="aten::bmm")
        (self.traces / "other.json").write_text(json.dumps(other))
        self.convert(self.traces)
        rows = support.table(self.dataset, "ranks")
        self.assertEqual(sorted(row["pid"] for row in rows), [500, 900])
        self.assertEqual({row["rank"] for row in rows}, {0})
        events = support.table(self.dataset, "events")
        self.assertEqual(len({row["source_id"] for row in events}), 2)

    def test_bad_file_is_named_and_the_rest_goes_on(self):
        support.write_rank(self.traces, 0)
        (self.traces / "broken.sscap").write_bytes(b"SSCAP\0\0\0" + b"x" * 99)
        (self.traces / "broken.json").write_text('{"traceEvents": [')
        (self.traces / "empty.json").write_text("")
        (self.traces / "notes.txt").write_text("nothing to see")
        errors = self.convert(self.traces)
        self.assertIn("broken", errors)
        self.assertNotIn("notes.txt", errors)
        self.assertEqual(len(self.ranks()), 1)
        # A file that the user names must be readable.
        errors = self.convert(self.traces / "notes.txt",
                              self.traces / "rank0.json", code=3)
        self.assertIn("notes.txt", errors)
        errors = self.convert(self.traces / "nowhere.json", code=3)
        self.assertIn("nowhere.json", errors)

    def test_jobs_of_a_folder_stay_apart(self):
        support.write_rank(self.traces, 0)
        support.write_rank(self.traces, 1)
        # Its collectives have another rhythm.
        support.write_rank(self.traces, 2, pid=77, begin_us=9e9,
                           period_us=13000.0)
        self.convert(self.traces)
        jobs = {rank: row["job"] for rank, row in self.ranks().items()}
        self.assertEqual(jobs[0], jobs[1])
        self.assertNotEqual(jobs[0], jobs[2])

    def test_clocks_hours_apart_are_one_job(self):
        """Told by the rhythm of collectives, also of a rank added later."""
        hours_us = 4 * 3600e6
        for rank in range(3):
            support.write_rank(self.traces, rank, ranks=3,
                               skew_us=hours_us * (rank == 1))
        together = self.folder / "together"
        note = self.convert(self.traces, dataset=together)
        self.assertIn("rank1.json: its clock differs", note)
        self.assertIn("by 4.0 hours", note)
        for rank in (2, 0, 1):
            note = self.convert(self.traces / f"rank{rank}.json")
        self.assertIn("by 4.0 hours", note)
        self.assertEqual(support.everything(self.dataset),
                         support.everything(together))
        clocks = self.ranks()
        self.assertEqual({row["job"] for row in clocks.values()},
                         {"job-20261001-121706"})
        moved = clocks[1]["clock_offset_ns"] - clocks[0]["clock_offset_ns"]
        self.assertLess(abs(moved + hours_us * 1000), 50_000)

    def test_worlds_of_different_sizes_are_two_jobs(self):
        """Also of one that is added later, at the same time."""
        support.write_rank(self.traces, 0, ranks=2)
        self.convert(self.traces)
        support.write_rank(self.traces, 1, ranks=3, period_us=13000.0)
        self.convert(self.traces)
        self.assertEqual(
            len({row["job"] for row in self.ranks().values()}), 2)

    def test_file_of_several_ranks_is_split(self):
        both = support.rank_trace(0)
        both["traceEvents"] += support.rank_trace(1)["traceEvents"]
        merged = self.folder / "merged.sscap"
        support.write_rank(self.traces, 0)
        support.write_rank(self.traces, 1)
        done = support.run("convert", self.traces, "-o", merged)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.convert(merged)
        self.assertEqual(sorted(self.ranks()), [0, 1])
        apart = self.folder / "apart"
        self.convert(self.traces, dataset=apart)
        for rank in (0, 1):
            found, expected = (
                support.sums(row for row in support.table(where, "events")
                             if row["rank"] == rank)
                for where in (self.dataset, apart))
            self.assertEqual(found, expected)

    def test_wrong_uses_are_refused_in_one_line(self):
        path = support.write_rank(self.traces, 0)
        for arguments, words in (
                (("convert", "-", "-o", self.dataset), "reads files only"),
                (("convert", path, "-o", "-"), "a dataset is a folder"),
                (("convert", path, "-o", self.traces), "is no dataset"),
                (("convert", path, "-o", path), "is a file")):
            done = support.run(*arguments, "--to", "parquet")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.dataset.mkdir()
        (self.dataset / "_stepscope_dataset.json").write_text(
            '{"format":"stepscope dataset","version":99}\n')
        self.assertIn("another version", self.convert(path, code=2))

    def test_absent_library_is_one_line(self):
        path = support.write_rank(self.traces, 0)
        environment = dict(os.environ, STEPSCOPE_DUCKDB="/nowhere/x.so")
        done = subprocess.run(
            [support.PROGRAM, "convert", path, "-o", self.dataset, "--to",
             "parquet"], capture_output=True, text=True, env=environment,
            check=False)
        self.assertEqual(done.returncode, 5)
        self.assertIn("/nowhere/x.so does not exist", done.stderr)
        self.assertIn("npm pack", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(self.dataset.exists())

    def test_full_disk_is_an_output_error(self):
        path = support.write_rank(self.traces, 0)
        done = support.convert("/proc/self/dataset", path)
        self.assertEqual(done.returncode, 4, done.stderr)


if __name__ == "__main__":
    support.need()
    unittest.main(argv=sys.argv[:1])
