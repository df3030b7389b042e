# SPDX-License-Identifier: Apache-2.0
"""fluid.profiler: its samples, its report, its checks."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import stepscope
import support
from stepscope.fluid import profiler


def work(rounds):
    for _ in range(rounds):
        with stepscope.RecordEvent("conv2d"):
            with stepscope.RecordEvent("compute"):
                pass


class FluidTest(support.InOwnFolder):
    def tearDown(self):
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            before, sys.stdout = sys.stdout, nowhere
            profiler.stop_profiler(None, "left")
            sys.stdout = before

    def timeline(self, profile):
        subprocess.run(["stepscope", "timeline", "--profile_path", profile,
                        "--timeline_path", "timeline"], check=True)
        return json.loads(pathlib.Path("timeline").read_text(
            encoding="utf-8"))["traceEvents"]

    def slices(self, profile):
        return support.count(event for event in self.timeline(profile)
                             if event["ph"] == "X")

    def test_context_manager(self):
        def sample():
            with profiler.profiler('CPU', 'total', 'profile') as prof:
                self.assertIsNone(prof)
                work(8)

        said = self.printed(sample)
        lines = said.splitlines()
        self.assertIn("------------------------->     Profiling Report     "
                      "<-------------------------", lines)
        self.assertIn("Place: CPU", lines)
        self.assertIn("Time unit: ms", lines)
        self.assertIn("Sorted by total time in descending order in the same "
                      "thread", lines)
        rows = [line.split() for line in lines
                if line.startswith("thread0::")]
        self.assertEqual([row[:2] for row in rows],
                         [["thread0::conv2d", "8"], ["thread0::compute", "8"]])
        self.assertEqual(self.slices("profile"), {"conv2d": 8, "compute": 8})

    def test_start_and_stop(self):
        def sample():
            profiler.start_profiler('GPU')
            for iter in range(10):
                if iter == 2:
                    profiler.reset_profiler()
                work(1)
            profiler.stop_profiler('total', 'profile')

        said = self.printed(sample)
        self.assertIn("Place: CUDA", said)
        self.assertEqual(self.slices("profile")["conv2d"], 8)
        # Off: neither does anything.
        self.assertEqual(self.printed(profiler.stop_profiler), "")
        profiler.reset_profiler()

    def test_every_sorted_key(self):
        for key, words in ((None, "event first end time"),
                           ("calls", "number of calls"),
                           ("total", "total time"), ("max", "maximum time"),
                           ("min", "minimum time"), ("ave", "average time")):
            def sample():
                profiler.start_profiler("All", tracer_option="OpDetail")
                work(2)
                profiler.stop_profiler(key, "profile")

            said = self.printed(sample)
            self.assertIn(f"Sorted by {words} in descending order", said)
            self.assertRegex(said, r"Event +Calls +Total +CPU Time \(Ratio\) "
                                   r"+GPU Time \(Ratio\) +Min\. +Max\. +Ave\. "
                                   r"+Ratio\.")

    def test_local_flow_of_the_manual(self):
        def sample():
            for pass_id in range(2):
                for batch_id in range(12):
                    if pass_id == 0 and batch_id == 5:
                        profiler.start_profiler("All")
                    elif pass_id == 0 and batch_id == 10:
                        profiler.stop_profiler("total", "profile")
                    work(1)

        self.printed(sample)
        self.assertEqual(self.slices("profile")["conv2d"], 5)
        names = {event["args"]["name"] for event in self.timeline("profile")
                 if event["ph"] == "M"}
        self.assertEqual(names, {"trainer:cpu:block:0"})

    def test_wrong_values(self):
        with self.assertRaisesRegex(ValueError, "state must be 'CPU'"):
            profiler.start_profiler("TPU")
        with self.assertRaisesRegex(ValueError, "tracer option"):
            profiler.start_profiler("CPU", "Some")
        with self.assertRaisesRegex(ValueError, "sorted_key"):
            with profiler.profiler("CPU", "call"):
                self.fail()
        with self.assertRaisesRegex(ValueError, "output mode"):
            with profiler.cuda_profiler("out", "xml"):
                self.fail()
        profiler.start_profiler("CPU")
        profiler.start_profiler("nonsense")  # already on
        with self.assertRaisesRegex(ValueError, "sorted_key"):
            profiler.stop_profiler("call")
        work(1)
        # Still on: nothing was lost.
        self.printed(lambda: profiler.stop_profiler("total", "profile"))
        self.assertEqual(self.slices("profile")["conv2d"], 1)

    def test_exception_in_the_block(self):
        def sample():
            with self.assertRaises(KeyError):
                with profiler.profiler("All", None, "profile"):
                    work(3)
                    raise KeyError

        self.assertIn("conv2d", self.printed(sample))
        self.assertEqual(self.slices("profile")["conv2d"], 3)
        self.assertFalse(stepscope.enabled())

    def test_nothing_recorded(self):
        profiler.start_profiler("CPU")
        said = self.warned(lambda: self.printed(
            lambda: profiler.stop_profiler(None, "profile")))
        self.assertEqual(len(said), 1)
        self.assertIn("nothing was recorded", said[0])
        self.assertFalse(os.path.exists("profile"))

    def test_unwritable_profile(self):
        profiler.start_profiler("CPU")
        work(1)
        with self.assertRaisesRegex(OSError, "not written"):
            self.printed(lambda: profiler.stop_profiler(
                None, "/proc/nowhere/profile"))
        self.assertFalse(stepscope.enabled())

    def test_beside_a_profiler(self):
        with stepscope.Profiler(on_trace_ready=lambda p: None) as prof:
            with self.assertRaisesRegex(RuntimeError, "could not be started"):
                profiler.start_profiler("CPU")
            prof.step()

    def test_cuda_profiler(self):
        for mode in (None, "csv", "kvp"):
            with profiler.cuda_profiler("cuda_profiler.txt", mode) as nvprof:
                self.assertIsNone(nvprof)
                work(2)
            text = pathlib.Path("cuda_profiler.txt").read_text(
                encoding="utf-8")
            if mode == "kvp":
                self.assertTrue(text == "" or "method=[" in text)
            else:
                self.assertEqual(text.splitlines()[0], (
                    "gpustarttimestamp,gpuendtimestamp,gridsizeX,gridsizeY,"
                    "gridsizeZ,threadblocksizeX,threadblocksizeY,"
                    "threadblocksizeZ,streamid,method"))
        with profiler.cuda_profiler("own.txt", "csv", ["gputime"]):
            pass
        self.assertEqual(pathlib.Path("own.txt").read_text(
            encoding="utf-8").splitlines()[0], "gputime,method")
        with self.assertRaisesRegex(ValueError, "no_such_option"):
            with profiler.cuda_profiler("odd.txt", "csv", ["no_such_option"]):
                pass

    def test_threads(self):
        import threading

        def sample():
            with profiler.profiler("CPU", "calls", "profile"):
                work(3)
                thread = threading.Thread(target=work, args=(2,))
                thread.start()
                thread.join()

        said = self.printed(sample)
        self.assertIn("Note! This Report merge all thread info into one.",
                      said)
        self.assertRegex(said, r"thread1::conv2d +2 ")
        self.assertRegex(said, r"\nconv2d +5 ")
        threads = {event["tid"] for event in self.timeline("profile")
                   if event["ph"] == "X"}
        self.assertEqual(threads, {0, 1})


TRAINER = """
import sys, socket, stepscope
from stepscope.fluid import profiler
rank, port = sys.argv[1], int(sys.argv[2])
server = socket.create_connection(("127.0.0.1", port))
answers = server.makefile()
for batch in range(30):
    if batch == 5:
        profiler.start_profiler("All")
    elif batch == 15:
        profiler.stop_profiler("total", f"trainer_{rank}")
    with stepscope.RecordEvent("forward"):
        pass
    with stepscope.RecordEvent("send_gradients"):
        server.sendall(b"g\\n")
        answers.readline()
