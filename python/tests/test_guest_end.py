# SPDX-License-Identifier: Apache-2.0
"""A guest in other people's processes: the interpreter ends as it would have
ended without it, and what is the program's stays so."""

import os
import sys
import unittest

import guest
import support


class EndTest(guest.GuestTest):
    def test_daemon_threads(self):
        """They are in any of our functions when the interpreter ends."""
        works = ("with RecordEvent('daemon'): pass", "p.step()",
                 "p.step_info()", "p.reset()", "p.summary()", "p._wait()",
                 "stepscope.load('x.json')", "p.start(); p.stop()",
                 "Profiler(quiet=True)", "next(stepscope.read([1, 2]))")
        if sys.version_info[:2] == (3, 10):
            # Its daemon threads take a lock that is gone by then, without
            # stepscope as well.
            works = ()
        for work in works:
            with self.subTest(work):
                self.run_child(f"""
sys.setswitchinterval(0.0002)
sys.stdout = io.StringIO()
import warnings
warnings.simplefilter("ignore")
with Profiler(quiet=True, on_trace_ready=lambda p: p.export("x.json")) as p:
    p.step()
p = Profiler(quiet=True, on_trace_ready=lambda p: None)
p.start()
running = threading.Semaphore(0)
def spin():
    first = True
    while True:
        try:
            {work}
        except (RuntimeError, OSError):
            pass
        if first:
            running.release()
            first = False
for _ in range(3):
    threading.Thread(target=spin, daemon=True).start()
for _ in range(3):
    running.acquire()
sys.exit(3)
""", code=3)

    def test_events_that_end_late(self):
        self.run_child("""
import gc
p = Profiler(quiet=True, on_trace_ready=lambda p: p.export("x.json"))
p.start()
class Late:
    def __init__(self):
        self.event = RecordEvent("late")
        self.event.begin()
    def __del__(self, RecordEvent=RecordEvent):
        self.event.end()
        with RecordEvent("later"):
            pass
        RecordEvent("never ends").begin()
late = Late()
sys.modules["late"] = Late()
loop = Late()
loop.itself = loop
gc.disable()
local = threading.local()
def thread():
    local.late = Late()
worker = threading.Thread(target=thread)
worker.start()
worker.join()
threading.Thread(target=lambda: (thread(), time.sleep(600)),
                 daemon=True).start()
def at_exit():
    with RecordEvent("at exit"):
        pass
atexit.register(at_exit)
del loop
""")
        names = [event["name"] for event in support.read_events("x.json")]
        self.assertIn("at exit", names)
        self.assertIn("late", names)

    def test_handlers_that_run_after_ours(self):
        self.run_child("""
def before():
    p.step()
    p.stop()
    p.start()
    q = Profiler(quiet=True, on_trace_ready=lambda q: os._exit(9))
    q.start()
    q.step()
    q.stop()
    with RecordEvent("too late"):
        pass
    print("after")
atexit.unregister(inside._finish_all)
atexit.register(before)
atexit.register(inside._finish_all)
p = Profiler(quiet=True, on_trace_ready=lambda p: p.export("x.json"))
p.start()
""")
        self.assertTrue(os.path.exists("x.json"))

    def test_never_stopped(self):
        for options in ("", "timer_only=True", "mode='flight', job='job'",
                        "mode='on_demand', job='job'", "with_python=True",
                        "keep_capture=True"):
            with self.subTest(options):
                self.run_child(f"""
p = Profiler(quiet=True, on_trace_ready=lambda p: None, {options})
p.start()
p.step()
sys.exit(3)
""", code=3)

    def test_session_never_stopped(self):
        self.run_child("""
import tempfile
os.mkdir("temporary")
tempfile.tempdir = "temporary"
from stepscope.fluid import profiler
profiler.start_profiler("CPU")
with RecordEvent("mine"):
    pass
assert os.listdir("temporary")
if os.fork() == 0:
    sys.exit(0)
os.wait()
assert os.listdir("temporary")
""")
        self.assertEqual(os.listdir("temporary"), [])

    def test_collected_at_the_end(self):
        self.run_child("""
import gc
gc.disable()
for _ in range(3):
    p = Profiler(quiet=True, on_trace_ready=lambda p: None)
    p.start()
    p.step()
    p.itself = p
del p
atexit.register(gc.collect)
""", said=["UserWarning: stepscope: steps are timed but not recorded"] * 2)

    def test_warnings_that_are_errors(self):
        self.run_child("""
import warnings
warnings.simplefilter("error")
p = Profiler(quiet=True, on_trace_ready=lambda p: None,
             scheduler=lambda step: ProfilerState.READY)
p.start()
try:
    p.stop()
except UserWarning:
    pass
p.stop()  # it was
def fails(p): raise KeyError("second")
try:
    with Profiler(quiet=True, on_trace_ready=fails):
        raise ValueError("first")
except ValueError:
    pass
first = Profiler(quiet=True, on_trace_ready=lambda p: None)
second = Profiler(quiet=True, on_trace_ready=lambda p: None)
first.start()
try:
    second.start()
except UserWarning:
    pass
assert stepscope.enabled()
first.stop()
assert not stepscope.enabled()
""")

    def test_standard_streams_are_gone(self):
        for streams in ("sys.stdout = sys.stderr = None",
                        "os.close(1); os.close(2)",
                        "sys.stderr.close()"):
            with self.subTest(streams):
                self.run_child(f"""
def upload(p):
    begun.set()
    time.sleep(600)
p = deliver(upload)
{streams}
""")


