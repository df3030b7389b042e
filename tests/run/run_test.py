#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stepscope run` on programs that know nothing of it.

usage: run_test.py STEPSCOPE RANGES OWN_PROFILER EMITS_NVTX NVTX_TOOL
"""

import collections
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import support
from support import RunTestCase, names

RANGES = ""
OWN_PROFILER = ""
EMITS_NVTX = ""
NVTX_TOOL = ""


class CommandTest(RunTestCase):
    """The command is run as if we were not there."""

    def test_output_input_and_exit_code_are_the_commands(self):
        done = subprocess.run(
            [support.STEPSCOPE, "run", "--out", str(self.out), "--", "sh",
             "-c", "cat; echo to stderr >&2; exit 7"],
            input="through\n", capture_output=True, text=True, timeout=120,
            check=False)
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stdout, "through\n")
        self.assertIn("to stderr\n", done.stderr)

    def test_arguments_after_the_dashes_are_left_alone(self):
        done = self.run_it("echo", "--out", "x", "--", "--steps", "é\n")
        self.assertEqual(done.stdout, "--out x -- --steps é\n\n")

    def test_death_by_signal_is_death_by_the_same_signal(self):
        for number in (signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL):
            shutil.rmtree(self.out, ignore_errors=True)
            self.run_it("sh", "-c", f"kill -{int(number)} $$",
                        code=-int(number))

    def test_signals_sent_to_us_reach_the_command(self):
        with subprocess.Popen(
                [support.STEPSCOPE, "run", "--quiet", "--out", str(self.out),
                 "--", RANGES, "wait"], stdout=subprocess.PIPE,
                text=True) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=120), 5)

    def test_a_command_that_removes_its_folder_ends_as_it_ends(self):
        place = self.folder / "place"
        place.mkdir()
        done = subprocess.run(
            [support.STEPSCOPE, "run", "--out", str(self.out), "--", "sh",
             "-c", f"rmdir {place}; {RANGES}; exit 5"], cwd=place,
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn(f"in {self.out}\n", done.stderr)

    def test_a_stop_stops_the_command_too(self):
        # A group of its own in this session, as a shell starts a job: the
        # kernel stops no orphans.
        with subprocess.Popen(
                [support.STEPSCOPE, "run", "--quiet", "--out", str(self.out),
                 "--", RANGES, "wait"], stdout=subprocess.PIPE, text=True,
                preexec_fn=os.setpgrp) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            (child,) = pathlib.Path(
                f"/proc/{process.pid}/task/{process.pid}/children"
            ).read_text(encoding="ascii").split()
            self.await_state(process.pid, child, stopped=False)
            process.send_signal(signal.SIGTSTP)
            self.await_state(process.pid, child, stopped=True)
            process.send_signal(signal.SIGCONT)
            self.await_state(process.pid, child, stopped=False)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(), 5)

    @staticmethod
    def await_state(*pids, stopped):
        """Only the test's own limit ends this."""
        def is_stopped(pid):
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text(
                encoding="ascii", errors="replace")
            return stat.rpartition(") ")[2][0] == "T"
        while any(is_stopped(pid) != stopped for pid in pids):
            time.sleep(0.01)

    def test_a_stack_that_is_too_small_costs_one_line(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (24 << 10, 24 << 10))
        for words, code, line in (
                (("run", "--out", self.out, "--", "sh", "-c", "exit 5"), 5,
                 "running without profiling: the limit of the stack"),
                (("info", "x.sscap"), 4, "the limit of the stack")):
            done = subprocess.run(
                [support.STEPSCOPE, *map(str, words)], capture_output=True,
                text=True, check=False, preexec_fn=limit,
                env={"PATH": os.environ["PATH"]})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(line, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_commands_that_cannot_be_run(self):
        done = self.run_it("no-such-command", code=127)
        self.assertEqual(done.stderr,
                         "stepscope: no-such-command: No such file or "
                         "directory\n")
        self.run_it(self.folder, code=126)
        plain = self.folder / "plain"
        plain.write_text("not a program")
        self.run_it(plain, code=126)

    def test_usage_errors(self):
        for flags in ([], ["--"], ["--steps", "5:2", "--", "true"],
                      ["--steps", "x", "--", "true"],
                      ["--steps", ":", "--", "true"],
                      ["--steps", "1:2x", "--", "true"],
                      ["--start-after", "-1", "--", "true"],
                      ["--frobnicate", "--", "true"]):
            done = subprocess.run([support.STEPSCOPE, "run", *flags],
                                  capture_output=True, text=True, timeout=120,
                                  check=False)
            self.assertEqual(done.returncode, 2, flags)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_command_without_the_dashes_is_told_where_they_go(self):
        for words in (["ls", "-l"], ["--out", "x", "python3", "a.py"]):
            done = subprocess.run([support.STEPSCOPE, "run", *words],
                                  capture_output=True, text=True, timeout=30,
                                  check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("put -- before the command", done.stderr)
            command = " ".join(words[-2:])
            self.assertIn(f"stepscope run -- {command}\n", done.stderr)

    def test_the_program_runs_even_where_nothing_can_be_recorded(self):
        self.out.write_text("a file, not a folder")
        done = self.run_it("echo", "still here")
        self.assertEqual(done.stdout, "still here\n")
        self.assertIn("running without profiling", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_folder_that_turns_unwritable_costs_one_line(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        self.out.mkdir()
        done = self.run_it("sh", "-c", f"chmod 500 {self.out}; {RANGES}")
        self.assertIn("is not recorded", done.stderr)

    def test_static_programs_run_without_profiling(self):
        source = self.folder / "static.c"
        source.write_text("int main(void) { return 9; }\n")
        program = self.folder / "static"
        if subprocess.run(["cc", "-static", "-o", program, source],
                          capture_output=True, check=False).returncode:
            self.skipTest("cannot link statically here")
        done = self.run_it(program, code=9)
        self.assertIn("it is linked statically", done.stderr)

    def test_what_is_preloaded_needs_libc_alone(self):
        injector = (pathlib.Path(support.STEPSCOPE).parent.parent / "lib" /
                    "libstepscope_inject.so")
        text = subprocess.run(["readelf", "-dW", injector], check=True,
                              capture_output=True, text=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.+?)\]", text)
        self.assertIn("libc.so.6", needed)
        self.assertEqual([n for n in needed if n != "libc.so.6" and
                          not n.startswith("ld-linux")], [])

    def test_helpers_that_end_at_once_leave_nothing(self):
        done = self.run_it("sh", "-c", "true; /bin/true; exec /bin/true")
        self.assertEqual(self.captures(), [])
        self.assertIn("nothing was recorded", done.stderr)


class RangesTest(RunTestCase):

    def test_every_range_and_mark_is_an_event(self):
        done = self.run_it(RANGES, "50")
        self.assertIn("recorded 1 capture", done.stderr)
        events = self.events()
        count = collections.Counter(names(events))
        self.assertEqual(
            {n: c for n, c in count.items() if not n.startswith("step ")},
            {"forward": 50, "ncclAllReduce": 50, "categorised": 50,
             "wide é": 50, "handed over": 1, "on the helper": 1})
        self.assertEqual([n for n in names(events) if n.startswith("step ")],
                         [f"step {i}" for i in range(50)])
        marks = [e for e in events if e["name"] == "mark"]
        self.assertEqual(len(marks), 50)
        self.assertTrue(all(e["ph"] in "iI" for e in marks), marks[:1])
        ledger = self.info()["ledger"]
        self.assertEqual(ledger["seen"], ledger["kept"])

    def test_domain_category_and_payload_are_arguments(self):
        self.run_it(RANGES, "2")
        by_name = collections.defaultdict(list)
        for event in self.events():
            by_name[event["name"]].append(event)
        first, second = by_name["ncclAllReduce"]
        self.assertEqual(first["cat"], "Communication")
        self.assertEqual(first["args"]["domain"], "NCCL")
        self.assertEqual(first["args"]["category"], 3)  # named elsewhere
        self.assertEqual([first["args"]["payload"],
                          second["args"]["payload"]], [1000, 1001])
        self.assertEqual(by_name["categorised"][0]["args"]["category"],
                         "third")
        self.assertNotIn("domain", by_name["categorised"][0]["args"])

    def test_nesting_survives_domains_that_interleave(self):
        self.run_it(RANGES, "1")
        at = {e["name"]: e for e in self.events() if e["ph"] == "X"}
        step, inner = at["step 0"], at["forward"]
        self.assertLessEqual(step["ts"], inner["ts"])
        self.assertLessEqual(inner["ts"] + inner["dur"],
                             step["ts"] + step["dur"])
        # Popped in its own domain, after the step of the default domain.
        other = at["ncclAllReduce"]
        self.assertGreater(other["ts"] + other["dur"],
                           step["ts"] + step["dur"])

    def test_threads_have_the_names_that_the_program_gave(self):
        self.run_it(RANGES, "1")
        threads = {t["name"] for t in self.info()["threads"]}
        self.assertIn("helper", threads)

    def test_steps_by_the_name_of_a_range(self):
        self.run_it(RANGES, "20", flags=["--step-range", "step *", "--steps",
                                         "5:8"])
        events = self.events()
        steps = [e["name"] for e in events if e.get("cat") == "ProfileStep"]
        self.assertEqual(steps, ["step 5", "step 6", "step 7"])
        self.assertEqual(names(events).count("forward"), 3)
        self.assertNotIn("handed over", names(events))
        shutil.rmtree(self.out)
        self.run_it(RANGES, "20", flags=["--step-range", "step *", "--steps",
                                         "18:"])
        self.assertEqual(names(self.events()).count("forward"), 2)

    def test_steps_beside_the_window_are_timed(self):
        self.run_it(RANGES, "20", flags=["--step-range", "step *", "--steps",
                                         "5:8"])
        info = self.info()
        metadata = {pair["key"]: pair["value"]
                    for pair in info["processes"][0]["metadata"]}
        # So that none of them is warm-up because it is long.
        self.assertEqual(metadata["first_chosen_step"], "5")
        self.assertGreater(float(metadata["cpus_usable"]), 0)
        times = [int(ns) for ns in metadata["unprofiled_times_ns"].split()]
        # Before it 0 to 3, without the first; behind it those of 8 to 18 that
        # had come when it was said last.
        self.assertGreater(len(times), 5)
        self.assertGreater(min(times), 0)
        # The machine decides whether they tell what recording cost.
        self.assertRegex(self.info_text(),
                         r"cost +(Recorded steps took \d|not known: )")
        shutil.rmtree(self.out)
        self.run_it(RANGES, "5", flags=["--step-range", "step *"])
        self.assertNotIn("unprofiled", str(self.info()["processes"]))
        self.assertNotIn("first_chosen_step", str(self.info()["processes"]))

    def test_start_at_a_range(self):
        self.run_it(RANGES, "20", flags=["--start-at", "step 17"])
        self.assertEqual([n for n in names(self.events())
                          if n.startswith("step ")],
                         ["step 17", "step 18", "step 19"])

    def test_start_after_a_time(self):
        self.run_it("sh", "-c", f"{RANGES} 3; sleep 1; {RANGES} 2",
                    flags=["--start-after", "0.5"])
        self.assertEqual(names(self.events()).count("forward"), 2)

    def test_a_range_that_never_comes(self):
        done = self.run_it(RANGES, "3", flags=["--start-at", "nonsense"])
        self.assertIn("nothing was recorded", done.stderr)

    def test_another_nvtx_tool_is_left_alone_unless_asked(self):
        env = dict(os.environ, NVTX_INJECTION64_PATH="/no/such/tool.so")
        self.run_it("sh", "-c", f"{RANGES} 1; sleep 0.3", env=env)
        self.assertNotIn("forward", names(self.events()))
        shutil.rmtree(self.out)
        self.run_it(RANGES, "1", env=env, flags=["--nvtx"])
        self.assertIn("forward", names(self.events()))

    def test_another_cuda_tool_is_left_alone(self):
        env = dict(os.environ, CUDA_INJECTION64_PATH="/no/such/tool.so")
        script = f"{RANGES} 1; sleep 0.3; echo $CUDA_INJECTION64_PATH"
        done = self.run_it("sh", "-c", script, env=env)
        self.assertEqual(done.stdout.strip(), "/no/such/tool.so")
        self.assertIn("forward", names(self.events()))


class ProcessesTest(RunTestCase):

    def test_children_have_captures_of_their_own(self):
        self.run_it("sh", "-c", f"{RANGES} 1 & {RANGES} 2; wait")
        counts = sorted(names(self.events(path)).count("forward")
                        for path in self.captures()
                        if "ranges" in path.name)
        self.assertEqual(counts, [1, 2])
        # The folder is one job.
        self.assertEqual(names(self.events()).count("forward"), 3)

    def test_a_forked_child_records_from_its_first_event(self):
        self.run_it(RANGES, "fork")
        found = [set(names(self.events(path))) for path in self.captures()]
        self.assertEqual(len(found), 2)
        self.assertIn({"in the child"}, found)
        parent = next(f for f in found if f != {"in the child"})
        self.assertLessEqual({"step 0", "step 1"}, parent)

    def test_exec_goes_on_in_the_next_program(self):
        self.run_it("env", "-", *[f"{k}={v}" for k, v in os.environ.items()],
                    "true")  # clears the variables: nothing is injected
        self.assertEqual(self.captures(), [])
        self.run_it("nice", "env", "A=b", RANGES, "3")
        self.assertEqual(names(self.events()).count("forward"), 3)

    def test_what_a_killed_process_recorded_is_kept(self):
        # A killed process of another test may have had the same number.
        shared_memory = pathlib.Path("/dev/shm")
        others = set(shared_memory.glob("stepscope-*"))
        self.run_it(RANGES, "kill", code=-int(signal.SIGKILL))
        (capture,) = self.captures()
        self.assertFalse(self.info(capture)["complete"])
        events = names(self.events(capture))
        self.assertIn("forward", events)
        self.assertIn("never ends", events)
        # Its memory is given back to the machine.
        self.assertEqual(list(self.out.glob("*.live")), [])
        pid = capture.name.split("_")[1]
        self.assertEqual(
            set(shared_memory.glob(f"stepscope-{pid}-*")) - others, set())

    def test_what_a_process_recorded_before_a_hard_exit_is_kept(self):
        self.run_it(RANGES, "exit", code=3)
        self.assertIn("forward", names(self.events()))

    def test_the_programs_own_profiler_comes_first(self):
        done = self.run_it(OWN_PROFILER)
        self.assertIn("last error: []", done.stdout)
        timelines = list(self.folder.glob("profiler_log/*.json"))
        self.assertEqual(len(timelines), 1)
        self.assertRegex(done.stderr,
                         r"stepscope: process \d+ \(run_own_profiler\) records "
                         "with its own Profiler from here on")
        self.assertRegex(done.stderr, "stepscope: the program's own Profiler "
                         f"wrote .*{re.escape(timelines[0].name)}\n")
        text = timelines[0].read_text()
        self.assertIn("ProfileStep#1", text)
        self.assertEqual(text.count('"work"'), 2)

    def test_processor_use_is_recorded_without_any_range(self):
        # Threads are looked at every second. Long enough by both clocks: on a
        # busy machine one passes without the other.
        self.run_it(sys.executable, "-c",
                    "import time\nend = time.time() + 2.5\n"
                    "while time.time() < end or time.process_time() < 1.5:\n"
                    "  pass")
        counters = {e["name"] for e in self.events() if e["ph"] == "C"}
        self.assertIn("CPU cores in use", counters)
        self.assertTrue(any(c.startswith("CPU of python") for c in counters),
                        counters)
        if pathlib.Path("/proc/self/schedstat").is_file():
            self.assertIn("Threads ready to run", counters)
            self.assertTrue(any(c.startswith("CPU wait of python")
                                for c in counters), counters)


class DoctorTest(RunTestCase):

    def doctor(self, *flags, **settings):
        return subprocess.run([support.STEPSCOPE, "doctor", *flags],
                              capture_output=True, text=True, timeout=60,
                              check=False, cwd=self.folder,
                              env={**os.environ, **settings})

    def test_what_doctor_promises_run_keeps(self):
        done = self.doctor("--format", "json", "--out", str(self.out))
        answer = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if answer["host"] else 1)
        self.assertTrue(answer["host"], done.stdout)
        self.run_it(RANGES, "1")
        self.assertEqual(len(self.captures()), 1)
        # It looks, and makes nothing.
        self.assertEqual(self.doctor().returncode, 0)
        self.assertFalse((self.folder / "profiler_log").exists())

    def test_a_machine_that_cannot_record_is_exit_code_1(self):
        done = self.doctor("--out", "/proc/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Host: cannot be recorded", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_leftovers_and_variables_of_others_are_named(self):
        (self.folder / "stepscope-99999999-1.sscap.live").write_text("x")
        done = self.doctor(STEPSCOPE_LIVE_DIR=str(self.folder),
                           NVTX_INJECTION64_PATH="/no/such/tool.so")
        self.assertIn("1 live file of killed processes", done.stdout)
        self.assertIn("/no/such/tool.so", done.stdout)
        self.assertEqual(done.returncode, 0)

    def test_an_unknown_format_is_a_usage_error(self):
        self.assertEqual(self.doctor("--format", "xml").returncode, 2)


class EmitNvtxTest(RunTestCase):
    """Our own events, shown to an NVTX tool."""

    def emit(self, how, **settings):
        log = self.folder / "log"
        env = {**os.environ, "NVTX_INJECTION64_PATH": NVTX_TOOL,
               "NVTX_TOOL_LOG": str(log), **settings}
        subprocess.run([EMITS_NVTX, how], check=True, timeout=120, env=env,
                       cwd=self.folder)
        return log.read_text().splitlines() if log.exists() else []

    def check(self, lines):
        loop = ["push outer", "push eight ch", "pop", "push site",
                "mark point", "pop", "pop"]
        self.assertEqual(lines[0], "push ProfileStep#0")
        self.assertEqual(lines[1:15], loop + loop)
        # What NVTX cannot say is bounded by the event around it.
        self.assertEqual(lines[15:20],
                         ["push a", "push b", "pop", "pop", "push away"])
        self.assertEqual(lines[20:], ["pop", "pop"])

    def test_every_event_is_a_range(self):
        self.check(self.emit("option"))

    def test_the_environment_asks_for_it_too(self):
        self.check(self.emit("environment", STEPSCOPE_EMIT_NVTX="1"))

    def test_without_the_wish_the_tool_is_not_even_loaded(self):
        self.assertEqual(self.emit("environment"), [])

    def test_a_tool_that_is_not_there_does_no_harm(self):
        self.assertEqual(
            self.emit("option", NVTX_INJECTION64_PATH="/no/such/tool.so"), [])

    def test_the_capture_has_the_events_as_well(self):
        self.emit("option")
        (timeline,) = self.folder.glob("profiler_log/*.json")
        text = timeline.read_text()
        self.assertEqual(text.count('"outer"'), 2)
        self.assertEqual(text.count('"away"'), 1)


if __name__ == "__main__":
    support.STEPSCOPE, RANGES, OWN_PROFILER, EMITS_NVTX, NVTX_TOOL = (
        str(pathlib.Path(p).resolve()) for p in sys.argv[1:6])
    unittest.main(argv=sys.argv[:1] + sys.argv[6:], verbosity=2)
