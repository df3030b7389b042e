# SPDX-License-Identifier: Apache-2.0
"""Profiler(with_python=...): which functions, on which threads, beside whom."""

import cProfile
import json
import os
import sys
import threading
import unittest

import stepscope
import support
from function_truth import name_of, record_functions
from stepscope._function_filter import FunctionFilter

CPU = [stepscope.ProfilerTarget.CPU]
HAS_MONITORING = hasattr(sys, "monitoring")


def leaf():
    pass


def parent():
    leaf()
    leaf()


def names(events):
    return [event["name"].partition(" (")[0] for event in events]


class FunctionTest(support.InOwnFolder):
    def test_name_file_and_line(self):
        with open("model.py", "w", encoding="utf-8") as file:
            file.write("class Model:\n    def forward(self):\n        pass\n")
        scope = {}
        with open("model.py", encoding="utf-8") as file:
            exec(compile(file.read(), os.path.abspath("model.py"), "exec"),
                 scope)
        model = scope["Model"]()
        events = record_functions(model.forward)
        self.assertIn(f"{name_of(model.forward.__code__)} (model.py:2)",
                      [event["name"] for event in events])

    def test_nothing_without_being_asked(self):
        self.assertEqual(support.record(parent), [])

    def test_functions_that_run_already_are_there(self):
        def outer():
            return record_functions(parent)

        found = names(outer())
        self.assertIn(name_of(outer.__code__), found)
        self.assertEqual(found.count("parent"), 1)
        self.assertEqual(found.count("leaf"), 2)

    def test_only_recorded_steps(self):
        prof = stepscope.Profiler(
            targets=CPU, with_python=True, scheduler=(2, 4),
            on_trace_ready=lambda p: p.export("trace.json"))
        with support.quiet_stdout(), prof:
            for _ in range(6):
                parent()
                prof.step()
        found = names(support.read_events("trace.json"))
        self.assertEqual(found.count("parent"), 2)
        self.assertEqual(found.count("leaf"), 4)

    def test_two_windows(self):
        paths = []

        def ready(prof):
            paths.append(f"{len(paths)}.json")
            prof.export(paths[-1])

        prof = stepscope.Profiler(
            targets=CPU, with_python=True, on_trace_ready=ready,
            scheduler=stepscope.make_scheduler(closed=0, ready=1, record=1))
        with support.quiet_stdout(), prof:
            for _ in range(4):
                parent()
                prof.step()
        for path in paths[:2]:
            found = names(support.read_events(path))
            self.assertEqual(found.count("parent"), 1, path)

    def test_no_function_is_left_open(self):
        prof = stepscope.Profiler(
            targets=CPU, with_python=True,
            on_trace_ready=lambda p: p.export("trace.sscap", "capture"))
        with support.quiet_stdout(), prof:
            parent()
        from stepscope._native_files import run

        info = json.loads(run("info", "--format", "json", "trace.sscap"))
        self.assertEqual([thread["open_scopes"] for thread in info["threads"]
                          if thread["open_scopes"]], [])
        self.assertGreater(info["ledger"]["kept"], 3)

    def test_events_and_functions_share_a_thread(self):
        def work():
            for _ in range(3):
                with stepscope.RecordEvent("range"):
                    parent()

        events = record_functions(work)
        self.assertEqual(names(events).count("leaf"), 6)
        ranges = [event for event in support.read_events("trace.json")
                  if event["name"] == "range"]
        self.assertEqual(len(ranges), 3)

    def test_an_odd_name(self):
        odd = type(leaf)(leaf.__code__.replace(co_name="\udcff\n"),
                         {}, "odd")
        self.assertEqual(len(record_functions(odd)) > 0, True)

    def test_code_objects_are_not_kept(self):
        def made():
            pass

        before = sys.getrefcount(made.__code__)
        for _ in range(3):
            record_functions(made)
        self.assertLessEqual(sys.getrefcount(made.__code__), before + 1)


