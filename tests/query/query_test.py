#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stepscope query, as a user runs it.

usage: query_test.py STEPSCOPE SHARED_TRACES [TEST...]
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

STEPSCOPE = os.path.abspath(sys.argv[1])
TRACES = os.path.abspath(sys.argv[2])
SKIPPED = 77
PYARROW = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../../.cache/pyarrow")
DDP = ["torch_ddp_gloo_rank0.json.gz", "torch_ddp_gloo_rank1.json.gz"]
REAL = ["torch_cnn.json.gz", "torch_resnet50_amp.json.gz",
        "torch_cuda_graph.json.gz", "kineto_2021_resnet50.pt.trace.json.gz",
        "hta_nccl.json.gz", "jax.xplane.pb", "tf_gpu_worker.xplane.pb", DDP[0]]


def run(*arguments, **keywords):
    return subprocess.run([STEPSCOPE, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **keywords)


def rows(source, *arguments):
    done = run("query", source, *arguments, "--format", "json")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def trace(name):
    return os.path.join(TRACES, name)


class Dataset(unittest.TestCase):
    """Queries over one dataset of a real trace."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dataset = os.path.join(cls.folder.name, "dataset")
        done = run("convert", trace("torch_cnn.json.gz"), "-o", cls.dataset,
                   "--to", "parquet")
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def refused(self, sql, says=None):
        done = run("query", self.dataset, sql)
        self.assertEqual(done.returncode, 2, sql + "\n" + done.stdout)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        if says:
            self.assertIn(says, done.stderr)

    def test_wrong_sql_is_duckdbs_message(self):
        self.refused("SELEC 1", "syntax error")
        self.refused("SELECT nothing FROM kernels", "nothing")
        self.refused("SELECT * FROM no_such_table", "no_such_table")
        self.refused("SELECT 1; SELECT 2", "one statement")
        self.refused(";", "found nothing")

    def test_nothing_outside_is_read_or_written(self):
        secret = os.path.join(self.folder.name, "secret.csv")
        with open(secret, "w") as file:
            file.write("secret\n42\n")
        out = os.path.join(self.folder.name, "out")
        link = os.path.join(self.dataset, "..", "secret.csv")
        for sql in [
                f"SELECT * FROM read_csv('{secret}')",
                f"SELECT * FROM read_csv('{link}')",
                f"SELECT * FROM read_text('{secret}')",
                f"SELECT * FROM read_blob('{secret}')",
                f"SELECT * FROM read_parquet('{secret}')",
                f"SELECT * FROM read_json('{secret}')",
                f"SELECT * FROM '{secret}'",
                f"SELECT * FROM glob('{self.folder.name}/*')",
                f"COPY events TO '{out}'",
                f"COPY (SELECT 1) TO '{out}' (FORMAT csv)",
                f"EXPORT DATABASE '{out}'",
                f"IMPORT DATABASE '{out}'",
                f"ATTACH '{out}' AS other",
                f"ATTACH '{self.dataset}/other.db' AS other",
                f"COPY events TO '{self.dataset}/out.parquet'",
                "INSTALL httpfs", "LOAD httpfs", "LOAD json_x",
                "SET enable_external_access = true",
                "SET lock_configuration = false",
                "PRAGMA enable_external_access = true",
                "RESET enable_external_access",
                "SET allowed_directories = ['/']",
                "SET temp_directory = '/tmp/elsewhere'",
                "CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT 1",
                "DROP VIEW kernels", "DELETE FROM events",
                "INSERT INTO events SELECT * FROM events",
                "UPDATE events SET name = ''",
                "CREATE SECRET (TYPE s3, KEY_ID 'a', SECRET 'b')",
                "CALL pragma_version(); SELECT 1",
                f"EXPLAIN ANALYZE COPY events TO '{out}'",
        ]:
            with self.subTest(sql):
                self.refused(sql)
        self.assertFalse(os.path.exists(out))
        self.assertFalse(os.path.exists(self.dataset + "/out.parquet"))

    def test_json_keeps_whole_numbers(self):
        sql = ("SELECT sum(dur_ns) * 1000000000000 AS big, "
               "CAST(18446744073709551615 AS UBIGINT) AS u, -1 AS minus, "
               "CAST('nan' AS DOUBLE) AS nan, CAST('inf' AS DOUBLE) AS inf, "
               "NULL AS nothing, true AS yes, 0.1 AS tenth, "
               "CAST(7 AS DECIMAL(38, 0)) AS seven, [1, 2] AS list, "
               "DATE '2026-01-02' AS day, '\"\\\n' AS quotes FROM events")
        row, = rows(self.dataset, sql)
        total, = rows(self.dataset, "SELECT sum(dur_ns) AS n FROM events")
        self.assertEqual(row["big"], total["n"] * 10**12)
        self.assertGreater(row["big"], 2**63)
        self.assertEqual(row["u"], 2**64 - 1)
        self.assertEqual(row["minus"], -1)
        self.assertEqual([row["nan"], row["inf"], row["nothing"]], [None] * 3)
        self.assertIs(row["yes"], True)
        self.assertEqual(row["tenth"], 0.1)
        self.assertEqual(row["seven"], 7)
        self.assertIsInstance(row["seven"], int)
        self.assertEqual([row["list"], row["day"], row["quotes"]],
                         ["[1, 2]", "2026-01-02", '"\\\n'])

    def test_order_is_kept_where_columns_are_cast(self):
        got = rows(self.dataset, "SELECT range AS n, [range] AS l FROM "
                   "range(5000) ORDER BY hash(range)")
        want = rows(self.dataset,
                    "SELECT range AS n FROM range(5000) ORDER BY hash(range)")
        self.assertEqual([r["n"] for r in got], [r["n"] for r in want])

    def test_formats_hold_the_same_rows(self):
        sql = "SELECT name, count(*) AS n FROM kernels GROUP BY 1 ORDER BY 1"
        want = rows(self.dataset, sql)
        csv = run("query", self.dataset, sql, "--format", "csv").stdout
        self.assertEqual(csv.splitlines()[0], "name,n")
        self.assertEqual(len(csv.splitlines()), len(want) + 1)
        # What a spreadsheet would run; numbers stay numbers.
        csv = run("query", self.dataset, "SELECT '=1+1' AS a, -1 AS b",
                  "--format", "csv").stdout
        self.assertEqual(csv, "a,b\n'=1+1,-1\n")
        out = os.path.join(self.folder.name, "rows.parquet")
        done = run("query", self.dataset, sql, "--format", "parquet", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, "rb") as file:
            self.assertEqual(file.read(4), b"PAR1")
        self.assertEqual([name for name in os.listdir(self.folder.name)
                          if name.endswith(".tmp")], [])
        table = run("query", self.dataset, sql).stdout.splitlines()
        self.assertEqual(len(table), len(want) + 2)

    def read_arrow(self, sql, *arguments):
        """The types and rows that pyarrow reads from what we write."""
        if not os.path.isdir(PYARROW):
            self.skipTest("no pyarrow; tools/bootstrap test fetches it")
        out = os.path.join(self.folder.name, "rows.arrows")
        done = run("query", self.dataset, sql, "--format", "arrow", "-o", out,
                   *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Apart: pyarrow brings a numpy of its own.
        ask = ("import sys; sys.path.insert(0, sys.argv[1]); import pyarrow, "
               "json; t = pyarrow.ipc.open_stream(sys.argv[2]).read_all(); "
               "t.validate(full=True); print(json.dumps([[str(x) for x in "
               "t.schema.types], t.to_pylist()], default=int))")
        read = subprocess.run([sys.executable, "-c", ask, PYARROW, out],
                              stdout=subprocess.PIPE, check=True)
        return json.loads(read.stdout)

    def test_arrow_holds_the_same_rows(self):
        # Every type, with and without NULLs, in more than one batch.
        sql = """
            SELECT n, n::INTEGER AS i, (n % 7)::TINYINT AS t,
              CASE WHEN n % 3 > 0 THEN n * 0.5::DOUBLE END AS d,
              CASE WHEN n % 5 > 0 THEN n % 2 = 0 END AS b, n % 2 = 0 AS bb,
              CASE WHEN n % 11 > 0 THEN repeat('äx', (n % 9)::INTEGER) END AS s,
              (n + 9223372036854775808)::UBIGINT AS u,
              CASE WHEN n % 13 > 0 THEN
                n::HUGEINT * -99999999999999999999999999999 END AS h,
              NULL::VARCHAR AS nothing, n % 4 AS "a ""b"" c"
            FROM (SELECT range AS n FROM range(70001)) ORDER BY n"""
        types, got = self.read_arrow(sql)
        self.assertEqual(types, ["int64", "int32", "int32", "double", "bool",
                                 "bool", "string", "uint64",
                                 "decimal128(38, 0)", "string", "int64"])
        self.assertEqual(got, rows(self.dataset, sql))
        for more in ("SELECT * FROM operators", "SELECT * FROM ranks",
                     "SELECT name, sum(dur_ns) FROM kernels GROUP BY 1 "
                     "ORDER BY 1", "SELECT 1 AS x WHERE false"):
            self.assertEqual(self.read_arrow(more)[1],
                             rows(self.dataset, more))
        self.assertEqual(len(self.read_arrow(sql, "--limit", "65537")[1]),
                         65537)
        wide = run("query", self.dataset,
                   "SELECT ('1' || repeat('0', 38))::HUGEINT AS x", "--format",
                   "arrow", "-o", os.path.join(self.folder.name, "wide.arrows"))
        self.assertEqual(wide.returncode, 2)
        self.assertIn("38 digits", wide.stderr)
        self.assertFalse(
            os.path.exists(os.path.join(self.folder.name, "wide.arrows")))

    def test_a_long_table_says_that_it_is_cut(self):
        done = run("query", self.dataset, "SELECT * FROM range(2000)")
        self.assertIn("More rows than 1000; --limit 0 prints all.",
                      done.stdout)
        done = run("query", self.dataset, "SELECT * FROM range(2000)",
                   "--limit", "0")
        self.assertEqual(len(done.stdout.splitlines()), 2002)

    def test_more_than_memory_goes_to_disk(self):
        sql = ("SELECT count(*) AS n FROM (SELECT DISTINCT range, "
               "md5(CAST(range AS VARCHAR)) FROM range(3000000))")
        row, = rows(self.dataset, sql, "--memory", "200MB")
        self.assertEqual(row["n"], 3000000)
        done = run("query", self.dataset, "SELECT 1", "--memory", "much")
        self.assertEqual(done.returncode, 2)

    def test_sql_from_a_file_and_from_a_pipe(self):
        path = os.path.join(self.folder.name, "q.sql")
        with open(path, "w") as file:
            file.write("SELECT 7 AS seven -- no semicolon\n")
        self.assertEqual(rows(self.dataset, "--file", path), [{"seven": 7}])
        done = run("query", self.dataset, "-", "--format", "json",
                   input="SELECT 8 AS eight;")
        self.assertEqual(json.loads(done.stdout), [{"eight": 8}])

    def test_processes_are_told_apart_in_every_view(self):
        pids = {row["pid"] for row in rows(self.dataset,
                                           "SELECT pid FROM ranks")}
        for view in ("kernels", "operators", "launches", "steps", "gaps",
                     "collectives"):
            found = rows(self.dataset, f"SELECT DISTINCT pid FROM {view}")
            self.assertLessEqual({row["pid"] for row in found}, pids, view)
        self.assertTrue(rows(self.dataset, "SELECT pid FROM operators"))

    def test_a_missing_library_is_not_a_wrong_argument(self):
        done = run("query", self.dataset, "SELECT 1",
                   env=dict(os.environ, STEPSCOPE_DUCKDB="/nowhere/x.so"))
        self.assertEqual(done.returncode, 5)
        self.assertIn("/nowhere/x.so does not exist", done.stderr)

    def test_usage(self):
        for arguments, says in [
                ([], "no query"),
                (["SELECT 1", "--named", "top_kernels"], "give one of"),
                (["--named", "nothing"], "top_kernels"),
                (["--named", "top_kernels", "--param", "top"], "NAME=VALUE"),
                (["--named", "top_kernels", "--param", "top=x"], "a number"),
                (["SELECT 1", "--param", "top=1"], "--named"),
                (["SELECT 1", "--format", "parquet"], "-o"),
        ]:
            done = run("query", self.dataset, *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)
        self.assertEqual(run("query", "/nowhere", "SELECT 1").returncode, 3)
        self.assertIn("top_kernels", run("query", "--list").stdout)

    def test_ctrl_c_ends_a_query_and_leaves_nothing(self):
        tmp = os.path.join(self.folder.name, "tmp")
        os.mkdir(tmp)
        # No machine ends this one before it is told to.
        sql = ("SELECT count(*) FROM range(100000000) a, range(100000000) b "
               "WHERE a.range * b.range % 7 = 3")
        process = subprocess.Popen(
            [STEPSCOPE, "query", self.dataset, sql], stderr=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env={**os.environ,
                                                    "TMPDIR": tmp})
        while not os.listdir(tmp):  # its folder, made before it starts
            self.assertIsNone(process.poll())
        # Wherever it is by then, it must end; asked until it does.
        ended = threading.Event()

        def ask():
            while not ended.wait(0.2):
                process.send_signal(signal.SIGINT)

        asking = threading.Thread(target=ask)
        asking.start()
        process.communicate()
        ended.set()
        asking.join()
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(os.listdir(tmp), [])


class RealTraces(unittest.TestCase):
    """Numbers are those of `summary`."""

    def summary(self, name):
        done = run("summary", trace(name), "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_numbers_equal_summary(self):
        for name in REAL:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                dataset = os.path.join(folder, "dataset")
                done = run("convert", trace(name), "-o", dataset, "--to",
                           "parquet")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.compare(dataset, self.summary(name))

    def compare(self, dataset, document):
        got = rows(dataset, "SELECT name, count(*) AS n, sum(dur_ns) AS ns "
                   "FROM kernels GROUP BY name")
        self.assertEqual({r["name"]: (r["n"], r["ns"]) for r in got},
                         {row["name"]: (row["calls"], row["gpu"]["total_ns"])
                          for row in document["kernel"]})
        got = rows(dataset, "SELECT name, count(*) FILTER (WHERE outermost) "
                   "AS n, sum(dur_ns) FILTER (WHERE outermost) AS ns, "
                   "sum(gpu_ns) FILTER (WHERE outermost) AS gpu, "
                   "sum(self_ns) AS own FROM operators GROUP BY name")
        self.assertEqual(
            {r["name"]: (r["n"], r["ns"], r["gpu"] or 0, r["own"])
             for r in got},
            {row["name"]: (row["calls"], row["cpu"]["total_ns"],
                           row["gpu"]["total_ns"], row["self_cpu_ns"])
             for row in document["operator"] if row["name"] != "(no launch)"})
        got = rows(dataset, "SELECT step, dur_ns FROM steps")
        self.assertEqual(sorted((r["step"], r["dur_ns"]) for r in got),
                         sorted((row["index"], row["dur_ns"])
                                for row in document["steps"]))

    def test_every_named_query_answers(self):
        names = [line for line in run("query", "--list").stdout.splitlines()
                 if not line.startswith(" ")]
        self.assertGreaterEqual(len(names), 10)
        with tempfile.TemporaryDirectory() as folder:
            dataset = os.path.join(folder, "dataset")
            done = run("convert", *map(trace, DDP),
                       trace("torch_resnet50_amp.json.gz"), "-o", dataset,
                       "--to", "parquet")
            self.assertEqual(done.returncode, 0, done.stderr)
            empty = {name for name in names
                     if not rows(dataset, "--named", name)}
        # Nobody recorded memory or Python functions there, and no step is
        # that slow by rank.
        self.assertLessEqual(
            empty, {"memory_peaks", "python_functions", "slow_steps"})

    def test_the_guide_is_true(self):
        guide = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "..", "..", "docs", "guide", "sql.md")
        with open(guide) as file:
            text = file.read()
        queries = re.findall(r"```sql\n(.*?)```", text, re.S)
        self.assertEqual(len(queries), 10)
        with tempfile.TemporaryDirectory() as folder:
            dataset = os.path.join(folder, "dataset")
            done = run("convert", *map(trace, DDP), "-o", dataset, "--to",
                       "parquet")
            self.assertEqual(done.returncode, 0, done.stderr)
            for sql in queries:
                self.assertTrue(rows(dataset, sql), sql)
        for line in run("query", "--list").stdout.splitlines():
            if not line.startswith(" "):
                self.assertIn(f"| `{line}` |", text)

    def test_ranks_are_on_one_clock(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in DDP:
                os.symlink(trace(name), os.path.join(folder, name))
            got = rows(folder, "SELECT rank, min(start_ns) AS first, "
                       "min(raw_start_ns) AS raw FROM collectives GROUP BY "
                       "rank ORDER BY rank")
            self.assertEqual([r["rank"] for r in got], [0, 1])
            clocks = rows(folder, "--named", "clocks")
            for row, clock in zip(got, clocks):
                drift = clock["clock_offset_ns"]
                self.assertLess(abs(row["first"] - row["raw"] - drift), 10**6)


def main():
    if not os.path.isdir(TRACES):
        print(f"{TRACES} is not there: skipped")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        done = run("convert", trace("torch_cnn.json.gz"), "-o",
                   os.path.join(folder, "dataset"), "--to", "parquet")
    if "libduckdb" in done.stderr or "DuckDB" in done.stderr:
        print("no DuckDB: skipped\n" + done.stderr)
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])


if __name__ == "__main__":
    main()
