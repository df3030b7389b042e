#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts that count and judge, tried on inputs with known answers.

usage: tools_test.py ROOT
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

import check_style  # noqa: E402
import run_tests  # noqa: E402

REPORT = """<testsuite>
<testcase name="good" status="run"/>
<testcase name="also_good" status="run"/>
<testcase name="bad" status="fail"><failure message="1"/>
  <system-out>[==========] Running 1 test

x_test.cc:7: Failure</system-out></testcase>
<testcase name="skipped" status="notrun">
  <skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
<testcase name="disabled" status="disabled"/>
<testcase name="missing" status="notrun">
  <skipped message="Unable to find executable"/></testcase>
<testcase name="odd" status="whatever"/>
</testsuite>
"""

CLEAN = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\nint x;\n"


class RunTests(unittest.TestCase):

    def test_counts_every_outcome(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.xml"
            report.write_text(REPORT)
            passed, failed, skipped = run_tests.count(report)
        self.assertEqual(passed, 2)
        self.assertEqual(failed, ["bad\n    x_test.cc:7: Failure", "missing",
                                  "odd"])
        self.assertEqual(skipped, 2)

    def builds(self, folder, commands):
        """Builds that run these commands in place of CMake."""
        made = []
        for name, command in commands.items():
            build = run_tests.Build("asan", 1)
            build.folder = pathlib.Path(folder) / name
            build.log = build.folder / "log"
            build.command = ["sh", "-c", command]
            made.append(build)
        return made

    def test_builds_beside_tests_follow_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            one, two, three = self.builds(folder, {
                "one": f"echo one >> {folder}/order",
                "two": f"echo two >> {folder}/order; echo why; false",
                "three": f"echo three >> {folder}/order"})
            run_tests.make_beside_tests([one, two, three])
            # Nobody has asked for the others, and the last one is made.
            self.assertTrue(three.wait())
            self.assertEqual((pathlib.Path(folder) / "order").read_text(),
                             "one\ntwo\nthree\n")
            self.assertTrue(one.wait())
            with unittest.mock.patch("builtins.print") as told:
                self.assertFalse(two.wait())
            self.assertEqual(told.call_args.args, ("why",))

    def test_a_build_that_cannot_start_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            one, two = self.builds(folder, {"one": "true", "two": "true"})
            (pathlib.Path(folder) / "one").write_text("not a folder")
            run_tests.make_beside_tests([one, two])
            self.assertFalse(one.wait())
            self.assertTrue(two.wait())

    def test_busy_processes_start_and_end(self):
        def state(pid):
            # A name in brackets may hold blanks; the state follows it.
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
            return stat.rpartition(")")[2].split()[0]

        started = []
        popen = subprocess.Popen
        with unittest.mock.patch.object(
                subprocess, "Popen",
                lambda *args, **options: started.append(
                    popen(*args, **options)) or started[-1]):
            with run_tests.busy(3):
                self.assertEqual(len(started), 3)
                for process in started:
                    self.assertNotEqual(state(process.pid), "Z")
        for process in started:
            self.assertIsNotNone(process.returncode)


class CheckStyle(unittest.TestCase):

    def problems(self, text, name="planted.h"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_bytes(text.encode("latin-1"))
            return [what for _, what in check_style.problems_of(path)]

    def test_clean_file_passes(self):
        self.assertEqual(self.problems(CLEAN), [])

    def test_a_test_that_nothing_compiles_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "a").mkdir()
            for name in ["a/one_test.cc", "a/none_test.cc"]:
                (root / name).touch()
            lists = root / "CMakeLists.txt"
            lists.write_text("stepscope_test(t SOURCES a/one_test.cc)")
            self.assertEqual(check_style.tests_named([lists]),
                             {root / "a/one_test.cc"})

    def test_each_defect_is_named(self):
        note = "TO" + "DO"
        for text, wanted in [
            ("#pragma once\n", "no licence line"),
            (CLEAN.replace("#pragma once\n", ""), "no #pragma once"),
            (CLEAN + "// " + "x" * 78 + "\n", "81 columns"),
            (CLEAN + "\tint y;\n", "tab"),
            (CLEAN + "int y; \n", "blank at the end"),
            (CLEAN + "int y;", "no newline at the end"),
            (CLEAN + f"// {note}: later\n", f"{note} in the sources"),
            (CLEAN + "int y;\n" * 600, "more than 600 lines"),
        ]:
            self.assertEqual(self.problems(text), [wanted])

    def test_text_that_must_not_break_may_be_long(self):
        long = "x" * 90
        for name, text in [
            ("a.h", f'auto s = R"(\n{long}\n)";\n'),
            ("a.h", f'auto s = R"js(\n"(a)"\n{long}\n)js";\n'),
            ("a.h", f"// clang-format off\n{long}\n// clang-format on\n"),
            ("a.h", f"// http://{long}\n"),
            ("a_test.h", f'  "{long}"\n'),
        ]:
            self.assertEqual(self.problems(CLEAN + text, name), [])
            after = self.problems(CLEAN + text + f"{long}\n", name)
            self.assertEqual(after, ["90 columns"])

    def test_bytes_that_are_no_text(self):
        (problem,) = self.problems(CLEAN + "\xff\n")
        self.assertIn("not UTF-8", problem)


class Bootstrap(unittest.TestCase):

    def test_refuses_an_unknown_set(self):
        done = subprocess.run([ROOT / "tools/bootstrap", "everything"],
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