class FilterTest(support.InOwnFolder):
    def test_libraries_are_left_out(self):
        def work():
            json.dumps({"a": [1]}, indent=1)
            leaf()

        found = {event["name"] for event in record_functions(work)}
        self.assertTrue(any(name.startswith("leaf (") for name in found))
        self.assertFalse([name for name in found if "/json/" in name])

    def test_libraries_can_be_taken_in(self):
        events = record_functions(lambda: json.dumps({"a": [1]}, indent=1),
                                  include=["json"])
        self.assertTrue([event for event in events
                         if "/json/" in event["name"]])

    def test_files_can_be_left_out(self):
        events = record_functions(parent, exclude="*/" +
                                  os.path.basename(__file__))
        self.assertFalse([name for name in names(events) if name == "leaf"])

    def test_rules(self):
        chosen = FunctionFilter()
        library = os.path.dirname(os.__file__)
        for path, wanted in (
                ("train.py", True), ("/home/me/train.py", True),
                ("<stdin>", True), ("<ipython-input-1-ab>", True),
                ("<frozen importlib._bootstrap>", False),
                ("<string>", False), ("<attrs generated init>", False),
                ("/s/share/stepscope/python/sitecustomize.py", False),
                (library + "/json/encoder.py", False),
                ("/venv/lib/python3.11/site-packages/torch/nn/m.py", False),
                ("/usr/lib/python3/dist-packages/numpy/core.py", False),
                (stepscope.__file__, False)):
            self.assertEqual(chosen(path), wanted, path)
        chosen = FunctionFilter(include=["torch", "*/site-packages/x/*"],
                                exclude=["m.py", "*/secret/*"])
        for path, wanted in (
                ("/s/site-packages/torch/nn/f.py", True),
                ("/s/site-packages/torch/nn/m.py", False),
                ("/s/site-packages/x/f.py", True),
                ("/s/site-packages/xy/f.py", False),
                ("/home/secret/f.py", False), ("m.py", False),
                (stepscope.__file__, False)):
            self.assertEqual(chosen(path), wanted, path)

    def test_bad_arguments(self):
        for given, error, text in (
                (3, TypeError, "with_python=3: expected True"),
                ({"inclued": "*"}, ValueError, "unknown key 'inclued'"),
                ({"include": [3]}, TypeError, "include holds 3")):
            with self.assertRaisesRegex(error, text):
                stepscope.Profiler(with_python=given)

    def test_a_filter_that_raises_leaves_out(self):
        class Broken(FunctionFilter):
            def __call__(self, file):
                raise ValueError(file)

        prof = stepscope.Profiler(
            targets=CPU, with_python=Broken(),
            on_trace_ready=lambda p: p.export("trace.json"))
        with support.quiet_stdout(), prof:
            parent()
        self.assertNotIn("leaf", names(support.read_events("trace.json")))


class ThreadTest(support.InOwnFolder):
    def test_threads_that_run_already(self):
        go_on, called = threading.Event(), threading.Event()
        stop = threading.Event()

        def looked_for():
            called.set()

        def loop():
            go_on.wait()
            while not stop.wait(0.001):
                looked_for()

        thread = threading.Thread(target=loop)
        thread.start()

        def work():
            go_on.set()
            called.wait()

        try:
            events = record_functions(work)
        finally:
            go_on.set()
            stop.set()
            thread.join()
        self.assertIn(name_of(looked_for.__code__), names(events))
        self.assertIn(name_of(loop.__code__), names(events))

    def test_threads_that_start_later(self):
        def work():
            threads = [threading.Thread(target=parent) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        found = names(record_functions(work))
        self.assertEqual(found.count("parent"), 8)
        self.assertEqual(found.count("leaf"), 16)

    def test_many_short_threads_and_windows(self):
        for _ in range(5):
            def work():
                for _ in range(10):
                    thread = threading.Thread(target=parent)
                    thread.start()
                    thread.join()

            self.assertEqual(names(record_functions(work)).count("leaf"), 20)


class OthersTest(support.InOwnFolder):
    def test_cprofile_at_the_same_time(self):
        other = cProfile.Profile()

        def work():
            parent()

        other.enable()
        try:
            said = self.warned(lambda: record_functions(work))
        finally:
            other.disable()
        if HAS_MONITORING:
            self.assertEqual(said, [])
            self.assertIn("parent",
                          names(support.read_events("trace.json")))
        else:
            self.assertEqual(said, ["Python functions may be missing: another "
                                    "profiler is active"])
        self.assertIn("parent", {entry.code.co_name
                                 for entry in other.getstats()
                                 if hasattr(entry.code, "co_name")})

    def test_cprofile_that_starts_later(self):
        other = cProfile.Profile()

        def work():
            other.enable()
            parent()
            other.disable()

        said = self.warned(lambda: record_functions(work))
        if not HAS_MONITORING:
            self.assertEqual(said, ["Python functions may be missing: another "
                                    "profiler took over"])
        self.assertIn("parent", {entry.code.co_name
                                 for entry in other.getstats()
                                 if hasattr(entry.code, "co_name")})

    @unittest.skipUnless(HAS_MONITORING, "sys.monitoring is of 3.12")
    def test_no_tool_id_is_free(self):
        taken = [tool for tool in range(6)
                 if sys.monitoring.get_tool(tool) is None]
        for tool in taken:
            sys.monitoring.use_tool_id(tool, "test")
        try:
            said = self.warned(lambda: record_functions(parent))
        finally:
            for tool in taken:
                sys.monitoring.free_tool_id(tool)
        self.assertEqual(said, ["Python functions may be missing: other tools "
                                "use all ids of sys.monitoring"])
        self.assertEqual(names(record_functions(parent)).count("leaf"), 2)

    @unittest.skipUnless(HAS_MONITORING, "sys.monitoring is of 3.12")
    def test_the_tool_id_is_given_back(self):
        record_functions(parent)
        self.assertEqual([sys.monitoring.get_tool(tool)
                          for tool in range(6)], [None] * 6)

    @unittest.skipIf(HAS_MONITORING, "the profile function is of before 3.12")
    def test_the_profile_function_is_removed(self):
        record_functions(parent)
        self.assertIsNone(sys.getprofile())
        self.assertIsNone(threading._profile_hook)


if __name__ == "__main__":
    unittest.main()
