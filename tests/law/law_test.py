#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The law of the guest (docs/decisions/0030_law_of_the_guest.md), line by line.

usage: law_test.py STEPSCOPE LAW_GUEST PLUGIN
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

STEPSCOPE = GUEST = PLUGIN = ""
HANG = 600  # seconds; nothing here takes a tenth of it


class LawTestCase(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def behave(self, *what, code=0, prefix=(), **more):
        done = subprocess.run(
            [*prefix, GUEST, *what], cwd=self.folder, check=False, text=True,
            timeout=HANG, **{"capture_output": True, **more})
        if done.returncode == 77:
            self.skipTest("not possible here")
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def info(self, name="guest.sscap"):
        done = subprocess.run(
            [STEPSCOPE, "info", "--format", "json", str(self.folder / name)],
            check=True, capture_output=True, text=True, timeout=HANG)
        return json.loads(done.stdout)

    def events(self, name="guest.sscap"):
        return self.info(name)["counts"]["events"]

    def assert_all_accounted(self, said):
        attempted, dropped = map(int, re.search(
            r"attempted (\d+) dropped (\d+)", said).groups())
        self.assertEqual(self.events() + dropped, attempted)
        return dropped

    def assert_own_files(self):
        for i in range(8):
            self.assertEqual((self.folder / f"mine_{i}").read_text(),
                             f"first line of {i}\nlast line of {i}\n")


class Descriptors(LawTestCase):

    def test_closed_by_the_program(self):
        said = self.behave("close")
        self.assert_own_files()
        self.assertEqual(self.assert_all_accounted(said), 0)

    def test_closed_where_the_table_is_shared(self):
        said = self.behave("close_shared")
        self.assert_own_files()
        self.assertGreater(self.assert_all_accounted(said), 0)

    def test_child_that_closes_and_records(self):
        self.behave("fork_close")
        self.assert_own_files()
        self.assertEqual(self.events("child.sscap"), 1000)
        self.assertEqual(self.events(), 1000)

    def test_none_is_inherited_or_seen(self):
        # "ls" has the three, and the folder that it lists.
        self.assertEqual(self.behave("list", stdin=subprocess.DEVNULL).split(),
                         ["0", "1", "2", "3"])

    def test_started_without_standard_descriptors(self):
        self.behave("record",
                    prefix=["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-'])
        self.assertEqual(self.events(), 1000)


class Handlers(LawTestCase):

    def test_chunk_that_is_used_up(self):
        said = self.behave("overrun")
        self.assertGreater(self.assert_all_accounted(said), 0)
        self.assertEqual(sum(self.info()["ledger"]["rejected"].values()), 0)

    def test_storm(self):
        self.assert_all_accounted(self.behave("storm"))

    def test_jump_out_of_the_collector(self):
        self.assertEqual(self.behave("jump"), "lost after the jump: 0\n")

    def test_exit_in_a_handler(self):
        for microseconds in (500, 1000, 2000, 4000, 8000, 16000, 32000):
            self.behave("exit", str(microseconds), code=7)


class Endings(LawTestCase):

    def test_main_ends_first(self):
        self.assertEqual(self.behave("end_main"),
                         "the last thread ends, and exit handlers run")
        self.assertEqual(self.events(), 200)

    def test_main_ends_by_the_system_call(self):
        self.assertEqual(self.behave("leave_main", code=5), "")
        self.assertEqual(self.events(), 100)

    def test_cancelled_threads(self):
        self.assertTrue(self.behave("cancel").endswith("done\n"))

    def test_child_of_the_bare_system_call(self):
        self.assertEqual(self.behave("raw_clone"), "bad 0\n")
        self.assertEqual(self.events("child_49.sscap"), 1)


class Losses(LawTestCase):

    def test_limit_while_threads_end(self):
        self.assertGreater(self.assert_all_accounted(self.behave("limit")), 0)

    def test_nothing_below_the_budget(self):
        self.assertEqual(self.assert_all_accounted(self.behave("burst")), 0)


class Surroundings(LawTestCase):

    def test_nothing_is_changed(self):
        self.assertEqual(self.behave("surroundings"), "same\n")

    def test_long_working_folder(self):
        top = self.folder
        for _ in range(12):
            self.folder /= "f" * 250
            self.folder.mkdir()
        self.behave("record")
        self.assertEqual(self.events(), 1000)
        self.assertEqual(sorted(os.listdir(top)), ["f" * 250])


class Privileges(LawTestCase):

    def record(self, mode):
        """Whether a plugin that the caller names is loaded."""
        self.folder.chmod(0o777)
        program = self.folder / "guest"
        shutil.copy(GUEST, program)
        program.chmod(mode)
        done = subprocess.run(
            [program, "record"], cwd=self.folder, user=65534, check=True,
            env={"STEPSCOPE_PLUGIN_PATH": PLUGIN}, capture_output=True,
            text=True, timeout=HANG)
        (self.folder / "guest.sscap").unlink()
        if mode & 0o4000 and "raised" not in done.stdout:
            self.skipTest("set-uid programs get no privileges here")
        return (self.folder / "loaded").exists()

    @unittest.skipIf(os.geteuid() != 0, "only root can try this")
    def test_no_code_is_loaded_with_raised_privileges(self):
        self.assertFalse(self.record(0o4755))
        self.assertTrue(self.record(0o755))


if __name__ == "__main__":
    STEPSCOPE, GUEST, PLUGIN = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
