# SPDX-License-Identifier: Apache-2.0
"""stepscope.load(): what it takes, what it refuses, what it says."""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import unittest
import warnings

import stepscope
import support
import trace_files


def cli(*arguments):
    return subprocess.run(["stepscope", *arguments], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


class LoadTest(support.InOwnFolder):
    def test_takes_paths_bytes_folders_and_lists(self):
        path = trace_files.write("trace.json")
        with open(path, "rb") as file:
            data = file.read()
        os.mkdir("folder")
        trace_files.write("folder/trace.json")
        for source in (path, pathlib.Path(path), data, bytearray(data),
                       memoryview(data), gzip.compress(data), "folder",
                       [path]):
            result = stepscope.load(source)
            self.assertEqual(len(result.events), 4 * 10)
            self.assertEqual(result.operators.to_dicts()[0]["calls"], 12)
        two = stepscope.load([path, "folder/trace.json"])
        self.assertEqual(len(two.events), 2 * 4 * 10)

    def test_ranks_are_laid_on_one_clock(self):
        os.mkdir("job")
        for rank, skew in enumerate((0.0, 50000.0)):
            events = []
            for step in range(8):
                begin = 1000.0 + skew + step * 10000 + step * step * 20
                for name, category, length in (
                        (f"ProfilerStep#{step}", "user_annotation", 9000),
                        ("gloo:all_reduce", "user_annotation", 8000)):
                    events.append({
                        "ph": "X", "cat": category, "name": name, "tid": 1,
                        "pid": 500 + rank, "ts": begin, "dur": length,
                        "args": {}})
            with open(f"job/rank{rank}.json", "w") as file:
                json.dump({"schemaVersion": 1,
                           "baseTimeNanoseconds": 1790857026000000000,
                           "distributedInfo": {"backend": "gloo", "rank": rank,
                                               "world_size": 2},
                           "traceEvents": events}, file)

        def apart(**options):
            rows = stepscope.load("job", **options).events.to_dicts()
            first, second = (row["start_ns"] for row in rows
                             if row["name"] == "ProfilerStep#0")
            return second - first

        self.assertLess(abs(apart()), 1000)
        self.assertEqual(apart(align=False), 50_000_000)

    def test_a_window_of_the_profiler_has_the_same(self):
        self.assertIsNone(stepscope.Profiler().result)
        with stepscope.Profiler(
                on_trace_ready=stepscope.export_protobuf("log")) as prof:
            for _ in range(3):
                with stepscope.RecordEvent("mine"):
                    pass
                prof.step()
        (path,) = self.files("log", ".pb")
        for result in (prof.result, stepscope.load_profiler_result(path)):
            (row,) = result["user_defined"].to_dicts()
            self.assertEqual((row["name"], row["calls"]), ("mine", 3))
            self.assertTrue(str(result.summary()))
            self.assertGreater(len(result.events), 3)
        self.assertFalse(hasattr(prof.result, "nonsense"))

    def test_a_window_can_be_read_in_its_callback(self):
        seen = []
        with stepscope.Profiler(on_trace_ready=lambda prof: seen.append(
                prof.result["user_defined"].to_dicts())) as prof:
            with stepscope.RecordEvent("mine"):
                pass
            prof.step()
        self.assertEqual([row["name"] for row in seen[0]], ["mine"])

    def test_a_forked_child_can_read(self):
        trace_files.write("trace.json")
        said = support.run_script(
            "import os, stepscope\n"
            "result = stepscope.load('trace.json')\n"
            "text = str(result.summary())\n"
            "pid = os.fork()\n"
            "if pid == 0:\n"
            "    again = stepscope.load('trace.json')\n"
            "    same = str(again.summary()) == text\n"
            "    same = same and str(result.summary()) == text\n"
            "    os._exit(0 if same else 1)\n"
            "print(os.waitpid(pid, 0)[1])\n")
        self.assertEqual(said.stdout.strip(), "0")

    def test_bad_input_raises_one_line(self):
        with open("empty.json", "w", encoding="utf-8"):
            pass
        with open("garbage.json", "wb") as file:
            file.write(bytes(range(256)) * 8)
        os.mkdir("hollow")
        os.mkdir("two")
        trace_files.write("two/a.json")
        for source, kind, part in (
                ("nope.json", FileNotFoundError, "nope.json: No such file"),
                ("empty.json", ValueError, "the file is empty"),
                ("garbage.json", ValueError, "not a trace in a known format"),
                (b"", ValueError, "bytes: byte 0: it is empty"),
                (b"\0garbage\xff" * 9, ValueError, "this build reads"),
                ("hollow", (ValueError, FileNotFoundError), "hollow"),
                ([], ValueError, "empty"),
                ("a\0b", ValueError, "null character"),
                (["two", "nope.json"], ValueError, "one folder")):
            with self.assertRaises(kind) as caught:
                stepscope.load(source)
            self.assertIn(part, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        for source in (None, 5, {"a": 1}, [5], [b"bytes"], object()):
            with self.assertRaises(TypeError):
                stepscope.load(source)

    def test_a_truncated_file_is_read_as_far_as_it_goes(self):
        whole = trace_files.text().encode()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = stepscope.load(whole[:len(whole) // 2])
        self.assertTrue(caught)
        self.assertEqual(caught[0].filename, __file__)
        self.assertGreater(len(result.events), 5)
        for cut in range(0, len(whole), 97):  # never worse than an exception
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    len(stepscope.load(whole[:cut]).events)
                except ValueError:
                    pass

    def test_options_of_the_cli(self):
        path = trace_files.write("trace.json")
        chosen = stepscope.load(path, steps="1:3")
        self.assertEqual(chosen.operators.to_dicts()[0]["calls"], 6)
        self.assertEqual(len(chosen.events), 20)
        again = stepscope.load(path).choose(steps="1:3")
        self.assertEqual(again.operators.to_dicts(),
                         chosen.operators.to_dicts())
        self.assertEqual(
            chosen.table("operator", steps="all").to_dicts()[0]["calls"], 12)
        for bad in ({"steps": "some"}, {"steps": "70:80"},
                    {"unprofiled": "soon"}):
            with self.assertRaises(ValueError):
                stepscope.load(path, **bad)
        result = stepscope.load(path)
        for call in (lambda: result.summary(views="Nonsense"),
                     lambda: result.summary(unit="week"),
                     lambda: result.advise(colour="red"),
                     lambda: result.whatif("nonsense"),
                     lambda: result.table("nonsense"),
                     lambda: result.export("x.unknown"),
                     lambda: result.export("x.json", "nonsense"),
                     lambda: result.export(path)):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaises(KeyError):
            result["nonsense"]
        with self.assertRaises(TypeError):
            result.whatif(5)

    def test_a_step_is_what_the_caller_says(self):
        path = trace_files.write("trace.json")
        with open(path, "rb") as file:
            data = file.read()
        for source in (path, [path], data):
            result = stepscope.load(source, step_range="aten::*")
            self.assertEqual(len(result["steps"]), 12)
            self.assertEqual(len(result.choose(steps="all")["steps"]), 12)
        # Of this call alone.
        self.assertEqual(len(stepscope.load(path)["steps"]), 4)
        self.assertEqual(
            stepscope.load(path, step_range="aten::*").summary().data,
            json.loads(cli("summary", path, "--step-range", "aten::*",
                           "--format", "json")))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = stepscope.load(path, step_range="nobody")
        self.assertIn("no range is called nobody", str(caught[0].message))
        self.assertEqual(len(result["steps"]), 0)
        for bad, kind in ((5, TypeError), ("", ValueError),
                          ("a\0b", ValueError)):
            with self.assertRaises(kind):
                stepscope.load(path, step_range=bad)

    def test_says_what_the_cli_says(self):
        path = trace_files.write("trace.json")
        result = stepscope.load(path)
        self.assertEqual(str(result.summary()), cli("summary", path))
        self.assertEqual(result.summary().data,
                         json.loads(cli("summary", path, "--format", "json")))
        self.assertEqual(str(result.advise()), cli("advise", path))
        self.assertEqual(str(result.whatif("graph")),
                         cli("whatif", path, "--change", "graph"))
        self.assertEqual(result.whatif("graph", steps="1:3").data, json.loads(
            cli("whatif", path, "--change", "graph", "--steps", "1:3",
                "--format", "json")))
        trace_files.write("other.json", steps=6)
        self.assertEqual(str(result.compare("other.json")),
                         cli("compare", path, "other.json"))
        info = json.loads(cli("info", path, "--format", "json"))
        for key in ("counts", "processes", "threads", "ledger", "window"):
            self.assertEqual(result.info[key], info[key])

    def test_exports_every_format(self):
        result = stepscope.load(trace_files.write("trace.json"))
        rows = [{key: row[key] for key in ("name", "dur_ns")}
                for row in result.events]
        for path, format in (("a.json", None), ("b.json.gz", None),
                             ("c.pftrace", None), ("d.sscap", None),
                             ("e", "capture"), (pathlib.Path("f.json"),
                                                "chrome")):
            result.export(path, format)
            again = [{key: row[key] for key in ("name", "dur_ns")}
                     for row in stepscope.load(path).events]
            self.assertEqual(sorted(map(str, again)), sorted(map(str, rows)))
        with self.assertRaises(OSError):
            result.export("no/such/folder/a.json")

    def test_import_does_not_load_the_reader(self):
        said = support.run_script(
            "import stepscope, sys\n"
            "maps = open('/proc/self/maps').read()\n"
            "print('stepscope_read' in maps, 'stepscope.data' in sys.modules)\n"
            "stepscope.load(b'{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, "
            "\"dur\": 1, \"name\": \"a\", \"pid\": 1, \"tid\": 1}]}')\n"
            "print('stepscope_read' in open('/proc/self/maps').read())\n")
        self.assertEqual(said.stdout.split(), ["False", "False", "True"])

    def test_progress_only_on_a_terminal(self):
        said = support.run_script(
            "from stepscope.data.progress import progress_for\n"
            "with progress_for('x') as show:\n"
            "    print(show)\n", env={"TERM": "xterm"})
        self.assertEqual((said.stdout, said.stderr), ("None\n", ""))
        import stepscope.data.progress as progress

        class Terminal:
            text = ""

            def isatty(self):
                return True

            def write(self, text):
                self.text += text

            def flush(self):
                pass

        real, quick, term = sys.stderr, progress._QUICK, os.environ.get("TERM")
        sys.stderr, progress._QUICK = Terminal(), -1
        os.environ["TERM"] = "xterm"
        try:
            with progress.progress_for("a\x1b[2Jb") as show:
                show(1, 4)
                drawn = sys.stderr.text
            self.assertIn("25 %", drawn)
            self.assertNotIn("\x1b[2J", drawn)
            self.assertTrue(sys.stderr.text.endswith("\r\x1b[K"))
        finally:
            sys.stderr, progress._QUICK = real, quick
            if term is None:
                del os.environ["TERM"]
            else:
                os.environ["TERM"] = term

    def test_interrupt_ends_a_read_that_waits(self):
        os.mkfifo("pipe")
        said = support.run_script(
            "import signal, stepscope\n"
            "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
            "try:\n"
            "    signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
            "    stepscope.load('pipe')\n"  # nobody ever writes to it
            "except KeyboardInterrupt:\n"
            "    print('interrupted', flush=True)\n"
            # What was left behind ends, and so does the program. O_RDWR: it
            # does not wait for a reader, which there may not be yet.
            "import os\n"
            "os.close(os.open('pipe', os.O_RDWR))\n")
        self.assertEqual(said.stdout.strip(), "interrupted")


if __name__ == "__main__":
    unittest.main()