class InterpreterTest(guest.GuestTest):
    def test_in_further_interpreters(self):
        """Works or is refused in words, and the first one records on."""
        self.run_child("""
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
text = '''
try:
    import stepscope
except ImportError as error:
    assert "interpreter" in str(error), error
else:
    raise AssertionError("it was imported")
'''
with Profiler(quiet=True, on_trace_ready=lambda p: p.export("x.json")) as p:
    for options in ({}, {"isolated": False}, {"isolated": True}):
        try:
            other = interpreters.create(**options)
        except TypeError:
            continue  # 3.13 has other options
        failed = interpreters.run_string(other, text)
        assert failed is None, failed
        interpreters.destroy(other)
    with RecordEvent("mine"):
        pass
""")
        names = [event["name"] for event in support.read_events("x.json")]
        self.assertIn("mine", names)

    def test_leaves_the_interpreter_as_it_is(self):
        said = self.run_child("""
import gc, locale, resource, warnings

def state():
    return {
        "signals": [signal.getsignal(number) for number in range(1, 32)],
        "mask": signal.pthread_sigmask(signal.SIG_BLOCK, []),
        "wakeup": signal.set_wakeup_fd(-1),
        "hooks": (sys.excepthook, sys.unraisablehook, sys.displayhook,
                  threading.excepthook, sys.breakpointhook),
        "locale": locale.setlocale(locale.LC_ALL),
        "folder": os.getcwd(),
        "umask": (os.umask(0o22), os.umask(0o22)),
        "environment": dict(os.environ),
        "filters": list(warnings.filters),
        "path": (list(sys.path), list(sys.path_hooks)),
        "finders": [finder for finder in sys.meta_path
                    if type(finder).__module__ != "stepscope._imports"],
        "switch": sys.getswitchinterval(),
        "depth": sys.getrecursionlimit(),
        "trace": (sys.gettrace(), sys.getprofile(), threading._profile_hook,
                  threading._trace_hook),
        "tools": [sys.monitoring.get_tool(tool) for tool in range(6)]
                 if hasattr(sys, "monitoring") else [],
        "gc": (gc.isenabled(), gc.get_threshold(), list(gc.callbacks)),
        "threads": threading.enumerate(),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
        "limits": [resource.getrlimit(limit) for limit in range(16)],
    }

os.umask(0o22)
before = state()
for options in ({}, {"timer_only": True}, {"with_python": True},
                {"mode": "flight", "job": "job"},
                {"mode": "on_demand", "job": "job"},
                {"profile_memory": True}):
    p = Profiler(quiet=True, on_trace_ready=lambda p: p.export("x.json"),
                 **options)
    p.start()
    p.step()
    running = state()
    p.stop()
    for when, now in ("running", running), ("stopped", state()):
        for key in before:
            if (when, key) in (("running", "trace"), ("running", "tools")):
                continue  # with_python
            assert now[key] == before[key], (options, when, key, now[key],
                                             before[key])
stepscope.load("x.json")
now = state()
for key in before:
    assert now[key] == before[key], (key, now[key], before[key])
print("same")
""")
        self.assertEqual(said, "same\n")

    def test_imports_change_little(self):
        """As above, for the import alone: in a Python that has not got it."""
        text = """
import atexit, os, signal, sys, threading, warnings
def state():
    return (dict(os.environ), os.getcwd(), list(sys.path),
            [signal.getsignal(number) for number in range(1, 32)],
            sys.excepthook, threading.enumerate(), list(warnings.filters),
            len(os.listdir("/proc/self/task")), os.listdir("."))
before = state()
import stepscope, stepscope.torch, stepscope.fluid.profiler, stepscope.timeline
assert state() == before, (before, state())
"""
        support.run_script(text)


class DescriptorTest(guest.GuestTest):
    def test_all_are_closed(self):
        """As daemons do it. What the program opens then is its own."""
        self.run_child("""
def ready(p):
    p.export("x.json")
first = Profiler(quiet=True, on_trace_ready=ready)  # keeps a window
with first:
    first.step()
p = Profiler(quiet=True, on_trace_ready=ready)
p.start()
for _ in range(1000):
    with RecordEvent("before"):
        pass
os.closerange(3, 4096)
files = [os.open(f"mine{i}", os.O_RDWR | os.O_CREAT) for i in range(600)]
for file in files:
    os.write(file, b"mine")
for i in range(200000):
    with RecordEvent("after"):
        pass
    if i % 50000 == 0:
        p.step()
try:
    first.export("again.json")
except OSError:
    pass
try:
    p.stop()
except OSError:
    pass
import gc
del first, p
gc.collect()
for i, file in enumerate(files):
    assert os.pread(file, 100, 0) == b"mine", i
    assert os.fstat(file).st_size == 4, i
    os.close(file)
os._exit(0)
""")
        for i in range(600):
            with open(f"mine{i}", "rb") as file:
                self.assertEqual(file.read(), b"mine")

    def test_a_kept_window_is_not_taken_from_the_programs_file(self):
        """A window that was delivered is a file without a name."""
        self.run_child("""
with Profiler(quiet=True, on_trace_ready=lambda p: None) as p:
    p.step()
held = [int(number) for number in os.listdir("/proc/self/fd")
        if "(deleted)" in (os.readlink(f"/proc/self/fd/{number}")
                           if os.path.lexists(f"/proc/self/fd/{number}")
                           else "")]
window = max(held)
assert window >= 500, held
os.close(window)
mine = os.open("mine", os.O_RDWR | os.O_CREAT)
os.dup2(mine, window)
try:
    p.export("x.json")
except OSError as error:
    assert "closed the descriptor" in str(error), error
else:
    raise AssertionError("it was exported")
import gc
del p
gc.collect()
assert os.write(window, b"mine") == 4  # and still open
""")
        self.assertFalse(os.path.exists("x.json"))

if __name__ == "__main__":
    unittest.main()
