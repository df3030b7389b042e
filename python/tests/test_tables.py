# SPDX-License-Identifier: Apache-2.0
"""Tables of a trace: for Arrow, pandas, polars, duckdb, and for people."""

import ctypes
import gc
import html.parser
import importlib.util
import os
import threading
import unittest
import xml.etree.ElementTree

import stepscope
import support
import trace_files


def need(name):
    return unittest.skipUnless(importlib.util.find_spec(name),
                               f"{name} is not installed")


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


class Stream(ctypes.Structure):
    """struct ArrowArrayStream."""
    _fields_ = [(name, ctypes.c_void_p) for name in
                ("get_schema", "get_next", "get_last_error", "release",
                 "private_data")]


def next_length(capsule):
    """Rows of the first batch, read by hand: needs no library."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    stream = Stream.from_address(pointer(capsule, b"arrow_array_stream"))
    get_next = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                                ctypes.c_void_p)(stream.get_next)
    array = (ctypes.c_int64 * 10)()  # 80 bytes: struct ArrowArray
    assert get_next(ctypes.addressof(stream), ctypes.addressof(array)) == 0
    length = array[0]
    release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(array[8])
    release(ctypes.addressof(array))
    return length


class TablesTest(support.InOwnFolder):
    def setUp(self):
        super().setUp()
        self.result = stepscope.load(trace_files.text().encode())

    def test_every_table(self):
        tables = self.result.tables
        self.assertIn("events", tables)
        self.assertGreater(len(tables), 20)
        for key in tables:
            table = self.result[key]
            rows = table.to_dicts()
            self.assertEqual(len(rows), len(table), key)
            names = [column.name for column in table.columns]
            for row in rows:
                self.assertEqual(list(row), names, key)
            for column in table.columns:
                self.assertTrue(column.meaning, (key, column.name))
            self.assertIsInstance(repr(table), str)
            self.assertIn("<table", table._repr_html_())
            self.assertEqual(next_length(table.__arrow_c_stream__()),
                             len(table))
        self.assertIn("operator", repr(tables))

    def test_attributes(self):
        result = self.result
        for table, key in ((result.operators, "operator"),
                           (result.kernels, "kernel"),
                           (result.events, "events"), (result.steps, "steps"),
                           (result.memory, "memory"),
                           (result.waterfall, "waterfall")):
            self.assertEqual(table.key, key)
            self.assertIs(table, result[key])  # computed once
        (operator,) = result.operators
        self.assertEqual(operator["name"], "aten::mm")
        self.assertEqual(operator["cpu_total_ns"], 12 * 50_000)
        self.assertEqual(operator["gpu_total_ns"], 12 * 30_000)
        units = {column.name: column.unit
                 for column in result.operators.columns}
        self.assertEqual(units["cpu_total_ns"], "ns")

    def test_events(self):
        rows = self.result.events.to_dicts()
        self.assertEqual(len(rows), 40)
        kernels = [row for row in rows if row["type"] == "Kernel"]
        self.assertEqual({(row["name"], row["stream"], row["device"],
                           row["kind"], row["tid"], row["dur_ns"])
                          for row in kernels},
                         {("gemm", 7, 0, "stream", None, 30_000)})
        (first,) = [row for row in rows if row["name"] == "ProfilerStep#0"]
        self.assertEqual((first["depth"], first["tid"], first["pid"],
                          first["stream"]), (0, 2, 1, None))
        self.assertEqual(first["self_ns"], 990_000 - 3 * 50_000)
        calls = [row for row in rows if row["name"] == "cudaLaunchKernel"]
        self.assertEqual({row["depth"] for row in calls}, {2})

    def test_stream_outlives_the_result(self):
        capsule = self.result.events.__arrow_c_stream__()
        self.result = None
        gc.collect()
        self.assertEqual(next_length(capsule), 40)

    def test_threads_read_at_once(self):
        keys = list(self.result.tables) * 2
        said = []

        def read(key):
            said.append((key, repr(self.result[key])))

        threads = [threading.Thread(target=read, args=(key,)) for key in keys]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(said), len(keys))
        self.assertEqual(len(set(said)), len(keys) // 2)

    def test_reading_again_and_again_does_not_leak(self):
        data = trace_files.text(steps=50).encode()

        def read(times):
            for _ in range(times):
                result = stepscope.load(data)
                result.events.__arrow_c_stream__()
                next_length(result.operators.__arrow_c_stream__())
            gc.collect()
            return resident_bytes()

        before = read(200)
        # A leak of one trace each time would be more than 100 KB x 1000.
        self.assertLess(read(1000) - before, 20 << 20)

    def test_names_are_text_in_html(self):
        result = stepscope.load(
            trace_files.text(name=trace_files.HOSTILE).encode())
        shown = [result.operators._repr_html_(), result.events._repr_html_(),
                 result.timeline()._repr_html_(), result._repr_html_()]
        for text in shown:
            tags = Tags(text)
            self.assertFalse(tags.tags & {"script", "img", "iframe", "a"})
            self.assertFalse([name for name in tags.attributes
                              if name.startswith("on")])
            self.assertNotIn("<script", text)
            self.assertRegex(
                text, "prefers-color-scheme|color-scheme:light dark")

    def test_timeline(self):
        whole = self.result.timeline()
        root = xml.etree.ElementTree.fromstring(whole.svg)
        titles = [node.text for node in root.iter(
            "{http://www.w3.org/2000/svg}title")]
        self.assertEqual(sum(title.startswith("gemm") for title in titles), 12)
        start = next(row["start_ns"] for row in self.result.events
                     if row["name"] == "ProfilerStep#2")
        part = self.result.timeline(start, start + 900_000)
        self.assertIn("ProfilerStep#2", part.svg)
        self.assertNotIn("ProfilerStep#3", part.svg)
        part.save("part.svg")
        self.assertTrue(os.path.getsize("part.svg"))
        with self.assertRaises(ValueError):
            self.result.timeline(5, 1)
        with self.assertRaises(ValueError):
            self.result.timeline(width=0)
        # However much there is, the drawing stays small.
        much = stepscope.load(trace_files.text(steps=3000).encode())
        self.assertLess(len(much.timeline().svg), 400_000)

    def test_what_is_missing_is_named(self):
        if importlib.util.find_spec("polars"):
            self.skipTest("polars is installed")
        with self.assertRaisesRegex(ImportError, "pip install polars"):
            self.result.events.to_polars()

    @need("pyarrow")
    def test_pyarrow_shares_the_memory(self):
        import pyarrow

        one = self.result.events.to_arrow()
        two = pyarrow.table(self.result.events)
        self.assertEqual(one.num_rows, 40)
        self.assertEqual(one["start_ns"].chunk(0).buffers()[1].address,
                         two["start_ns"].chunk(0).buffers()[1].address)
        one.validate(full=True)
        self.result = None
        gc.collect()
        self.assertEqual(two["name"].to_pylist().count("gemm"), 12)
        for key in ("operator", "memory", "overview"):
            stepscope.load(trace_files.text().encode())[key].to_arrow(
                ).validate(full=True)

    @need("pandas")
    def test_pandas(self):
        frame = self.result.events.to_pandas()
        self.assertEqual(frame.groupby("name", observed=True)["dur_ns"].sum()[
            "gemm"], 12 * 30_000)
        self.assertEqual(self.result.operators.to_pandas()["calls"][0], 12)

    @need("polars")
    def test_polars(self):
        frame = self.result.events.to_polars()
        self.assertEqual(frame.height, 40)
        self.assertEqual(self.result.operators.to_polars()["calls"][0], 12)

    @need("duckdb")
    def test_duckdb(self):
        import duckdb

        events = self.result.events  # found by its name in the query
        (row,) = duckdb.sql("select count(*), sum(dur_ns) from events "
                            "where name = 'gemm'").fetchall()
        self.assertEqual(row, (12, 12 * 30_000))
        self.assertEqual(len(events), 40)


if __name__ == "__main__":
    unittest.main()
