# SPDX-License-Identifier: Apache-2.0
"""Whatever on_trace_ready does, the program ends as it would have ended without
it, with its own exit code."""

import os
import unittest

import guest


class CallbackTest(guest.GuestTest):
    WORKS = ("time.sleep(0.001)", "sum(range(9))", "p.export('x.json')",
             "threading.Event().wait(0.001)")

    def test_outlives_the_program(self):
        for work in ("p.summary()", "stepscope.load('x.json')", *self.WORKS):
            with self.subTest(work):
                self.run_child(f"""
def upload(p):
    begun.set()
    p.export("x.json")
    sys.stdout = io.StringIO()
    while True:
        {work}
p = deliver(upload, grace=60.0)
sys.exit(3)
""", code=3, said=[guest.STILL_RUNNING])

    def test_does_not_want_to_end(self):
        for work in ("time.sleep(600)", *self.WORKS):
            with self.subTest(work):
                self.run_child(f"""
def upload(p):
    begun.set()
    while True:
        try:
            {work}
        except BaseException:
            pass
p = deliver(upload)
sys.exit(3)
""", code=3, said=[guest.STILL_RUNNING])

    def test_cleans_up_if_there_is_time(self):
        self.run_child("""
def upload(p):
    begun.set()
    try:
        while True:
            time.sleep(0.001)
    finally:
        open("cleaned", "w").close()
p = deliver(upload, grace=60.0)
sys.exit(3)
""", code=3, said=[guest.STILL_RUNNING])
        self.assertTrue(os.path.exists("cleaned"))

    def test_is_not_waited_for_in_stop(self):
        self.run_child("""
ended = threading.Event()
def upload(p):
    begun.set()
    ended.wait()
p = deliver(upload)
p.stop()
for wait in p.summary, p.export:
    try:
        wait()
    except RuntimeError as error:
        assert "on_trace_ready=upload" in str(error), error
    else:
        raise AssertionError(wait)
ended.set()
inside._WAIT_S = 60.0
p.export("x.json")
""", said=[r"UserWarning: stepscope: on_trace_ready=upload .* is still "
          "running"])
        self.assertTrue(os.path.exists("x.json"))

    def test_keeps_those_behind_it_from_delivery(self):
        self.run_child("""
def upload(p):
    begun.set()
    time.sleep(600)
p = deliver(upload)
q = Profiler(quiet=True, on_trace_ready=upload)
q.start()
q.step()
""", said=[guest.STILL_RUNNING,
           "^stepscope: a window was not delivered in time; its capture "
           "stays where it is$"])
        self.assertTrue(self.files("profiler_log", ".sscap"))

    def test_stops_and_starts(self):
        for stop in ("p.stop()", "pass"):
            with self.subTest(stop):
                said = self.run_child(f"""
begun = threading.Event()
def ready(p):
    begun.set()
    p.stop()
    p.start()
p = Profiler(quiet=True, on_trace_ready=ready,
             scheduler=lambda step: ProfilerState.RECORD_AND_RETURN)
p.start()
p.step()
begun.wait()
{stop}
print("END")
""")
                self.assertEqual(said, "END\n")

    def test_starts_again_what_the_program_did_not_stop(self):
        self.run_child("""
seen = []
def ready(p):
    seen.append(p.step_num)
    p.stop()
    p.start()
p = Profiler(quiet=True, on_trace_ready=ready,
             scheduler=lambda step: (ProfilerState.RECORD if step < 2 else
                                     ProfilerState.CLOSED))
p.start()
p.step()
p.step()   # a window of two steps
p._wait()
assert stepscope.enabled()  # by the callback
p.stop()
assert not stepscope.enabled()
p.start()  # by the program
assert stepscope.enabled()
p.stop()
assert not stepscope.enabled()
assert len(seen) == 3, seen
""", said=["UserWarning: Improper schedule: RECORD->CLOSED"])

    def test_makes_another_profiler_each_time(self):
        self.run_child("""
begun = threading.Event()
def ready(p):
    begun.set()
    q = Profiler(quiet=True, on_trace_ready=ready)
    q.start()
    q.stop()
p = Profiler(quiet=True, on_trace_ready=ready)
p.start()
p.stop()
begun.wait()
""")

    def test_raises_at_the_end(self):
        for error, name in (("KeyError('mine')", "KeyError: 'mine'"),
                            ("SystemExit(5)", "SystemExit: 5"),
                            ("KeyboardInterrupt", "KeyboardInterrupt: ")):
            with self.subTest(error):
                self.run_child(f"""
sys.excepthook = lambda *error: os._exit(9)
def fails(p): raise {error}
p = Profiler(quiet=True, on_trace_ready=fails)
p.start()
sys.exit(3)
""", code=3, said=[r"^stepscope: on_trace_ready=fails \(.*script\.py:\d+\) "
                   rf"raised {name} \(.*script\.py:\d+\)$"])

    def test_exits(self):
        text = """
def leaves(p): sys.exit(5)
p = Profiler(quiet=True, on_trace_ready=leaves)
p.start()
p.stop()
"""
        self.run_child(text, code=5)
        self.run_child(text.replace("sys.exit(5)", "os._exit(6)"), code=6)

    def test_forks(self):
        self.run_child("""
ends = {}
def child(how):
    with RecordEvent("in the child"):
        pass
    own = Profiler(quiet=True, on_trace_ready=lambda q: q.export("own.json"))
    own.start()
    own.stop()
    assert os.path.exists("own.json")
    os.unlink("own.json")
    if how == "exit":
        os._exit(7)
    if how == "leave":
        sys.exit(4)
    if how == "raise":
        raise KeyError("of the child")
    print("child", end="")
def ready(p):
    for how in "return", "exit", "leave", "raise":
        number = os.fork()
        if number == 0:
            return child(how)
        ends[how] = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    p.export("x.json")
p = Profiler(quiet=True, on_trace_ready=ready)
p.start()
p.step()
p.stop()
assert ends == {"return": 0, "exit": 7, "leave": 4, "raise": 1}, ends
p.export("again.json")
""", said=["^Traceback", "^KeyError: 'of the child'"])
        self.assertTrue(os.path.exists("x.json"))
        self.assertTrue(os.path.exists("again.json"))

    def test_starts_processes(self):
        for method in ("fork", "spawn"):
            with self.subTest(method):
                if os.path.exists("child"):
                    os.unlink("child")
                self.run_child("""
import multiprocessing
def work():
    with Profiler(quiet=True, on_trace_ready=lambda q: q.export("child")):
        pass
def ready(p):
    process = multiprocessing.get_context(sys.argv[1]).Process(target=work)
    process.start()
    process.join()
    assert process.exitcode == 0, process.exitcode
    p.export("x.json")
if __name__ == "__main__":
    with Profiler(quiet=True, on_trace_ready=ready) as p:
        p.step()
""", method)
                self.assertTrue(os.path.exists("child"))

    def test_what_it_starts_can_be_ended(self):
        """By signals, which our own threads block."""
        self.run_child("""
import subprocess
look = ("import signal; "
        "print(list(signal.pthread_sigmask(signal.SIG_BLOCK, [])))")
masks = []
def ready(p):
    masks.append(subprocess.run([sys.executable, "-c", look], text=True,
                                stdout=subprocess.PIPE).stdout)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
with Profiler(quiet=True, on_trace_ready=ready) as p:
    p.step()
ready(None)
assert masks[0] == masks[1], masks
""")

    def test_interrupted(self):
        """Ctrl-C while stop() waits; the program goes on."""
        self.run_child("""
interrupted = threading.Event()
def ready(p):
    signal.raise_signal(signal.SIGINT)
    interrupted.wait()
p = Profiler(quiet=True, on_trace_ready=ready)
p.start()
try:
    p.stop()
except KeyboardInterrupt:
    interrupted.set()
p.export("x.json")
""")

    def test_interrupted_at_the_end(self):
        self.run_child("""
def upload(p):
    signal.raise_signal(signal.SIGINT)
    threading.Event().wait()
p = Profiler(quiet=True, on_trace_ready=upload)
p.start()
sys.exit(3)
""", code=3, said=[guest.STILL_RUNNING])

    def test_with_asyncio(self):
        self.run_child("""
import asyncio
windows = []
async def work(number):
    for _ in range(20):
        with RecordEvent(f"task {number}"):
            await asyncio.sleep(0)
async def main():
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    def on_ready(p):
        windows.append(asyncio.run(work(9)))
        loop.call_soon_threadsafe(ready.set)
    p = Profiler(quiet=True, on_trace_ready=on_ready,
                 scheduler=stepscope.make_scheduler(
                     closed=0, ready=1, record=1, repeat=1))
    p.start()
    await asyncio.gather(*map(work, range(4)))
    p.step()
    await asyncio.gather(*map(work, range(4)))
    p.step()
    await ready.wait()
    await asyncio.to_thread(p.stop)
asyncio.run(main())
assert len(windows) == 1, windows
""")

if __name__ == "__main__":
    unittest.main()
