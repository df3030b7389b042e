# SPDX-License-Identifier: Apache-2.0
"""Python under `stepscope run --python`: that functions are recorded, and that
the program is the same as without."""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import unittest

import stepscope
import support
from stepscope._native_files import PROGRAM, run

FUNCTIONS = """
def leaf():
    pass

def parent():
    leaf()
    leaf()
"""


class StartupTest(support.InOwnFolder):
    def write(self, name, text):
        with open(name, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))

    def run_python(self, *arguments, flags=("--python",), env=None):
        self.runs = getattr(self, "runs", 0) + 1
        self.out = f"log{self.runs}"
        return subprocess.run(
            [PROGRAM, "run", "--quiet", "--no-torch", "--no-gpu", *flags,
             "--out", self.out, "--", sys.executable, *arguments],
            check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, timeout=240, stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})})

    def run_script(self, text, code=0, **how):
        self.write("script.py", FUNCTIONS + textwrap.dedent(text))
        done = self.run_python("script.py", **how)
        self.assertEqual((done.returncode, done.stderr), (code, ""))
        return done.stdout

    def functions(self):
        """{name: calls, also nested ones} over all captures of the last run."""
        table = json.loads(run("summary", self.out, "--views", "python",
                               "--format", "json"))["python"]
        calls = {}
        for row in table:
            calls[row["name"]] = (calls.get(row["name"], 0) + row["calls"]
                                  + row["nested_calls"])
        return calls

    # -- what is recorded ------------------------------------------------------

    def test_functions_of_a_script(self):
        self.run_script("for _ in range(3):\n    parent()\n")
        found = self.functions()
        self.assertEqual((found["parent"], found["leaf"]), (3, 6))
        self.assertEqual(set(found), {"parent", "leaf", "<module>"})
        self.assertEqual(found["<module>"], 1)

    def test_code_on_the_command_line(self):
        done = self.run_python("-c", FUNCTIONS + "parent()\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.functions()["leaf"], 2)

    def test_none_without_being_asked(self):
        self.run_script("""
            import os, time
            parent()
            while not os.listdir(os.environ["STEPSCOPE_OUT"]):
                time.sleep(0.01)
            """, flags=())
        self.assertEqual(self.functions(), {})

    def test_include_and_exclude(self):
        self.write("mine.py", FUNCTIONS)
        self.run_script("import json, mine\nmine.parent()\nparent()\n"
                        "json.dumps([1], indent=1)\n",
                        flags=("--python-include", "json/*",
                               "--python-include", "encoder.py",
                               "--python-exclude", "mine.py"))
        found = self.functions()
        self.assertEqual(found["leaf"], 2)
        self.assertTrue([name for name in found if "encode" in name], found)

    def test_children(self):
        self.write("child.py", FUNCTIONS + "parent()\n")
        self.run_script("""
            import os, subprocess, sys
            parent()
            subprocess.run([sys.executable, "child.py"], check=True)
            child = os.fork()
            if child == 0:
                parent()
                os._exit(0)
            os.waitpid(child, 0)
            """, env={"PYTHONWARNINGS": "ignore"})  # fork beside our threads
        self.assertEqual(self.functions()["leaf"], 6)

    def test_children_of_multiprocessing(self):
        for way in ("fork", "spawn"):
            with self.subTest(way):
                self.run_script(f"""
                    import multiprocessing
                    if __name__ == "__main__":
                        context = multiprocessing.get_context("{way}")
                        child = context.Process(target=parent)
                        child.start()
                        child.join()
                        assert child.exitcode == 0
                    """)
                self.assertEqual(self.functions()["leaf"], 2)

    def test_a_process_that_ends_at_once(self):
        self.run_script("import os\nparent()\nos._exit(3)\n", code=3)
        self.assertEqual(self.functions()["leaf"], 2)

    def test_threads(self):
        self.run_script("""
            import threading
            threads = [threading.Thread(target=parent) for _ in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            """)
        self.assertEqual(self.functions()["leaf"], 8)

    def test_a_profiler_of_the_program(self):
        self.run_script("""
            import stepscope
            with stepscope.Profiler(
                    with_python=True,
                    on_trace_ready=stepscope.export_chrome_tracing("own")):
                parent()
            """)
        (path,) = self.files("own", ".json")
        leaves = [event for event in support.read_events(path)
                  if event["name"].startswith("leaf (")]
        self.assertEqual(len(leaves), 2)

    # -- the program is the same -----------------------------------------------

    def test_path_and_modules(self):
        text = ("import sys, os\nprint(sys.path)\n"
                "print(sys.modules['sitecustomize'].__file__ "
                "if 'sitecustomize' in sys.modules else None)\n")
        os.mkdir("extra")
        env = {"PYTHONPATH": os.path.abspath("extra")}
        self.write("extra/sitecustomize.py", "import os\n"
                   "os.environ['SEEN'] = 'yes'\n")
        self.write("plain.py", text)
        plain = support.run_script(text, env=env).stdout
        self.assertEqual(self.run_script(text, env=env), plain)
        self.assertEqual(self.run_script(
            "import os\nprint(os.environ['SEEN'])\n", env=env), "yes\n")

    def test_a_sitecustomize_that_fails_is_reported_by_python(self):
        os.mkdir("extra")
        self.write("extra/sitecustomize.py", "raise KeyError('planted')\n")
        self.write("script.py", "print('ran')\n")
        env = {"PYTHONPATH": os.path.abspath("extra")}
        done = self.run_python("script.py", env=env)
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
        self.assertIn("planted", done.stderr)

    def test_import_of_the_package(self):
        said = self.run_script("""
            import stepscope, sys
            print(stepscope.__version__, stepscope.__file__)
            from stepscope import RecordEvent, profiler
            import stepscope.profiler as again
            assert again is profiler and stepscope.profiler is profiler
            assert stepscope.RecordEvent is RecordEvent
            assert not hasattr(stepscope, "no_such_name")
            """)
        self.assertEqual(said, f"{stepscope.__version__} "
                         f"{stepscope.__file__}\n")

    def test_without_site(self):
        self.write("script.py", FUNCTIONS + "parent()\nprint('ran')\n")
        for flag in ("-S", "-E", "-I"):
            done = self.run_python(flag, "script.py")
            self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
            self.assertNotIn("Traceback", done.stderr, flag)

    def test_no_modules_for_this_python(self):
        package = os.path.dirname(stepscope.__file__)
        os.makedirs("bare/stepscope")
        for name in os.listdir(package):
            if name.endswith(".py"):
                shutil.copy(os.path.join(package, name), "bare/stepscope")
        self.write("script.py", "print('ran')\n")
        done = self.run_python(
            "script.py",
            env={"STEPSCOPE_PYTHON_PACKAGE": os.path.abspath("bare")})
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
        (line,) = [line for line in done.stderr.splitlines()
                   if "nothing was recorded" not in line]
        self.assertRegex(line, r"\Astepscope: Python functions are not "
                         r"recorded: stepscope has no module for this Python "
                         r"\(cpython .*\)\Z")

    def test_interrupted(self):
        self.write("script.py", FUNCTIONS + textwrap.dedent("""
            import signal
            parent()
            signal.raise_signal(signal.SIGINT)
            """))
        done = self.run_python("script.py")
        self.assertEqual(done.returncode, -signal.SIGINT)
        self.assertIn("KeyboardInterrupt", done.stderr)
        self.assertEqual(self.functions()["leaf"], 2)

    @unittest.skipIf(sys.version_info < (3, 11), "until 3.10 a daemon thread "
                     "that outlives its interpreter crashes the process")
    def test_daemon_threads_at_exit(self):
        for _ in range(5):
            self.run_script("""
                import atexit, threading
                started = threading.Event()
                def loop():
                    started.set()
                    while True:
                        parent()
                for _ in range(4):
                    threading.Thread(target=loop, daemon=True).start()
                atexit.register(parent)
                started.wait()
                """)

    def test_subinterpreters(self):
        self.run_script("""
            try:
                import _interpreters as interpreters
            except ImportError:
                try:
                    import _xxsubinterpreters as interpreters
                except ImportError:
                    interpreters = None
            parent()
            for _ in range(5 if interpreters else 0):
                other = interpreters.create()
                interpreters.run_string(other, "def f(): pass\\nf()")
                interpreters.destroy(other)
            parent()
            """)
        self.assertEqual(self.functions()["leaf"], 4)


if __name__ == "__main__":
    unittest.main()
