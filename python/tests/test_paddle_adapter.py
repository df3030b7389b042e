# SPDX-License-Identifier: Apache-2.0
"""What is made of a Paddle that is imported, with a Paddle that is a script:
its tracer, its hooks and versions that are not as expected. With the real one:
test_side_by_side_live.py."""

import os
import sys
import textwrap
import threading
import time
import types
import unittest
import warnings

import stepscope
import stepscope.profiler as profiler
import support
from stepscope import _paddle


class Node:
    """As a node of Paddle's result."""

    def __init__(self, name, kind, start_ns, end_ns, *children):
        self.name, self.type = name, kind
        self.start_ns, self.end_ns = start_ns, end_ns
        self.children_node = list(children)


class Tracer:
    """As paddle.base.core._Profiler, of which there can be one."""

    exists = False
    options = None

    @classmethod
    def create(cls, options, devices):
        if cls.exists:
            return None
        cls.exists, cls.options = True, options
        return cls()

    def __del__(self):
        Tracer.exists = False

    def prepare(self):
        pass

    def start(self):
        self.began = time.time_ns()

    def stop(self):
        return self

    def get_data(self):
        now, thread = time.time_ns(), threading.get_native_id()
        middle = (self.began + now) // 2
        return {thread: Node("root node", 7, 0, 2 ** 64 - 1, Node(
            "conv2d dygraph", 0, self.began, now,
            Node("conv2d infer_meta", 8, self.began, middle),
            Node("conv2d kernel launch", 15, middle, now)))}


class Benchmark:
    def __init__(self):
        self.hooks, self.current_event = {"timer_hook": None}, None

    def check_if_need_record(self, reader):
        pass


def imported_paddle(**changed):
    """The modules of a Paddle, by name. None takes something away."""
    benchmark = Benchmark()
    parts = {
        "profiler": {"_Profiler": Tracer,
                     "ProfilerOptions": types.SimpleNamespace},
        "utils": {"_is_profiler_used": False},
        "timer": {"benchmark": lambda: benchmark},
    }
    modules = {"paddle": types.ModuleType("paddle"),
               "paddle.profiler": types.ModuleType("paddle.profiler")}
    modules["paddle"].__version__ = "9.9"
    for part, names in parts.items():
        module = types.ModuleType(f"paddle.profiler.{part}")
        names.update(changed.get(part, {}))
        vars(module).update({name: value for name, value in names.items()
                             if value is not None})
        if part not in changed.get("without", ()):
            modules[module.__name__] = module
    return modules


class AdapterTest(support.InOwnFolder):
    def setUp(self):
        super().setUp()
        _paddle._said.clear()
        Tracer.exists = False

    def import_paddle(self, **changed):
        modules = imported_paddle(**changed)
        self.addCleanup(lambda: [sys.modules.pop(name, None)
                                 for name in modules])
        sys.modules.update(modules)
        return modules

    def record(self, work=lambda prof: None, **arguments):
        """The events, and what was said."""
        def run():
            with support.quiet_stdout():
                with stepscope.Profiler(
                        on_trace_ready=lambda p: p.export("trace.json"),
                        **arguments) as prof:
                    work(prof)
                    time.sleep(0.002)
        said = self.warned(run)
        return support.read_events("trace.json"), said

    def names(self, events):
        return support.count(event for event in events
                             if "ProfileStep" not in event["name"])

    def test_operators_are_part_of_the_trace(self):
        modules = self.import_paddle()
        utils = modules["paddle.profiler.utils"]
        used = []
        events, said = self.record(
            lambda prof: used.append(utils._is_profiler_used))
        self.assertEqual(said, [])
        self.assertEqual(used, [True])
        self.assertFalse(utils._is_profiler_used)
        self.assertIs(modules["paddle.profiler.profiler"]._Profiler, Tracer)
        self.assertEqual(Tracer.options.trace_switch, 1)
        self.assertFalse(Tracer.exists)
        self.assertEqual([event["name"].split("[")[0] for event in events],
                         ["ProfileStep#0", "conv2d dygraph",
                          "conv2d infer_meta", "conv2d kernel launch"])
        self.assertEqual([event["cat"] for event in events[1:]],
                         ["Operator", "OperatorInner", "DygraphKernelLaunch"])
        self.assertEqual(len({event["tid"].split("(")[0]
                              for event in events}), 1)

    def test_not_imported_nothing_is_loaded(self):
        support.run_script(textwrap.dedent("""
            import sys
            import stepscope.profiler as profiler
            with profiler.Profiler(on_trace_ready=lambda prof: None) as prof:
                prof.step()
            assert not any("paddle" == name.split(".")[0]
                           for name in sys.modules)
        """))

    def test_imported_during_a_window(self):
        def work(prof):
            self.import_paddle()
            prof.step()
            prof.step()
        events, said = self.record(work)
        self.assertEqual(said, [])
        self.assertIn("conv2d dygraph", str(self.names(events)))

    def test_versions_that_do_not_fit(self):
        for changed in ({"profiler": {"_Profiler": None}},
                        {"profiler": {"ProfilerOptions": None}},
                        {"utils": {"_is_profiler_used": None}},
                        {"without": ("profiler",)}):
            with self.subTest(changed=changed):
                _paddle._said.clear()
                self.import_paddle(**changed)
                events, said = self.record(lambda prof: prof.step())
                self.assertEqual(len(said), 1, said)
                self.assertIn("Paddle 9.9 has no ", said[0])
                self.assertTrue(events)
                for name in imported_paddle():
                    sys.modules.pop(name, None)

    def test_a_tracer_that_fails(self):
        class Broken(Tracer):
            def get_data(self):
                raise RuntimeError("no trees today")
        self.import_paddle(profiler={"_Profiler": Broken})
        events, said = self.record()
        self.assertEqual(said, ["stepscope: the operators of Paddle 9.9 are "
                                "lost: no trees today"])
        self.assertTrue(events)

    def test_nodes_that_are_no_events(self):
        class Odd(Tracer):
            def get_data(self):
                now = time.time_ns()
                return {1: Node("root", 7, 0, 0,
                                Node("backwards", 0, now, now - 5),
                                Node(None, 0, now, now),
                                Node("fine", 0, now, now + 5))}
        self.import_paddle(profiler={"_Profiler": Odd})
        events, said = self.record()
        self.assertIn("fine", str(self.names(events)))
        self.assertEqual(len(said), 1)
        self.assertIn("2 of 3 events of Paddle were lost", said[0])

    def test_the_program_has_a_paddle_profiler(self):
        modules = self.import_paddle()
        theirs = []

        def work(prof):
            module = modules["paddle.profiler.profiler"]
            theirs.append(module._Profiler.create(
                types.SimpleNamespace(), []))
            prof.step()
            theirs.clear()
        _, said = self.record(work)
        self.assertEqual(len(said), 1, said)
        self.assertIn("paddle.profiler.Profiler", said[0])

    def test_a_child_has_none_of_it(self):
        modules = self.import_paddle()

        def work(prof):
            child = os.fork()
            if child == 0:
                os._exit(
                    modules["paddle.profiler.utils"]._is_profiler_used
                    or modules["paddle.profiler.profiler"]._Profiler
                    is not Tracer)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.record(work)

    def test_reading_counts_by_data(self):
        benchmark = self.import_paddle()["paddle.profiler.timer"].benchmark()
        loader = types.SimpleNamespace(_dataset=object())

        def work(prof):
            for _ in range(3):
                hook = benchmark.hooks["stepscope"]
                benchmark.check_if_need_record(loader)
                hook.before_reader(benchmark)
                time.sleep(0.002)
                hook.after_reader(benchmark)
                prof.step(4)
            self.assertRegex(prof.step_info("images"),
                             r"reader_cost: 0\.0\d+ s .* images/s")
        events, _ = self.record(work)
        self.assertNotIn("Dataloader", str(self.names(events)))
        self.assertEqual(list(benchmark.hooks), ["timer_hook"])
        self.assertEqual(list(vars(benchmark)), ["hooks", "current_event"])

    def test_not_in_flight_mode_nor_where_not_wanted(self):
        utils = self.import_paddle()["paddle.profiler.utils"]
        for arguments in ({"frameworks": False}, {"timer_only": True}):
            with stepscope.Profiler(quiet=True, **arguments,
                                    on_trace_ready=lambda p: None):
                self.assertFalse(utils._is_profiler_used)


