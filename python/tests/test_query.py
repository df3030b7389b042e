# SPDX-License-Identifier: Apache-2.0
"""stepscope.query(): SQL over traces and datasets."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import warnings

import stepscope
import support
import trace_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT.parent / "shared/traces"
SAME = "DuckDB answers alike under every Python"


def cli(*arguments):
    return subprocess.run(["stepscope", *map(str, arguments)], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def named_queries():
    return [line for line in cli("query", "--list").splitlines()
            if line and not line.startswith(" ")]


class WithDuckDB(support.InOwnFolder):
    def setUp(self):
        super().setUp()
        os.mkdir("scratch")
        before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = os.path.abspath("scratch")
        self.addCleanup(self._restore, before)
        self.trace = trace_files.write("trace.json")
        try:
            stepscope.query(self.trace, "SELECT 1")
        except ImportError as error:
            self.skipTest(f"{error} (tools/bootstrap test fetches it)")

    def _restore(self, before):
        left = os.listdir(os.environ["TMPDIR"])
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
        self.assertEqual(left, [])  # whatever a test did, its folder is gone

    def one(self, sql, **how):
        (row,) = stepscope.query(self.trace, sql, **how).to_dicts()
        return row


class QueryTest(WithDuckDB):
    @support.once(SAME)
    def test_steps_are_those_of_the_result(self):
        count = "SELECT count(*) AS steps FROM steps"
        self.assertEqual(self.one(count), {"steps": 4})
        self.assertEqual(self.one(count, step_range="aten::*"), {"steps": 12})
        result = stepscope.load(self.trace, step_range="aten::*")
        (row,) = stepscope.query(result, count).to_dicts()
        self.assertEqual(row, {"steps": 12})
        cli("convert", self.trace, "--to", "parquet", "-o", "dataset")
        with self.assertRaisesRegex(ValueError, "has its steps already"):
            stepscope.query("dataset", count, step_range="aten::*")

    @support.once(SAME)
    def test_takes_traces_folders_lists_results_and_datasets(self):
        os.mkdir("folder")
        shutil.copy(self.trace, "folder")
        subprocess.run(["stepscope", "convert", self.trace, "-o", "dataset",
                        "--to", "parquet"], check=True)
        result = stepscope.load(self.trace)
        for source in (self.trace, pathlib.Path(self.trace), "folder",
                       "dataset", ["dataset"], [self.trace], ["folder"],
                       result, result.choose(steps="1:3")):
            rows = stepscope.query(
                source, "SELECT name, count(*) AS calls, sum(dur_ns) AS dur_ns "
                "FROM kernels GROUP BY name")
            self.assertEqual(rows.to_dicts(), [
                {"name": "gemm", "calls": 12, "dur_ns": 12 * 30_000}])
        os.mkdir("elsewhere")
        os.chdir("elsewhere")  # a result knows where its files are
        self.assertEqual(len(stepscope.query(result, "FROM kernels")), 12)

    def test_types_and_nulls(self):
        row = self.one(
            "SELECT true AS yes, NULL::BOOLEAN AS unknown, 1::TINYINT AS tiny, "
            "-7::INTEGER AS small, 3000000000::UINTEGER AS middle, "
            "9223372036854775807 AS large, 18446744073709551615::UBIGINT AS "
            "unsigned, sum(i) AS added, 170141183460469231731::HUGEINT AS "
            "huge, 0.5::DOUBLE AS real, 0.25::FLOAT AS single, "
            "1.5::DECIMAL(4,1) AS decimal, 'näme' AS text, '' AS empty, "
            "NULL AS nothing, [1, 2] AS list, DATE '2020-01-02' AS day "
            "FROM range(4) r(i)")
        self.assertEqual(row, {
            "yes": True, "unknown": None, "tiny": 1, "small": -7,
            "middle": 3_000_000_000, "large": 2**63 - 1,
            "unsigned": 2**64 - 1, "added": 6,
            "huge": 170141183460469231731, "real": 0.5, "single": 0.25,
            "decimal": 1.5, "text": "näme", "empty": "", "nothing": None,
            "list": "[1, 2]", "day": "2020-01-02"})
        with self.assertRaisesRegex(ValueError, "more than 38 digits; CAST"):
            self.one("SELECT 1" + 38 * "0" + "::HUGEINT AS x")
        many = stepscope.query(
            self.trace, "SELECT i, CASE WHEN i % 3 > 0 THEN i::VARCHAR END AS "
            "text FROM range(10000) r(i) ORDER BY i")
        self.assertEqual(len(many), 10_000)
        for i, row in enumerate(many):
            self.assertEqual(row, {"i": i, "text": str(i) if i % 3 else None})

    @support.once(SAME)
    def test_table(self):
        rows = stepscope.query(self.trace, named="top_kernels")
        self.assertEqual(rows.key, "top_kernels")
        units = {column.name: column.unit for column in rows.columns}
        self.assertIn("ns", units.values())
        self.assertIn("gemm", repr(rows))
        self.assertIn("<table", rows._repr_html_())
        none = stepscope.query(self.trace, "SELECT name FROM kernels "
                               "WHERE dur_ns < 0")
        self.assertEqual((len(none), none.to_dicts()), (0, []))
        self.assertIn("name", repr(none))
        shown = stepscope.query(self.trace, "SELECT i FROM range(30) r(i)")
        self.assertIn("10 more rows", repr(shown))
        self.assertEqual(len(shown.to_text().splitlines()), 32)

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"),
                         "pyarrow is not installed")
    def test_arrow(self):
        import pyarrow

        table = pyarrow.table(stepscope.query(
            self.trace,
            "SELECT i, i::INTEGER AS small, i > 1 AS flag, i / 2 AS half, "
            "CASE WHEN i > 0 THEN 'n' || i END AS text, "
            "(i * 10::HUGEINT ** 20)::HUGEINT AS huge, "
            "sum(i) OVER () AS added FROM range(3) r(i) ORDER BY i"))
        table.validate(full=True)
        self.assertEqual([str(kind) for kind in table.schema.types],
                         ["int64", "int32", "bool", "double", "string",
                          "decimal128(38, 0)", "int64"])
        self.assertEqual(table.column("text").to_pylist(), [None, "n1", "n2"])
        self.assertEqual([int(v) for v in table.column("huge").to_pylist()],
                         [0, 10**20, 2 * 10**20])
        self.assertEqual(table.column("added").to_pylist(), [3, 3, 3])
        empty = pyarrow.table(stepscope.query(
            self.trace, "SELECT name, dur_ns, true AS x FROM kernels "
            "WHERE false"))
        empty.validate(full=True)
        self.assertEqual(empty.num_rows, 0)

    @support.once(SAME)
    def test_params_and_memory(self):
        self.assertEqual(
            len(stepscope.query(self.trace, named="top_operators",
                                params={"top": 0})), 0)
        self.assertEqual(self.one("SELECT 1 AS one", memory="200MB"),
                         {"one": 1})
        for kind, how in (
                (ValueError, {}),
                (ValueError, {"sql": "SELECT 1", "named": "copies"}),
                (ValueError, {"named": "nonsense"}),
                (ValueError, {"named": "top_kernels", "params": {"no": 1}}),
                (TypeError, {"named": "top_kernels", "params": {"top": "1"}}),
                (TypeError, {"named": "top_kernels", "params": {"top": True}}),
                (ValueError, {"sql": "SELECT 1", "params": {"top": 1}}),
                (ValueError, {"sql": "SELECT '\0'"}),
                (ValueError, {"sql": "SELECT 1", "memory": "much"}),
                (TypeError, {"sql": 5}), (TypeError, {"memory": 5})):
            with self.assertRaises(kind) as caught:
                stepscope.query(self.trace, **how)
            self.assertNotIn("\n", str(caught.exception))

    @support.once(SAME)
    def test_wrong_and_refused_sql(self):
        for sql, part in (
                ("SELECT nonsense FROM kernels", 'column "nonsense"'),
                ("SELEKT 1", "syntax error"),
                ("", "found nothing"),
                ("SELECT 1; SELECT 2", "expected one statement"),
                ("SELECT error('mine')", "mine"),
                ("CREATE TABLE t AS SELECT 1", "only statements that read"),
                ("COPY (SELECT 1) TO 'out.csv'", "disabled"),
                ("INSTALL httpfs", "only statements that read"),
                ("SET threads = 1", "only statements that read"),
                ("SELECT * FROM read_csv('/etc/passwd')", "disabled"),
                ("SELECT * FROM read_text('trace.json')", "disabled")):
            with self.assertRaises(ValueError) as caught:
                stepscope.query(self.trace, sql)
            self.assertIn(part, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        self.assertFalse(os.path.exists("out.csv"))

    @support.once(SAME)
    def test_bad_sources(self):
        os.mkdir("hollow")
        os.mkdir("mixed")
        trace_files.write("mixed/good.json")
        with open("empty.json", "w", encoding="utf-8"):
            pass
        shutil.copy("empty.json", "mixed")
        subprocess.run(["stepscope", "convert", self.trace, "-o", "dataset",
                        "--to", "parquet"], check=True)
        for source, kind, part in (
                ("nope.json", FileNotFoundError, "nope.json"),
                ("empty.json", ValueError, "empty.json"),
                ([self.trace, "empty.json"], ValueError, "empty.json"),
                ("hollow", ValueError, "no readable trace in it"),
                (["dataset", self.trace], ValueError, "by itself"),
                (stepscope.load(trace_files.text().encode()), ValueError,
                 "was not read from files"),
                ([], ValueError, "empty"), ("a\0b", ValueError, "null"),
                (5, TypeError, "int"), (b"{}", TypeError, "bytes")):
            with self.assertRaises(kind) as caught:
                stepscope.query(source, "SELECT 1")
            self.assertIn(part, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rows = stepscope.query("mixed", "SELECT count(*) AS n FROM kernels")
        self.assertEqual(rows.to_dicts(), [{"n": 12}])
        (warning,) = caught
        self.assertIn("empty.json", str(warning.message))
        self.assertEqual(warning.filename, __file__)

    def test_interrupt_ends_a_query_and_leaves_nothing(self):
        said = support.run_script(
            "import os, signal, stepscope, threading, time\n"
            "def interrupt():\n"
            "    while 'libduckdb' not in open('/proc/self/maps').read():\n"
            "        time.sleep(0.01)\n"
            "    time.sleep(0.1)\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "before = signal.pthread_sigmask(signal.SIG_BLOCK, [])\n"
            "threading.Thread(target=interrupt).start()\n"
            "try:\n"
            "    stepscope.query('trace.json', 'SELECT sum(a.i * b.i % 7) '\n"
            "        'FROM range(100000000) a(i), range(100000000) b(i)')\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')\n"
            "while os.listdir(os.environ['TMPDIR']):\n"
            "    time.sleep(0.01)\n"
            "after = signal.pthread_sigmask(signal.SIG_BLOCK, [])\n"
            "print(before == after)\n"
            "print(len(stepscope.query('trace.json', 'FROM kernels')))\n")
        self.assertEqual(said.stdout.split(), ["interrupted", "True", "12"])

    def test_a_forked_child_can_ask(self):
        said = support.run_script(
            "import os, stepscope\n"
            "stepscope.load('trace.json')\n"
            "pid = os.fork()\n"
            "if pid == 0:\n"
            "    rows = stepscope.query('trace.json', 'FROM kernels')\n"
            "    os._exit(len(rows))\n"
            "print(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))\n")
        self.assertEqual(said.stdout.strip(), "12")

    @support.once(SAME)
    def test_the_guide_is_true(self):
        guide = ROOT / "docs/guide/sql.md"
        blocks = re.findall(r"```python\n(.*?)```",
                            guide.read_text(encoding="utf-8"), re.S)
        self.assertTrue(blocks)
        os.mkdir("traces")
        trace_files.write("traces/trace.json")
        trace_files.write("job.json")
        names = {}
        self.printed(lambda: exec("".join(blocks), names))


@unittest.skipUnless(TRACES.is_dir(), f"{TRACES} is not there")
@support.once("the queries are the library's, whatever the Python")
class RealTracesTest(WithDuckDB):
    def test_rows_equal_the_cli(self):
        names = named_queries()
        self.assertGreater(len(names), 10)
        with_rows = set()
        for dataset, traces in (
                ("ddp", ["torch_ddp_gloo_rank0", "torch_ddp_gloo_rank1"]),
                ("resnet", ["torch_resnet50_amp"])):
            paths = [str(TRACES / f"{trace}.json.gz") for trace in traces]
            subprocess.run(["stepscope", "convert", *paths, "-o", dataset,
                            "--to", "parquet"], check=True)
            for name in names:
                rows = stepscope.query(dataset, named=name).to_dicts()
                self.assertEqual(rows, json.loads(
                    cli("query", dataset, "--named", name, "--format",
                        "json")), (dataset, name))
                if rows:
                    with_rows.add(name)
            # The traces themselves give the same.
            self.assertEqual(
                stepscope.query(paths, named="top_kernels").to_dicts(),
                stepscope.query(dataset, named="top_kernels").to_dicts())
        self.assertGreater(len(with_rows), len(names) // 2)


class WithoutDuckDBTest(support.InOwnFolder):
    def test_one_line_says_how_to_get_it(self):
        trace_files.write("trace.json")
        said = support.run_script(
            "import stepscope\n"
            "try:\n"
            "    stepscope.query('trace.json', 'SELECT 1')\n"
            "except ImportError as error:\n"
            "    print(error)\n"
            "print(len(stepscope.load('trace.json').events))\n",
            env={"STEPSCOPE_DUCKDB": "/nowhere/libduckdb.so"})
        line, rest = said.stdout.splitlines()
        self.assertIn("/nowhere/libduckdb.so does not exist", line)
        self.assertIn("npm pack", line)
        self.assertEqual(rest, "40")  # everything else works


if __name__ == "__main__":
    unittest.main()
