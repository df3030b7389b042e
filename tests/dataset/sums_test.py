# SPDX-License-Identifier: Apache-2.0
"""A dataset has the numbers of `stepscope summary`, to the nanosecond.

usage: sums_test.py STEPSCOPE TRACES PYARROW
"""

import collections
import json
import os
import pathlib
import sys
import tempfile
import unittest

import dataset_support as support

DEVICE_WORK = ("Kernel", "Memcpy", "Memset")


def is_work(event):
    return event["stream"] is not None and event["type"] in DEVICE_WORK


def kernels(events):
    rows = collections.defaultdict(lambda: [0, 0])
    for event in events:
        if event["type"] == "Kernel" and event["stream"] is not None:
            rows[event["name"]][0] += 1
            rows[event["name"]][1] += event["dur_ns"]
    return dict(rows)


def operators(events):
    rows = collections.defaultdict(lambda: [0] * 6)
    names = {event["event_id"]: event["name"] for event in events}
    for event in events:
        if event["type"] == "Operator" and event["tid"] is not None:
            row = rows[event["name"]]
            row[4] += event["self_ns"]
            if event["outermost"]:
                row[0] += 1
                row[2] += event["dur_ns"]
                row[3] += event["gpu_ns"]
            else:
                row[1] += 1
        if not is_work(event):
            continue
        owner = event["owner_id"]
        if owner is not None and owner == event["operator_id"]:
            rows[names[owner]][5] += event["dur_ns"]
        if event["launch_id"] is None:
            row = rows["(no launch)"]
            row[0] += 1
            row[3] += event["dur_ns"]
            row[5] += event["dur_ns"]
    return dict(rows)


class Sums(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dataset = cls.folder.name + "/dataset"
        done = support.convert(cls.dataset, support.TRACES)
        assert done.returncode == 0, done.stderr
        cls.ranks = support.table(cls.dataset, "ranks")
        cls.events = collections.defaultdict(list)
        for event in support.table(cls.dataset, "events"):
            cls.events[event["source_id"]].append(event)
        cls.summaries = {}
        for rank in cls.ranks:
            done = support.run("summary", rank["source"], "--format", "json",
                               "--top", "0")
            assert done.returncode == 0, done.stderr
            cls.summaries[rank["source_id"]] = json.loads(done.stdout)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def each(self):
        self.assertGreater(len(self.summaries), 5)
        for source, summary in self.summaries.items():
            file = summary["source"]["files"][0]
            with self.subTest(os.path.basename(file)):
                yield source, summary

    def test_kernels(self):
        for source, summary in self.each():
            expected = {row["name"]: [row["calls"], row["gpu"]["total_ns"]]
                        for row in summary["kernel"]}
            self.assertEqual(kernels(self.events[source]), expected)

    def test_operators(self):
        for source, summary in self.each():
            expected = {row["name"]: [row["calls"], row["nested_calls"],
                                      row["cpu"]["total_ns"],
                                      row["gpu"]["total_ns"],
                                      row["self_cpu_ns"], row["self_gpu_ns"]]
                        for row in summary["operator"]}
            self.assertEqual(operators(self.events[source]), expected)

    def test_steps(self):
        steps = collections.defaultdict(list)
        for row in support.table(self.dataset, "steps"):
            steps[row["source_id"]].append(row)
        for source, summary in self.each():
            found = sorted((row["step"], row["start_ns"], row["dur_ns"])
                           for row in steps[source])
            expected = sorted((row["index"], row["start_ns"], row["dur_ns"])
                              for row in summary["steps"])
            self.assertEqual(found, expected)

    def test_ledger_and_events_are_all_there(self):
        ledger = collections.defaultdict(collections.Counter)
        for row in support.table(self.dataset, "ledger"):
            ledger[row["source_id"]][row["outcome"]] += row["records"]
        counted = collections.Counter()
        for rank in self.ranks:
            counted[rank["source_id"]] += rank["events"]
        for source, summary in self.each():
            self.assertEqual(len(self.events[source]), counted[source])
            self.assertEqual(sum(ledger[source].values()),
                             summary["ledger"]["seen"])
            self.assertEqual(ledger[source]["kept"],
                             summary["ledger"]["kept"])

    def test_keys_point_at_rows(self):
        for source, _ in self.each():
            ids = {event["event_id"] for event in self.events[source]}
            self.assertEqual(len(ids), len(self.events[source]))
            for key in ("parent_id", "launch_id", "owner_id", "operator_id"):
                named = {event[key] for event in self.events[source]}
                self.assertLessEqual(named - {None}, ids)

    def test_types_are_those_that_every_engine_reads(self):
        import pyarrow.parquet
        known = {"int64", "int32", "double", "bool", "string"}
        for name in support.TABLES:
            for path in pathlib.Path(self.dataset, name).rglob("*.parquet"):
                file = pyarrow.parquet.ParquetFile(path)
                types = {str(field.type) for field in file.schema_arrow}
                self.assertLessEqual(types, known, path)
                self.assertEqual(
                    file.metadata.metadata[b"stepscope_dataset"], b"2")

    def test_ranks_have_the_clocks_of_the_summary(self):
        pair = [rank for rank in self.ranks
                if "torch_ddp_gloo" in rank["source"]]
        self.assertEqual([rank["rank"] for rank in pair], [0, 1])
        self.assertEqual(len({rank["job"] for rank in pair}), 1)
        done = support.run("summary", *(rank["source"] for rank in pair[:1]))
        self.assertEqual(done.returncode, 0)
        self.assertEqual([rank["clock_method"] for rank in pair],
                         ["reference", "collectives"])
        # Both state UTC; collectives move the second by some microseconds.
        moved = pair[1]["clock_offset_ns"] - pair[1]["epoch_ns"]
        self.assertNotEqual(moved, 0)
        self.assertLess(abs(moved), 1_000_000)


if __name__ == "__main__":
    support.need()
    if not os.path.isdir(support.TRACES):
        print("skipped: no folder of real traces")
        sys.exit(support.SKIPPED)
    unittest.main(argv=sys.argv[:1])
