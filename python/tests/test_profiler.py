# SPDX-License-Identifier: Apache-2.0
"""stepscope.profiler against what paddle.profiler was seen to do."""

import gc
import json
import os
import re
import sys
import threading
import unittest

import stepscope
import support
from stepscope import profiler
from stepscope.profiler import Profiler, ProfilerState, make_scheduler

CPU = [profiler.ProfilerTarget.CPU]
CLOSED, READY, RECORD, RETURN = ProfilerState


def quiet(prof):
    del prof


class SchedulerTest(support.InOwnFolder):
    def states(self, scheduler, steps):
        return "".join("CRrT"[scheduler(step).value] for step in range(steps))

    def test_states(self):
        self.assertEqual(self.states(make_scheduler(
            closed=1, ready=1, record=4, repeat=1), 8), "CRrrrTCC")
        self.assertEqual(self.states(make_scheduler(
            closed=1, ready=1, record=4, repeat=3), 20),
            "CRrrrT" * 3 + "CC")
        self.assertEqual(self.states(make_scheduler(
            closed=1, ready=1, record=4, skip_first=1), 13), "CCRrrrTCRrrrT")
        self.assertEqual(self.states(make_scheduler(
            closed=0, ready=1, record=1), 4), "RTRT")

    def test_bad_arguments(self):
        for record, closed in ((0, 1), (-1, 1), (1, -1)):
            with self.assertRaisesRegex(
                    AssertionError, "^Invalid profiler scheduler arguments"):
                make_scheduler(closed=closed, ready=1, record=record)
        with self.assertRaises(TypeError):
            make_scheduler(1, 1, 4)
        with self.assertRaises(TypeError):
            make_scheduler(closed=1, ready=1)
        with self.assertRaises(TypeError):
            make_scheduler(closed=1, ready=1, record="a")
        with self.assertRaises(AssertionError):
            make_scheduler(closed=1, ready=1, record=1)(-1)

    def test_warning_of_no_ready_step(self):
        (said,) = self.warned(lambda: make_scheduler(closed=0, ready=0,
                                                     record=2))
        self.assertEqual(said, (
            "Profiler will record data after enabling profiler immediately, "
            "          some data collected at the beginning of profiling may "
            "be 'noisy' because of overhead."))

    def test_tuples(self):
        def states(scheduler, steps=6):
            return self.states(Profiler(targets=CPU, scheduler=scheduler,
                                        on_trace_ready=quiet).scheduler, steps)

        self.assertEqual(states((2, 4)), "CRrTCC")
        self.assertEqual(states([1, 4]), "RrrTCC"[:6])
        self.assertEqual(states((0, 2)), "rTCCCC")
        self.assertEqual(states((-3, 4)), "rrrTCC")
        self.assertEqual(states(None), "rrrrrr")
        for wrong in ((5, 2), (2, 2), (1, 2, 3), (2,), (), (-5, -2)):
            with self.assertRaises(AssertionError):
                states(wrong)
        with self.assertRaises(TypeError):
            states(("1", 2))
        for odd in (5, "ab", {}, True):
            said = self.warned(lambda: self.assertEqual(states(odd), "rrrrrr"))
            self.assertIn("every step is recorded", said[0])


