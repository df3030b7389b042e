#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python -m stepscope.spark on a real cluster, beside stepscope itself.

usage: spark_test.py STEPSCOPE PACKAGE SHARED_TRACES PYSPARK DUCKDB [TEST...]

PACKAGE is the unpacked wheel. Every row that Spark gives is compared with the
row that DuckDB gives. One cluster and one application serve all of it: to start
Java machines is most of what this costs.
"""

import filecmp
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from cluster import QUICK_JAVA, Cluster, is_running, wait_for
from inputs import make_inputs

STEPSCOPE, PACKAGE, TRACES, PYSPARK, DUCKDB = map(os.path.abspath,
                                                  sys.argv[1:6])
SKIPPED = 77
UNREADABLE = 3  # exit status of convert
VIEWS = ["kernels", "operators", "launches", "steps", "collectives", "gaps"]
TABLES = ["events", "tracks", "args", "flows", "counters", "memory",
          "raw_steps", "raw_collectives", "ledger", "ranks"]
# One application: the command as a user gives it, which leaves its session to
# us; then an import from Python, and every query of standard input.
APPLICATION = """
import json, sys
from pyspark.sql import SparkSession
from stepscope.spark import __main__ as command
from stepscope.spark import add_views, import_traces, named_query
traces, output, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
end, SparkSession.stop = SparkSession.stop, lambda session: None
print(json.dumps(command.main(arguments)), flush=True)
spark = SparkSession.getActiveSession()
print(json.dumps(import_traces(spark, [traces], output)), flush=True)
add_views(spark, output)
for line in sys.stdin:
    what = json.loads(line)
    rows = spark.sql(what.get("sql") or named_query(what["named"])).collect()
    print(json.dumps([row.asDict() for row in rows]), flush=True)
end(spark)
"""
# Says who runs it for which files, and waits for leave to do so.
GATE = """#!/bin/sh
case " $* " in *" --no-commit "*)
  { echo $$; echo "$*"; } > "GATE/new.$$"
  mv "GATE/new.$$" "GATE/started.$$"
  while [ ! -e "GATE/go" ] || [ -e "GATE/hold.$$" ]; do sleep 0.2; done ;;
