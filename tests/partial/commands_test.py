# SPDX-License-Identifier: Apache-2.0
"""stepscope map and reduce: the tables of a job from the partials of its ranks.

usage: commands_test.py STEPSCOPE TRACES DOCS
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, TRACES, DOCS = sys.argv[1:4]
EXACT = ("steps,step_time,device,model,operator,kernel,memory_manipulation,"
         "user_defined,python,benchmark,waterfall,idle,outliers,flops,ranks,"
         "stragglers,collectives,rank_steps")
RANKS = 16
STEPS = 9
# What percentiles of partials are off by at most.
ERROR = 1 / 256


def run(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                          check=False, **more)


def rank_trace(rank, steps=STEPS, skew_us=0.0, drift=0.0, pid=None,
               base=1790857026000000000):
    """What torch.profiler writes of a rank with a GPU."""
    events = []
    pid = pid or 500 + rank

    def add(category, name, process, thread, begin, end, **args):
        def shown(time):
            return 1000.0 + time * (1 + drift) + skew_us
        events.append({"ph": "X", "cat": category, "name": name,
                       "pid": process, "tid": thread, "ts": shown(begin),
                       "dur": shown(end) - shown(begin), "args": args})

    now = 0.0
    correlation = 0
    for step in range(steps):
        late = 3000 if rank == 5 and step % 3 == 0 else 0
        meet = now + 5000 + (3000 if step % 3 == 0 else 0)
        add("user_annotation", f"ProfilerStep#{step}", pid, 1, now, meet + 900)
        for i in range(4):
            correlation += 1
            begin = now + 100 + 900 * i
            length = 300 + (step * 7919 + rank * 104729 + i * 31) % 400
            add("cpu_op", f"aten::op{i % 3}", pid, 1, begin, begin + length,
                **{"Input Dims": [[64, 64], [64, 64]]})
            add("cuda_runtime", "cudaLaunchKernel", pid, 1, begin + 20,
                begin + 30, correlation=correlation)
            add("kernel", f"kernel{i % 2}", 0, 7, begin + 60,
                begin + 60 + length / 2, correlation=correlation, device=0,
                stream=7)
        correlation += 1
        add("cuda_runtime", "cudaMemcpyAsync", pid, 1, now + 4000, now + 4010,
            correlation=correlation)
        add("gpu_memcpy", "Memcpy HtoD", 0, 7, now + 4020, now + 4090,
            correlation=correlation, device=0, stream=7)
        add("user_annotation", "gloo:all_reduce", pid, 2,
            now + 4800 + late + rank, meet + 500 + (step + rank) % 5,
            **{"Input Dims": [[1000]], "Input type": ["float"]})
        now = meet + 1000
    return {"schemaVersion": 1, "baseTimeNanoseconds": base,
            "deviceProperties": [{"id": 0, "name": "a GPU"}],
            "distributedInfo": {"backend": "gloo", "rank": rank,
                                "world_size": RANKS},
            "traceEvents": events}


class Job(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        data = content if isinstance(content, bytes) else (
            json.dumps(content).encode())
        with open(self.path(name), "wb") as file:
            file.write(data)

    def write_ranks(self, count=RANKS, **more):
        for rank in range(count):
            self.write(f"rank{rank}.json", rank_trace(rank, **more))

    def map(self):
        done = run("map", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def reduce(self, *options):
        done = run("reduce", self.folder, "--format", "json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def notes(self):
        return "\n".join(self.reduce("--views", "operator")["notes"])

    def expect_same(self, views=EXACT):
        """The bytes of summary, which does the same in one process."""
        options = ("--views", views, "--format", "json")
        at_once = run("summary", self.folder, *options)
        reduced = run("reduce", self.folder, *options)
        self.assertEqual(at_once.returncode, 0, at_once.stderr)
        self.assertEqual(reduced.stdout, at_once.stdout)
        return json.loads(reduced.stdout)

    def expect_what_a_merged_trace_has(self):
        """Another table makes summary read all traces into one."""
        reduced = self.reduce("--views", EXACT)
        done = run("summary", self.folder, "--format", "json", "--views",
                   EXACT + ",overview")
        merged = json.loads(done.stdout)
        for key in merged:
            if key not in ("overview", "notes"):
                self.assertEqual(json.dumps(reduced[key]),
                                 json.dumps(merged[key]), key)


class SameTables(Job):
    def test_ranks_that_xargs_mapped(self):
        # As docs/guide/slurm.md has it.
        self.write_ranks(skew_us=0.0)
        names = "\n".join(self.path(f"rank{i}.json") for i in range(RANKS))
        mapped = subprocess.run(["xargs", "-P", "2", "-n", "1", PROGRAM, "map"],
                                input=names, text=True, capture_output=True,
                                check=False)
        self.assertEqual(mapped.returncode, 0, mapped.stderr)
        self.assertEqual(len(mapped.stdout.splitlines()), RANKS)
        found = self.expect_same()
        self.assertEqual(len(found["ranks"]), RANKS)
        self.assertEqual(found["stragglers"][0]["rank"], 5)
        self.assertEqual(len(found["steps"]), RANKS * STEPS)
        self.expect_what_a_merged_trace_has()
        self.assertEqual({os.path.splitext(name)[1]
                          for name in os.listdir(self.folder)},
                         {".json", ".sspart"}, "nothing else is left there")

    def test_tasks_of_a_launcher(self):
        # The very command of the page, run as srun runs it: once for each
        # task, which finds its number in the environment.
        with open(os.path.join(DOCS, "guide", "slurm.md")) as file:
            command = re.search(r"^srun (bash -c '.*?')$", file.read(),
                                re.S | re.M).group(1)
        tasks = 3
        self.folder = os.path.join(self.folder, "job")
        os.mkdir(self.folder)
        self.write_ranks(5)
        for task in range(tasks):
            done = subprocess.run(
                ["bash", "-c", command.replace(".sscap", ".json")],
                env={**os.environ, "SCRATCH": os.path.dirname(self.folder),
                     "SLURM_NTASKS": str(tasks), "SLURM_PROCID": str(task),
                     "PATH": os.path.dirname(os.path.abspath(PROGRAM)) + ":" +
                             os.environ["PATH"]},
                capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.reduce("--views", "ranks")["ranks"]), 5)

    def test_every_format(self):
        self.write_ranks(3)
        self.map()
        for form in ("text", "md", "csv"):
            options = ("--views", EXACT, "--format", form, "--top", "2",
                       "--sort", "calls", "--flops", "--no-op-detail")
            reduced = run("reduce", self.folder, *options)
            self.assertEqual(reduced.returncode, 0, reduced.stderr)
            self.assertEqual(reduced.stdout,
                             run("summary", self.folder, *options).stdout)

    def test_clocks_that_are_apart_and_drift(self):
        for rank in range(4):
            self.write(f"rank{rank}.json",
                       rank_trace(rank, skew_us=700.0 * rank,
                                  drift=5e-5 * rank))
        self.map()
        self.expect_same()

    def test_real_ranks(self):
        names = [f"torch_ddp_gloo_rank{rank}.json.gz" for rank in (0, 1)]
        if not os.path.isfile(os.path.join(TRACES, names[0])):
            self.skipTest("no real traces")
        for name in names:
            shutil.copy(os.path.join(TRACES, name), self.folder)
        self.map()
        found = self.expect_same()
        self.assertEqual(found["stragglers"][0]["rank"], 1)
        # Means of occupancy are sums of fractions: these differ in the last
        # digit by the order of adding, so kernels are compared without.
        views = EXACT.replace("kernel,", "")
        merged = json.loads(run("summary", self.folder, "--format", "json",
                                "--views", views + ",overview").stdout)
        reduced = self.reduce("--views", views)
        for key in merged:
            if key not in ("overview", "notes"):
                self.assertEqual(json.dumps(reduced[key]),
                                 json.dumps(merged[key]), key)

    def test_percentiles_within_their_error(self):
        self.write_ranks(8, steps=40)
        self.map()
        views = ("--views", "percentiles,launch")
        reduced = self.reduce(*views)
        merged = json.loads(run("summary", self.folder, "--format", "json",
                                *views).stdout)
        compared = [0, 0]

        def compare(a, b, key=""):
            if isinstance(a, dict):
                self.assertEqual(a.keys(), b.keys())
                for name in a:
                    compare(a[name], b[name], name)
            elif isinstance(a, list):
                self.assertEqual(len(a), len(b), key)
                for x, y in zip(a, b):
                    compare(x, y, key)
            elif re.fullmatch(r"p\d+_ns", key) and b is not None:
                self.assertLessEqual(abs(a - b), b * ERROR, key)
                compared[0] += 1
                compared[1] += a != b
            elif key != "":
                self.assertEqual(a, b, key)

        for table in ("operator", "kernel", "launch"):
            compare(reduced[table], merged[table], table)
        self.assertGreater(compared[0], 20)
        self.assertGreater(compared[1], 3, "more than a sketch keeps exactly")

    def test_a_rank_that_died_and_one_with_fewer_steps(self):
        self.write_ranks(4)
        whole = json.dumps(rank_trace(2)).encode()
        self.write("rank2.json", whole[:len(whole) * 2 // 3])
        self.write("rank3.json", rank_trace(3, steps=4))
        self.map()
        found = self.expect_same()
        self.assertEqual(len(found["ranks"]), 4)
        self.assertIn("cut short", " ".join(found["notes"]))

    def test_what_was_noted_about_a_rank_is_told_of_it(self):
        self.write_ranks(4)
        whole = json.dumps(rank_trace(2))
        cut = whole[:whole.rindex('{"ph"')]
        self.write("rank2.json", '{"distributedInfo": {"rank": 2, "world_size":'
                   f' {RANKS}}}, '.encode() + cut[1:].encode())
        # In the memory of a few traces, and merged into one; text and JSON.
        for views in ("operator", "ranks", "operator,overview"):
            for form in ("text", "json"):
                done = run("summary", self.folder, "--views", views,
                           "--format", form)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("rank 2: the document has no end", done.stdout,
                              (views, form))
        self.map()
        self.assertIn("rank 2: the document has no end", self.notes())

    def test_two_files_that_claim_one_rank(self):
        self.write_ranks(3)
        self.write("rank3.json", rank_trace(1, pid=977))
        self.map()
        found = self.expect_same("ranks,collectives")
        self.assertIn("claim rank 1", " ".join(found["notes"]))
        self.assertEqual(len(found["ranks"]), 3)


class BadInput(Job):
    def test_bad_partials_are_named_and_the_rest_goes_on(self):
        self.write_ranks(6)
        self.map()
        with open(self.path("rank1.json.sspart"), "r+b") as file:
            file.seek(300)
            file.write(b"damage")
        open(self.path("rank2.json.sspart"), "wb").close()
        self.write("rank3.json.sspart", b"a file of something else")
        found = self.reduce("--views", "ranks,operator")
        notes = "\n".join(found["notes"])
        self.assertEqual([row["rank"] for row in found["ranks"]], [0, 4, 5])
        self.assertRegex(notes, r"rank1.json.sspart: byte \d+: the checksum")
        self.assertRegex(notes, r"rank2.json.sspart: byte 0: not a partial")
        self.assertRegex(notes, r"rank3.json.sspart: byte 0: not a partial")
        self.assertEqual(found["operator"][0]["calls"], 3 * STEPS * 2)

    def test_nothing_but_bad_partials(self):
        self.write("rank1.json.sspart", b"something else")
        done = run("reduce", self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("not a partial", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        os.remove(self.path("rank1.json.sspart"))
        done = run("reduce", self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("stepscope map", done.stderr)

    def test_traces_that_changed_moved_or_were_never_mapped(self):
        self.write_ranks(5)
        self.map()
        self.write("rank1.json", rank_trace(1, steps=STEPS - 1))
        os.utime(self.path("rank2.json"), (1, 1))  # copied, not changed
        os.remove(self.path("rank3.json"))         # only the partial is here
        os.remove(self.path("rank4.json.sspart"))
        found = self.reduce("--views", "ranks")
        notes = "\n".join(found["notes"])
        self.assertEqual([row["rank"] for row in found["ranks"]], [0, 2, 3])
        self.assertRegex(notes, "rank1.json.sspart: its trace has changed")
        self.assertRegex(notes, "rank4.json: has no partial")

    def test_ranks_of_two_jobs(self):
        self.write_ranks(2)
        day = 86400 * 10**9
        # The rank is there twice: this is no clock that is a day off.
        self.write("other.json",
                   rank_trace(1, base=1790857026000000000 + day))
        self.map()
        done = run("reduce", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("2 jobs", done.stderr)
        self.assertIn("other.json", done.stderr)

    def test_a_partial_twice(self):
        self.write_ranks(2)
        self.map()
        shutil.copy(self.path("rank1.json.sspart"), self.path("again.sspart"))
        found = self.reduce("--views", "operator")
        self.assertEqual(found["operator"][0]["calls"], 2 * STEPS * 2)
        self.assertRegex("\n".join(found["notes"]), "same trace as another")

    def test_tables_that_partials_do_not_have(self):
        self.write_ranks(2)
        self.map()
        done = run("reduce", self.folder, "--views", "overview")
        self.assertEqual(done.returncode, 2)
        self.assertIn("stepscope summary", done.stderr)
        notes = "\n".join(self.reduce()["notes"])
        self.assertRegex(notes, "Not in partials.*Overview, Distribution")
        text = run("reduce", self.folder).stdout
        self.assertIn("Not in partials", text)

    def test_ranks_without_steps(self):
        for rank in range(2):
            trace = rank_trace(rank)
            trace["traceEvents"] = [event for event in trace["traceEvents"]
                                    if "Step#" not in event["name"]]
            self.write(f"rank{rank}.json", trace)
        self.map()
        self.expect_same("operator,kernel,user_defined,ranks")
        done = run("reduce", self.folder, "--views", "model")
        self.assertEqual(done.returncode, 2)
        self.assertIn("without steps: Model", done.stderr)
        self.assertRegex("\n".join(self.reduce("--views", "all")["notes"]),
                         "without steps: Device, Model")

    def test_traces_that_cannot_be_mapped(self):
        self.write_ranks(2)
        self.write("notes.txt", b"no trace at all")
        self.write("bad.sscap", b"SSCAPTUR" + b"\xff" * 64)
        self.assertEqual(len(self.map().splitlines()), 2)
        done = run("map", self.path("notes.txt"), self.path("rank0.json"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("notes.txt", done.stderr)
        self.assertIn("rank0.json.sspart", done.stdout)
        self.assertEqual(run("map", self.path("absent.json")).returncode, 3)
        self.assertEqual(run("map", "-").returncode, 2)
        both = (self.path("rank0.json"), self.path("rank1.json"))
        self.assertEqual(run("map", *both, "-o", "x.sspart").returncode, 2)
        done = run("map", both[0], "-o", "/nowhere/x.sspart")
        self.assertEqual(done.returncode, 4)
        elsewhere = self.path("elsewhere.sspart")
        self.assertEqual(run("map", both[0], "-o", elsewhere).returncode, 0)
        self.assertEqual(run("reduce", elsewhere, "--views",
                             "operator").returncode, 0)


class Pages(unittest.TestCase):
    """What docs/guide says can be pasted."""

    def blocks(self, page, language):
        with open(os.path.join(DOCS, "guide", page)) as file:
            return re.findall(rf"```{language}\n(.*?)```", file.read(), re.S)

    def test_manifests_are_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no YAML parser for Python")
        kinds = [document["kind"]
                 for block in self.blocks("kubernetes.md", "yaml")
                 for document in yaml.safe_load_all(block)]
        self.assertIn("Job", kinds)

    def test_scripts_are_shell(self):
        for page in ("slurm.md", "kubernetes.md"):
            blocks = self.blocks(page, "sh")
            self.assertTrue(blocks, page)
            for block in blocks:
                done = subprocess.run(["bash", "-n"], input=block, text=True,
                                      capture_output=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
