# SPDX-License-Identifier: Apache-2.0
"""What a user gets by `pip install`: the program, the import, the files."""

import json
import os
import shutil
import subprocess
import sys
import unittest

import stepscope
import support


class PackageTest(support.InOwnFolder):
    def test_program_is_on_the_path(self):
        program = shutil.which("stepscope")
        self.assertIsNotNone(program)
        for command in ([program], [sys.executable, "-m", "stepscope"]):
            said = subprocess.run([*command, "--version"], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            self.assertIn(stepscope.__version__, said)
            result = subprocess.run([*command, "summary", "nothing"],
                                    check=False, stderr=subprocess.PIPE)
            self.assertEqual(result.returncode, 3)

    def test_doctor_asks_the_python_that_it_was_installed_into(self):
        said = subprocess.run(
            [sys.executable, "-m", "stepscope", "doctor"], check=False,
            stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, PATH="/usr/bin:/bin")).stdout
        self.assertIn(sys.executable, said)
        said = subprocess.run(
            [sys.executable, "-m", "stepscope", "doctor", "--python", "/none"],
            check=False, stdout=subprocess.PIPE, text=True).stdout
        self.assertNotIn(sys.executable, said)

    def test_program_reads_a_capture(self):
        with stepscope.Profiler(
                on_trace_ready=stepscope.export_capture("log")) as prof:
            with stepscope.RecordEvent("from Python"):
                pass
            prof.step()
        (capture,) = self.files("log", ".sscap")
        said = subprocess.run(["stepscope", "summary", capture, "--format",
                               "json"], check=True, stdout=subprocess.PIPE)
        rows = json.loads(said.stdout)["user_defined"]
        self.assertEqual([row["name"] for row in rows], ["from Python"])

    def test_run_records_the_package(self):
        with open("work.py", "w", encoding="utf-8") as file:
            file.write("import time, stepscope\n"
                       # `run` waits for steps before it records everything.
                       "while not stepscope.enabled():\n"
                       "    time.sleep(0.01)\n"
                       "for _ in range(5):\n"
                       "    with stepscope.RecordEvent('under run'):\n"
                       "        time.sleep(0.01)\n")
        subprocess.run(["stepscope", "run", "--no-gpu", "--out", "log", "--",
                        sys.executable, "work.py"], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = subprocess.run(["stepscope", "summary", "log", "--format",
                               "json"], check=True, stdout=subprocess.PIPE)
        (row,) = json.loads(said.stdout)["user_defined"]
        self.assertEqual((row["name"], row["calls"]), ("under run", 5))

    def test_names(self):
        import stepscope.profiler as profiler

        for name in profiler.__all__:
            self.assertIs(getattr(stepscope, name), getattr(profiler, name))
            self.assertTrue(getattr(profiler, name).__doc__, name)
        self.assertEqual(set(stepscope.__all__) - set(dir(stepscope)), set())
        folder = os.path.dirname(stepscope.__file__)
        for name in ("py.typed", "_event.pyi", "_core.pyi"):
            self.assertTrue(os.path.exists(os.path.join(folder, name)))

    def test_import_is_quick_to_load(self):
        # What makes imports slow is what they import.
        said = support.run_script(
            "import sys\nbefore = set(sys.modules)\nimport stepscope\n"
            "print(' '.join(sorted(set(sys.modules) - before)))\n").stdout
        for heavy in ("subprocess", "socket", "json", "asyncio", "inspect",
                      "tempfile", "datetime", "ctypes", "threading",
                      "contextlib", "importlib.util"):
            self.assertNotIn(heavy, said.split())

    def test_second_interpreter_is_refused(self):
        text = """
import stepscope
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
one = interpreters.create()
code = '''
try:
    import stepscope
    print("imported")
except ImportError as error:
    print("refused", error)
'''
interpreters.run_string(one, code) if hasattr(
    interpreters, "run_string") else interpreters.exec(one, code)
interpreters.destroy(one)
print("done")
"""
        said = support.run_script(text, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("refused", said.stdout)


if __name__ == "__main__":
    unittest.main()