class ModulesTest(support.InOwnFolder):
    """The modules that paddle.profiler has beside its own."""

    def test_utils(self):
        self.assertFalse(profiler.utils._is_profiler_used)
        self.assertIs(profiler.utils.RecordEvent, profiler.RecordEvent)
        self.assertIs(profiler.utils.load_profiler_result,
                      profiler.load_profiler_result)
        with profiler.Profiler(scheduler=(1, 2), quiet=True,
                               on_trace_ready=lambda p: None) as prof:
            self.assertTrue(profiler.utils._is_profiler_used)
            self.assertTrue(profiler.utils.in_profiler_mode())
            prof.step()
        self.assertFalse(profiler.utils.in_profiler_mode())
        profiler.utils.wrap_optimizers()
        with self.assertRaises(AttributeError):
            profiler.utils.nothing
        with self.assertRaises(AttributeError):
            profiler.nothing

    def test_job_schedule_profiler_range(self):
        inside = []
        for step in range(4):
            with profiler.utils.job_schedule_profiler_range(
                    step, 1, 3, exit_after_prof=False) as now:
                inside.append(now)
        self.assertEqual(inside, [False, True, True, False])
        with self.assertRaises(SystemExit):
            with profiler.utils.job_schedule_profiler_range(2, 1, 3):
                pass

    def test_timer(self):
        timer = profiler.timer.benchmark()
        self.assertIs(timer, profiler.timer.benchmark())
        self.assertEqual(timer.step_info("images"), "")
        timer.begin()
        for _ in range(3):
            timer.check_if_need_record(self)
            timer.before_reader()
            time.sleep(0.001)
            timer.after_reader()
            timer.step(num_samples=4)
        self.assertRegex(timer.step_info("images"),
                         "^ reader_cost: .* batch_cost: .* images/s$")
        timer.end()
        average = profiler.timer.TimeAverager()
        self.assertEqual(average.get_average(), 0)
        average.record(0.5, 10)
        average.record(1.5, 10)
        self.assertEqual((average.get_average(), average.get_ips_average(),
                          average.get_step_average()), (1.0, 10.0, 1.0))

    def test_profiler_statistic(self):
        statistic = profiler.profiler_statistic
        self.assertIs(statistic.SortedKeys, profiler.SortedKeys)
        with profiler.Profiler(quiet=True,
                               on_trace_ready=lambda p: None) as prof:
            with profiler.RecordEvent("outer"):
                with profiler.RecordEvent("inner"):
                    pass
        trees = statistic.traverse_tree(prof.profiler_result.get_data())
        names = [node.name for nodes in trees.values() for node in nodes]
        self.assertLess(names.index("outer"), names.index("inner"))
        for nodes in trees.values():
            self.assertEqual(statistic.get_device_nodes(nodes[0]), [])


if __name__ == "__main__":
    unittest.main()