"""

SERVER = """
import socket, threading, stepscope
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
lock = threading.Lock()
def serve(connection):
    with connection, connection.makefile() as requests:
        for _ in requests:
            with stepscope.RecordEvent("RequestSend"):
                pass
            with lock:
                stepscope.step()
            connection.sendall(b"ok\\n")
threads = []
for _ in range(2):
    connection, _ = listener.accept()
    threads.append(threading.Thread(target=serve, args=(connection,)))
    threads[-1].start()
for thread in threads:
    thread.join()
"""


@support.once("processes and files, not the interpreter")
class DistributedTest(support.InOwnFolder):
    def test_trainers_and_server(self):
        pathlib.Path("trainer.py").write_text(TRAINER, encoding="utf-8")
        pathlib.Path("server.py").write_text(SERVER, encoding="utf-8")
        flags = {"FLAGS_rpc_server_profile_period": "10",
                 "FLAGS_rpc_server_profile_path": "./tmp/pserver"}
        server = subprocess.Popen(
            [sys.executable, "server.py"], stdout=subprocess.PIPE, text=True,
            env={**os.environ, **flags})
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.kill)
        port = server.stdout.readline().strip()
        trainers = [subprocess.Popen(
            [sys.executable, "trainer.py", str(rank), port],
            stdout=subprocess.DEVNULL) for rank in range(2)]
        for trainer in trainers:
            self.assertEqual(trainer.wait(timeout=240), 0)
        self.assertEqual(server.wait(timeout=240), 0)
        subprocess.run(
            [sys.executable, "-m", "stepscope.tools.timeline",
             "--profile_path", "trainer0=trainer_0,trainer1=trainer_1,"
             "pserver0=./tmp/pserver", "--timeline_path", "./dist.timeline"],
            check=True, stderr=subprocess.PIPE)
        events = json.loads(pathlib.Path("dist.timeline").read_text(
            encoding="utf-8"))["traceEvents"]
        names = {event["pid"]: event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["name"] == "process_name"}
        seen = {}
        for event in events:
            if event["ph"] == "X":
                label = re.match(r"\w+", names[event["pid"]])[0]
                seen.setdefault(label, []).append(event)
        for rank in range(2):
            self.assertEqual(support.count(seen[f"trainer{rank}"]),
                             {"forward": 10, "send_gradients": 10})
        self.assertGreater(support.count(seen["pserver0"])["RequestSend"], 0)


if __name__ == "__main__":
    unittest.main()