class ProfilerTest(support.InOwnFolder):
    def profiler(self, **options):
        options.setdefault("targets", CPU)
        options.setdefault("on_trace_ready", quiet)
        return Profiler(**options)

    def test_signature(self):
        with self.assertRaisesRegex(TypeError, "takes 1 positional argument "
                                               "but 2 were given"):
            Profiler(CPU)
        prof = self.profiler()
        for name in ("targets", "scheduler", "on_trace_ready", "step_num",
                     "previous_state", "current_state", "record_event",
                     "profiler_result", "timer_only", "record_shapes",
                     "profile_memory", "with_flops", "emit_nvtx", "profiler"):
            self.assertTrue(hasattr(prof, name), name)
        self.assertEqual(prof.current_state, RECORD)
        self.assertTrue(callable(prof.scheduler))

    def test_counters(self):
        for counters in (True, False, 10, 250):
            self.assertEqual(self.profiler(counters=counters).counters,
                             counters)
        for counters in (0, 1, 9, -5, 100001):
            with self.assertRaisesRegex(ValueError, "10 to 100000"):
                self.profiler(counters=counters)

    def test_targets(self):
        self.assertIsInstance(Profiler(on_trace_ready=quiet).targets, list)
        self.assertIsInstance(self.profiler(targets=[]).targets, list)
        self.assertEqual(self.profiler().targets, set(CPU))
        said = self.warned(lambda: self.assertEqual(self.profiler(
            targets=[profiler.ProfilerTarget.XPU] * 2).targets, set()))
        self.assertEqual(said, ["Profiling ProfilerTarget.XPU is not supported "
                                "in current context."] * 2)
        said = self.warned(lambda: self.profiler(targets="cpu"))
        self.assertEqual([text.split()[1] for text in said], ["c", "p", "u"])
        with self.assertRaisesRegex(TypeError, "not iterable"):
            self.profiler(targets=profiler.ProfilerTarget.CPU)

    def test_windows_and_states(self):
        seen = []

        def ready(prof):
            prof.export(f"window{len(seen)}.json")
            seen.append(prof)

        prof = self.profiler(scheduler=make_scheduler(
            closed=1, ready=1, record=2, repeat=2), on_trace_ready=ready)
        states = [prof.current_state]
        prof.start()
        for step in range(10):
            self.assertEqual(prof.step_num, step)
            prof.step()
            states.append(prof.current_state)
        self.printed(prof.stop)
        self.assertEqual(states, [CLOSED, READY, RECORD, RETURN] * 2
                         + [CLOSED] * 3)
        self.assertEqual(seen, [prof, prof])
        for window, steps in enumerate(([2, 3], [6, 7])):
            names = [event["name"] for event
                     in support.read_events(f"window{window}.json")]
            self.assertEqual(names, [f"ProfileStep#{step}" for step in steps])

    def test_default_writes_to_profiler_log(self):
        prof = Profiler(targets=CPU)
        self.assertTrue(os.path.isdir("profiler_log"))
        with prof:
            prof.step()
        (path,) = self.files("profiler_log", ".paddle_trace.json")
        self.assertRegex(os.path.basename(path), (
            rf"^host_{re.escape(os.uname().nodename)}pid_{os.getpid()}_time_"
            r"\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d_\d{6}\.paddle_trace\.json$"))

    def test_exporters(self):
        for make, suffix in ((profiler.export_chrome_tracing,
                              ".paddle_trace.json"),
                             (profiler.export_protobuf, ".paddle_trace.pb"),
                             (stepscope.export_capture, ".sscap")):
            with self.profiler(on_trace_ready=make("out", "worker7")) as prof:
                prof.step()
            (path,) = self.files("out", suffix)
            self.assertTrue(os.path.basename(path).startswith("worker7_time_"))
        self.assertEqual(len(os.listdir("out")), 3)
        with open("plain", "w", encoding="utf-8"):
            pass
        with self.assertRaisesRegex(RuntimeError, (
                "^Can not create directory 'plain/sub' for saving profiling "
                "results.")):
            profiler.export_chrome_tracing("plain/sub")

    def test_callback_error_is_seen_once(self):
        def fails(prof):
            raise KeyError("mine")

        prof = self.profiler(on_trace_ready=fails)
        prof.start()
        prof.step()
        with self.assertRaisesRegex(KeyError, "mine"):
            prof.stop()
        prof.stop()
        self.assertIn("ProfileStep", self.printed(prof.summary))

    def test_callback_error_in_a_window(self):
        called = threading.Event()

        def fails(prof):
            called.set()
            raise KeyError("mine")

        prof = self.profiler(scheduler=make_scheduler(
            closed=0, ready=1, record=1, repeat=1), on_trace_ready=fails)
        prof.start()
        prof.step()
        prof.step()
        self.assertTrue(called.wait(60))
        prof._wait()
        with self.assertRaises(KeyError):
            prof.step()
        prof.step()
        self.printed(prof.stop)

    def test_not_callable(self):
        prof = self.profiler(on_trace_ready=5)
        prof.start()
        with self.assertRaisesRegex(TypeError, "'int' object is not callable"):
            prof.stop()

    def test_scheduler_that_raises(self):
        def scheduler(step):
            if step >= 2:
                raise KeyError(step)
            return RECORD

        windows = []
        prof = self.profiler(scheduler=scheduler,
                             on_trace_ready=windows.append)
        prof.start()
        prof.step()
        with self.assertRaisesRegex(KeyError, "2"):
            prof.step()
        prof.step()
        self.printed(prof.stop)
        self.assertEqual(windows, [prof])
        with self.assertRaises(ZeroDivisionError):
            self.profiler(scheduler=lambda step: 1 // step)

    def test_scheduler_that_returns_something_else(self):
        prof = self.profiler(scheduler=lambda step: RECORD if step < 1 else 5)
        prof.start()
        with self.assertRaisesRegex(AssertionError, "returned 5 for step 1"):
            prof.step()
        self.printed(prof.stop)

    def test_warnings_of_transitions(self):
        states = [RECORD, CLOSED, READY, CLOSED, RECORD, READY]
        windows = []
        prof = self.profiler(scheduler=lambda step: states[step],
                             on_trace_ready=windows.append)

        def work():
            prof.start()
            for _ in range(5):
                prof.step()
            self.printed(prof.stop)

        said = self.warned(work)
        ready = ("READY->CLOSED, profiler will start and stop without saving "
                 "data")
        self.assertEqual(said, [
            "Improper schedule: RECORD->CLOSED, the window is delivered as it "
            "is",
            "Improper schedule: " + ready,
            "Improper schedule: RECORD->READY, the window is delivered as it "
            "is",
            "Improper Profiler state transform: " + ready,
        ])
        self.assertEqual(len(windows), 2)

    def test_start_and_stop_in_odd_order(self):
        prof = self.profiler()
        with self.assertRaisesRegex(RuntimeError, "PreconditionNotMet"):
            prof.stop()
        self.profiler(scheduler=(5, 6)).stop()  # CLOSED: nothing to stop
        prof.step()  # not started
        self.assertEqual(prof.step_num, 0)
        self.assertEqual(self.printed(prof.summary), "")
        self.assertEqual(prof.step_info(), "")
        prof.start()
        prof.start()
        prof.step()
        self.printed(prof.stop)
        prof.stop()
        prof.start()
        prof.step()
        self.printed(prof.stop)
        self.assertIn("ProfileStep", self.printed(prof.summary))

    def test_two_at_once(self):
        first = self.profiler()
        second = self.profiler()
        first.start()
        said = self.warned(second.start)
        self.assertIn("not recorded", said[0])
        second.step()
        first.step()
        self.printed(second.stop)
        self.printed(first.stop)
        self.assertIn("ProfileStep", self.printed(first.summary))
        self.assertEqual(self.printed(second.summary), "")

    def test_stop_and_summary_in_the_callback(self):
        def ready(prof):
            prof.stop()
            prof.summary(sorted_by=profiler.SortedKeys.GPUTotal)

        prof = self.profiler(scheduler=[1, 4], on_trace_ready=ready)

        def work():
            prof.start()
            for _ in range(12):
                prof.step()
            prof.stop()
            prof._wait()

        said = self.printed(work)
        self.assertEqual(said.count("Perf Summary"), 1)
        self.assertEqual(said.count("Overview Summary"), 1)

    def test_exception_in_a_window(self):
        windows = []
        with self.assertRaises(KeyboardInterrupt):
            with self.profiler(on_trace_ready=windows.append) as prof:
                prof.step()
                raise KeyboardInterrupt
        self.assertEqual(windows, [prof])

    def test_deleted_while_recording(self):
        windows = []
        prof = self.profiler(
            on_trace_ready=lambda p: windows.append(p.step_num))
        prof.start()
        prof.step()
        del prof
        gc.collect()
        self.assertEqual(windows, [1])
        self.assertFalse(stepscope.enabled())

    def test_export(self):
        prof = self.profiler()
        self.assertEqual(self.warned(lambda: prof.export("x.json")),
                         ["export: no window was recorded"])
        self.assertFalse(os.path.exists("x.json"))
        with prof:
            prof.step()
        prof.export()  # the original dies of this
        (path,) = self.files(".", ".paddle_trace.json")
        prof.export("new/folder/x.json.gz")
        self.assertTrue(os.path.exists("new/folder/x.json.gz"))
        for wrong in ("xml", "JSON"):
            with self.assertRaisesRegex(ValueError, "expected 'json'"):
                prof.export("y", wrong)
        with self.assertRaises(TypeError):
            prof.export("y", 3)
        with self.assertRaises(OSError):
            prof.export("/proc/nowhere/x.json")

    def test_summary_arguments(self):
        prof = self.profiler()
        with prof:
            with profiler.RecordEvent("mine"):
                pass
            prof.step()
        views = profiler.SummaryView
        text = self.printed(lambda: prof.summary(views=views.UDFView))
        self.assertIn("mine", text)
        self.assertNotIn("Device Summary", text)
        text = self.printed(lambda: prof.summary(
            views=[views.DeviceView, views.OverView], time_unit="us"))
        self.assertIn("Device Summary", text)
        self.assertIn("Time unit: us", text)
        self.assertEqual(self.printed(lambda: prof.summary(views=[])), "\n")
        for wrong in ("OverView", 3, [3]):
            with self.assertRaises(TypeError):
                prof.summary(views=wrong)
        with self.assertRaises(AttributeError):
            prof.summary(sorted_by=3)
        with self.assertRaisesRegex(ValueError, "expected s, ms, us or ns"):
            prof.summary(time_unit="hours")

    def test_timer_only(self):
        prof = self.profiler(timer_only=True)

        def work():
            prof.start()
            for i, batch in enumerate(stepscope.read([1] * 12)):
                prof.step(num_samples=4)
                if i == 0:
                    self.assertRegex(
                        prof.step_info(unit="images"),
                        r"^ reader_cost: [\d.]+ s batch_cost: [\d.]+ s ips: "
                        r"[\d.]+ images/s$")
                    self.assertEqual(prof.step_info(unit="images"), "")
            prof.stop()

        said = self.printed(work)
        self.assertIn("Perf Summary", said)
        self.assertIn("IPS Unit: images/s", said)
        self.assertIn("reader_cost", said)
        self.assertNotIn("inf", said)
        self.assertEqual(self.printed(prof.summary), "")

    def test_num_samples(self):
        prof = self.profiler(timer_only=True)
        prof.start()
        with self.assertRaises(TypeError):
            prof.step(num_samples="a")
        with self.assertRaises(TypeError):
            prof.step_info(unit=7)
        said = self.warned(lambda: prof.step(num_samples=-3))
        self.assertIn("below 0", said[0])
        prof.step(num_samples=0)
        self.printed(prof.stop)

    def test_result_and_loading(self):
        with self.profiler(on_trace_ready=profiler.export_protobuf("log"),
                           ) as prof:
            with profiler.RecordEvent("outer"):
                with profiler.RecordEvent("inner"):
                    pass
            prof.step()
        (path,) = self.files("log", ".pb")
        prof.profiler_result.save("again.json")
        for result in (profiler.load_profiler_result(path),
                       prof.profiler_result,
                       profiler.load_profiler_result("again.json")):
            (root,) = result.get_data().values()
            (step,) = [node for node in root.children_node
                       if node.name == "ProfileStep#0"]
            (outer,) = step.children_node
            (inner,) = outer.children_node
            self.assertEqual((outer.name, inner.name), ("outer", "inner"))
            self.assertEqual(inner.type,
                             stepscope.TracerEventType.PythonUserDefined)
            self.assertLessEqual(outer.start_ns, inner.start_ns)
            self.assertEqual(result.get_version(), "1.0.2")
            self.assertEqual(result.get_span_index(), 0)
            self.assertIsInstance(result.get_extra_info(), dict)

    def test_loading_what_is_no_result(self):
        with open("text", "w", encoding="utf-8") as file:
            file.write("nothing")
        for wrong in ("missing", "text"):
            said = self.warned(lambda: self.assertIsNone(
                profiler.load_profiler_result(wrong)))
            self.assertIn(wrong, said[0])
        with self.assertRaises(TypeError):
            profiler.load_profiler_result(5)

    def test_get_profiler(self):
        text = self.printed(lambda: profiler.get_profiler("nope.json"))
        self.assertEqual(text, (
            "Load config file for profiler error: [Errno 2] No such file or "
            "directory: 'nope.json'\nUse default parameters instead.\n"))
        with open("config.json", "w", encoding="utf-8") as file:
            json.dump({
                "targets": ["CPU"], "timer_only": False,
                "scheduler": {"make_scheduler": {
                    "module": "stepscope.profiler", "use_direct": False,
                    "args": [], "kwargs": {"closed": 1, "ready": 1,
                                           "record": 2}}},
                "on_trace_ready": {"export_chrome_tracing": {
                    "module": "stepscope.profiler", "use_direct": False,
                    "args": ["configured"], "kwargs": {}}},
                "odd": 1,
            }, file)
        made = []
        text = self.printed(
            lambda: made.append(profiler.get_profiler("config.json")))
        self.assertIn("odd", text)
        self.assertEqual(made[0].targets, set(CPU))
        self.assertEqual(made[0].scheduler(3), RETURN)
        self.assertTrue(os.path.isdir("configured"))

    def test_unwritable_folder(self):
        prof = self.profiler(on_trace_ready=profiler.export_chrome_tracing(
            "log"))
        os.rmdir("log")
        with open("log", "w", encoding="utf-8"):
            pass

        def work():
            prof.start()
            prof.step()
            self.printed(prof.stop)

        try:
            said = self.warned(work)
        except OSError as error:
            said = [str(error)]
        self.assertIn("log", " ".join(said))


class ProcessTest(support.InOwnFolder):
    def test_end_without_stop(self):
        support.run_script(
            "import stepscope\n"
            "p = stepscope.Profiler(on_trace_ready="
            "stepscope.export_chrome_tracing('log'))\n"
            "p.start()\np.step()\n")
        (path,) = self.files("log", ".json")
        names = [event["name"] for event in support.read_events(path)]
        self.assertIn("ProfileStep#0", names)

    def test_error_of_the_callback_at_exit(self):
        said = support.run_script(
            "import stepscope\n"
            "def fails(p): raise KeyError('mine')\n"
            "p = stepscope.Profiler(on_trace_ready=fails)\np.start()\n")
        self.assertIn("KeyError: 'mine'", said.stderr)

    def test_daemon_threads_and_os_exit(self):
        text = """
import os, sys, threading, stepscope
sys.setswitchinterval(0.0002)
p = stepscope.Profiler(on_trace_ready=lambda p: None)
p.start()
def spin():
    while True:
        with stepscope.RecordEvent("daemon"):
            pass
for _ in range(3):
    threading.Thread(target=spin, daemon=True).start()
p.step()
if sys.argv[1] == "os":
    os._exit(7)
if sys.argv[1] == "stop":
    p.stop()
"""
        ways = [("os", 7), ("stop", 0), ("end", 0)]
        if sys.version_info[:2] == (3, 10):
            # Its daemon threads take a lock that is gone while the libraries
            # of the process are being ended, without stepscope as well: 8 of
            # 25 programs died where that took 0.1 s.
            del ways[1:]
        for how, code in ways:
            said = support.run_script(text, how, check=False)
            self.assertEqual(said.returncode, code, said.stderr)

    def test_forked_workers(self):
        text = """
import os, stepscope
windows = []
p = stepscope.Profiler(on_trace_ready=windows.append)
p.start()
for i in range(4):
    child = os.fork()
    if child == 0:
        with stepscope.RecordEvent("in the child"):
            pass
        p.step()
        p.stop()
        q = stepscope.Profiler(on_trace_ready=lambda q: q.export(f"{i}.json"))
        q.start()
        with stepscope.RecordEvent("own window"):
            pass
        q.stop()
        os._exit(0 if os.path.exists(f"{i}.json") else 3)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    p.step()
p.export  # still there
p.stop()
assert len(windows) == 1
p.export("parent.json")
"""
        support.run_script(text)
        names = [event["name"] for event
                 in support.read_events("parent.json")]
        self.assertNotIn("in the child", names)
        self.assertIn("ProfileStep#3", names)
        self.assertIn("own window", [event["name"] for event
                                     in support.read_events("0.json")])

    def test_start_and_stop_beside_busy_threads(self):
        text = """
import sys, threading, stepscope
sys.setswitchinterval(0.0002)  # many switches in a short test
done = False
def spin():
    while not done:
        with stepscope.RecordEvent("busy"):
            sum(range(100))
threads = [threading.Thread(target=spin) for _ in range(8)]
for t in threads: t.start()
count = 0
def ready(p):
    global count
    count += 1
for _ in range(5):
    with stepscope.Profiler(on_trace_ready=ready) as p:
        p.step()
done = True
for t in threads: t.join()
assert count == 5, count
"""
        support.run_script(text)


if __name__ == "__main__":
    unittest.main()