esac
exec "PROGRAM" "$@"
"""


def plain(rows, ordered):
    """Rows that can be compared: numbers by value, whatever their type."""
    listed = [tuple(sorted(row.items())) for row in rows]
    return listed if ordered else sorted(listed, key=repr)


def touch(path):
    with open(path, "w", encoding="utf-8"):
        pass


class Spark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = os.path.realpath(holder.name)
        cls.package = cls.path("site")
        shutil.copytree(PACKAGE, cls.package, symlinks=True)
        cls.environment = {
            key: value for key, value in os.environ.items()
            if not key.startswith(("SPARK_", "STEPSCOPE_", "PYSPARK_",
                                   "PYTHON"))}
        cls.environment.update({
            "STEPSCOPE_DUCKDB": DUCKDB, "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": f"{cls.package}:{PYSPARK}",
            "PYSPARK_PYTHON": sys.executable, "HOME": cls.folder,
            "SPARK_LOCAL_IP": "127.0.0.1",
            # Little data, many plans: compiling them is most of the time.
            "PYSPARK_SUBMIT_ARGS": " ".join([
                "--driver-memory 512m",
                "--conf spark.ui.enabled=false",
                "--conf spark.driver.host=127.0.0.1",
                "--conf spark.executor.memory=512m",
                "--conf spark.sql.shuffle.partitions=1",
                "--conf spark.sql.adaptive.enabled=false",
                "--conf spark.sql.files.openCostInBytes=1",
                "--conf spark.sql.codegen.wholeStage=false",
                "--conf spark.sql.codegen.factoryMode=NO_CODEGEN",
                f"--conf 'spark.driver.extraJavaOptions={QUICK_JAVA}'",
                f"--conf 'spark.executor.extraJavaOptions={QUICK_JAVA}'",
                "pyspark-shell"])})
        cls.input = cls.path("traces")
        make_inputs(TRACES, cls.input)
        cls.want = cls.path("by_stepscope")
        cls.convert = cls.run_stepscope("convert", cls.input, "-o", cls.want,
                                        "--to", "parquet")
        assert cls.convert.returncode == 0, cls.convert.stderr
        cls.cluster = Cluster(os.path.join(PYSPARK, "pyspark"), cls.folder,
                              cls.environment)
        cls.addClassCleanup(cls.cluster.stop)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def run_program(cls, *command, **how):
        return subprocess.run(command, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=cls.environment, **how)

    @classmethod
    def run_stepscope(cls, *arguments):
        return cls.run_program(STEPSCOPE, *arguments)

    def duckdb(self, *query):
        done = self.run_stepscope("query", self.want, *query, "--format",
                                  "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def notes(self):
        """What stepscope says about the files that it leaves out."""
        return [line.removeprefix("stepscope: ")
                for line in self.convert.stderr.splitlines()]

    def assert_same_dataset(self, output):
        """The same files, byte by byte, and nothing beside them."""
        files = self.files(output)
        self.assertEqual(files, self.files(self.want))
        _, unequal, errors = filecmp.cmpfiles(output, self.want, files,
                                              shallow=False)
        self.assertEqual((unequal, errors), ([], []))

    def files(self, dataset):
        return sorted(os.path.relpath(os.path.join(folder, name), dataset)
                      for folder, _, names in os.walk(dataset)
                      for name in names if name != "_lock")

    def test_1_import_and_all_answers(self):
        """While files are read, one executor is killed."""
        listed = self.run_stepscope("query", "--list").stdout.splitlines()
        asked = [{"named": line} for line in listed
                 if not line.startswith(" ")]
        self.assertGreaterEqual(len(asked), 10)
        asked += [{"sql": f"SELECT * FROM {name}"} for name in VIEWS + TABLES]
        gate = self.close_gate()
        output, again = self.path("by_command"), self.path("by_python")
        job = self.start_application(
            asked, self.input, again, "--master", self.cluster.url, "--input",
            self.input, "--input", self.path("absent.json"), "--output",
            output, "--named", "top_kernels", "--param", "top=5")
        self.lose_an_executor(gate, job)
        status = job.wait()
        said = self.read("job.log")
        self.assertEqual(status, 0, said[-4000:])
        answers = self.read("job.json").splitlines()

        # The command: equal in spite of the loss, and what is bad is named.
        self.assertIn("Lost executor", said)
        for note in self.notes():
            self.assertIn(f"\nstepscope.spark: {note}\n", said)
        self.assertIn("corrupt.json.gz", said)
        self.assertIn(f"\nstepscope.spark: {self.path('absent.json')}: ", said)
        self.assert_same_dataset(output)
        want = self.duckdb("--named", "top_kernels", "--param", "top=5")
        self.assertEqual(len(want), 5)
        got, answers = answers[:5], answers[5:]
        self.assertEqual([json.loads(line) for line in got], want)
        self.assertEqual(json.loads(answers.pop(0)), UNREADABLE)

        # The import from Python; no file was named that cannot be read.
        self.assertEqual(json.loads(answers.pop(0)), [self.notes(), True])
        self.assert_same_dataset(again)

        # Every row of every query.
        self.assertEqual(len(answers), len(asked))
        rows = 0
        for what, answer in zip(asked, answers):
            with self.subTest(**what):
                got = json.loads(answer)
                want = self.duckdb(*(
                    ["--named", what["named"]] if "named" in what
                    else [what["sql"], "--limit", "0"]))
                ordered = "named" in what
                self.assertEqual(plain(got, ordered), plain(want, ordered))
                rows += len(got)
        self.assertGreater(rows, 10000)
        print("answers compared:", len(asked), "rows:", rows)

    def start_application(self, asked, *arguments):
        with open(self.path("asked"), "w+", encoding="utf-8") as queries, \
                open(self.path("job.log"), "wb") as errors, \
                open(self.path("job.json"), "wb") as answers:
            queries.writelines(json.dumps(what) + "\n" for what in asked)
            queries.seek(0)
            job = subprocess.Popen(
                [sys.executable, "-c", APPLICATION, *arguments], stdin=queries,
                stdout=answers, stderr=errors, env=self.environment)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        return job

    def read(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def lose_an_executor(self, gate, job):
        """Kills the one of the first task that waits at the gate, and opens
        the gate when another executor has taken that task."""
        def started():
            """Who has begun: process, and what it was called with."""
            found = {}
            for name in os.listdir(gate):
                if name.startswith("started."):
                    with open(os.path.join(gate, name),
                              encoding="utf-8") as file:
                        pid, command = file.read().splitlines()
                    found[int(pid)] = command
            return found

        # Both executors are at work, each on files of its own.
        wait_for(lambda: len(set(started().values())) > 1, [job])
        task, command = min(started().items())
        executor = self.cluster.executor_above(task)
        # What the lost executor had begun does nothing more: it would if it
        # were not held, and another test has writers that overlap.
        touch(os.path.join(gate, f"hold.{task}"))
        os.kill(executor, signal.SIGKILL)
        wait_for(lambda: [pid for pid, what in started().items()
                          if what == command and pid != task], [job])
        touch(os.path.join(gate, "go"))

        def end():
            os.unlink(os.path.join(gate, f"hold.{task}"))
            wait_for(lambda: not is_running(task), [])
        self.addCleanup(end)

    def close_gate(self):
        """From now on tasks wait inside the folder that is returned."""
        gate = self.path("gate")
        os.mkdir(gate)
        program = os.path.join(self.package, "stepscope/_native/bin/stepscope")
        os.rename(program, program + "-real")
        with open(program, "w", encoding="utf-8") as file:
            file.write(GATE.replace("GATE", gate)
                       .replace("PROGRAM", program + "-real"))
        os.chmod(program, 0o755)
        self.addCleanup(os.replace, program + "-real", program)
        self.addCleanup(touch, os.path.join(gate, "go"))
        return gate

    def test_2_two_files_of_one_rank_are_both_kept(self):
        rows = self.duckdb("SELECT job, rank, count(DISTINCT source_id) AS n "
                           "FROM ranks GROUP BY ALL ORDER BY n DESC LIMIT 1")
        self.assertEqual([row["n"] for row in rows], [2])

    def test_3_files_are_spread_over_tasks(self):
        spec = importlib.util.spec_from_file_location(
            "grouping", os.path.join(PACKAGE, "stepscope/spark/_grouping.py"))
        grouping = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(grouping)
        folder = self.path("sizes")
        os.mkdir(folder)

        def groups(sizes, cores):
            files = []
            for number, size in enumerate(sizes):
                files.append(os.path.join(folder, str(number)))
                with open(files[-1], "wb") as file:
                    file.truncate(size)
            made = grouping.group_files(files, cores)
            self.assertEqual(sorted(sum(made, [])), sorted(files))
            return [[os.path.getsize(file) for file in group]
                    for group in made]

        self.assertEqual(groups([], 2), [])
        # A few files: a task each. The largest comes first.
        self.assertEqual(groups([5, 1 << 30, 0], 2), [[1 << 30], [5], [0]])
        # Many: two tasks per processor, with about the same to do.
        made = groups([1000] * 1000, 50)
        self.assertEqual([len(group) for group in made], [10] * 100)
        # However few processors there are, memory has a bound.
        made = groups([40 << 20] * 300, 1)
        self.assertEqual([len(group) for group in made], [1] * 300)

    def test_4_usage(self):
        for arguments, says in [
                (["--output", "x"], "nothing to do"),
                (["--output", "x", "--named", "nothing"], "top_kernels"),
                (["--output", "x", "--named", "top_kernels", "--param",
                  "top=x"], "expected a number"),
                (["--output", "x", "--sql", "a", "--named", "b"], "one of")]:
            done = self.run_program(sys.executable, "-m", "stepscope.spark",
                                    *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)


def main():
    for path, why in [(TRACES, "the traces"), (PYSPARK, "PySpark; "
                      "tools/bootstrap test fetches it"),
                      (DUCKDB, "DuckDB; tools/fetch_duckdb.py fetches it"),
                      (PACKAGE, "the package; the test python_wheel makes it")]:
        if not os.path.exists(path):
            print(f"skipped: {path} is not there: {why}")
            sys.exit(SKIPPED)
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        print("skipped: no Java; tools/bootstrap test installs it")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + sys.argv[6:], verbosity=2)


if __name__ == "__main__":
    main()
