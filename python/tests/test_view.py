# SPDX-License-Identifier: Apache-2.0
"""stepscope.view(): a server for what was recorded, which ends with us."""

import os
import signal
import socket
import subprocess
import sys
import time
import unittest
import unittest.mock

import stepscope
import support
import viewer_support as viewer
from stepscope._viewer import server as servers


def ended(pid):
    """Whether a process is no more; one that nobody has waited for is."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def wait_until(true):
    """The test's own timeout ends it, and nothing else."""
    while not true():
        time.sleep(0.01)


class ViewTest(support.InOwnFolder):
    def setUp(self):
        super().setUp()
        self.addCleanup(servers.close_all)
        with support.quiet_stdout():
            with stepscope.Profiler(
                    on_trace_ready=stepscope.export_capture("log", "worker")) \
                    as self.prof:
                with stepscope.RecordEvent("work"):
                    pass
                self.prof.step()
        (self.capture,) = self.files("log", ".sscap")

    def view(self, *arguments, **how):
        with support.quiet_stdout():
            return stepscope.view(*arguments, **how)


class SourceTest(ViewTest):
    def test_a_folder_is_served_and_its_address_printed_once(self):
        views = []
        said = self.printed(lambda: views.append(stepscope.view("log")))
        (view,) = views
        self.assertEqual(said, view.url + "\n")
        self.assertRegex(view.url, r"^http://127\.0\.0\.1:\d+/#token=\w{64}$")
        self.assertIn(str(view.port), view.url)
        self.assertIn(view.url, repr(view))
        status, _, body = viewer.get(view.url)
        self.assertEqual(status, 200)
        self.assertIn(b"<title>stepscope", body)
        self.assertEqual(viewer.files_of(view.url),
                         [os.path.basename(self.capture)])
        self.assertEqual(viewer.get(view.url.split("#")[0]
                                    + "api/v1/runs")[0], 401)

    def test_close_ends_the_server(self):
        with self.view("log") as view:
            pid = view._server._process.pid
            self.assertFalse(view.closed)
        self.assertTrue(view.closed)
        self.assertTrue(ended(pid))
        with self.assertRaises(OSError):
            viewer.get(view.url)
        view.close()  # again
        self.assertIn("closed", repr(view))
        self.assertIn("closed", view._repr_html_())

    def test_the_same_source_has_one_server(self):
        first = self.view("log")
        again = self.view(os.path.abspath("log"), height=300)
        self.assertEqual(first.url, again.url)
        other = self.view(self.capture)
        self.assertNotEqual(first.url, other.url)
        again.close()
        self.assertTrue(first.closed)
        self.assertFalse(other.closed)
        self.assertNotEqual(self.view("log").url, first.url)

    def test_a_server_that_died_is_started_again(self):
        first = self.view("log")
        first._server._process.kill()
        first.wait()
        self.assertNotEqual(self.view("log").url, first.url)

    def test_what_can_be_shown(self):
        name = os.path.basename(self.capture)
        with support.quiet_stdout():
            with stepscope.Profiler(on_trace_ready=lambda prof: None) as own:
                own.step()
        os.mkdir("other")
        self.prof.export("other/second.json")
        with open(self.capture, "rb") as file:
            read = stepscope.load(file.read())
        for source, files in (
                (None, [name]),
                (self.prof, [name]),
                (self.prof.result, [name]),
                (own, ["window.sscap"]),
                (stepscope.load(self.capture), [name]),
                (stepscope.load(self.capture).choose(steps="all"), [name]),
                (read, ["trace.pftrace"]),
                ([self.capture, "other/second.json"], [name, "second.json"]),
                (["log", "other"], [f"log/{name}", "other/second.json"])):
            with self.subTest(source=source):
                view = self.view(source)
                self.assertEqual(viewer.files_of(view.url), sorted(files))
        self.assertEqual(viewer.files_of(self.view().url), [name])

    def test_what_was_saved_for_it_is_removed(self):
        with open(self.capture, "rb") as file:
            view = self.view(stepscope.load(file.read()))
        made = view._server.made
        self.assertTrue(os.path.isdir(made))
        view.close()
        self.assertFalse(os.path.exists(made))

    def test_without_a_source_and_without_a_recording(self):
        text = ("import stepscope\n"
                "try:\n    stepscope.view()\n"
                "except ValueError as error:\n    print(error)\n")
        self.assertIn("nothing to show", support.run_script(text).stdout)


class ErrorTest(ViewTest):
    def test_errors_say_what_is_wrong(self):
        with self.assertRaisesRegex(FileNotFoundError, "nothing"):
            stepscope.view("nothing")
        for kind, arguments, how in (
                (TypeError, (7,), {}),
                (TypeError, ([7],), {}),
                (ValueError, ([],), {}),
                (ValueError, ("lo\0g",), {}),
                (ValueError, ("log",), {"port": 70000}),
                (ValueError, ("log",), {"port": -1}),
                (TypeError, ("log",), {"port": "8080"}),
                (TypeError, ("log",), {"port": True}),
                (ValueError, ("log",), {"height": 0}),
                (TypeError, ("log",), {"host": None}),
                ((OSError, ValueError), ("log",), {"host": "not an address"}),
                (ValueError, ("log",), {"inline": True}),
                (ValueError, ("log",), {"inline": True, "notebook": "x"}),
                (TypeError, ("log",), {"notebook": 7})):
            with self.subTest(arguments=arguments, how=how):
                with self.assertRaises(kind) as caught:
                    stepscope.view(*arguments, **how)
                self.assertEqual(len(str(caught.exception).splitlines()), 1)
        self.assertEqual(servers._running, {})

    def test_a_build_without_the_viewer(self):
        for program, said in (("/no/such/program", "cannot be started"),
                              (os.path.abspath("program"), "no viewer")):
            with open("program", "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n"
                           "echo 'stepscope: view: this build has no server; "
                           "build it' >&2\nexit 2\n")
            os.chmod("program", 0o700)
            with unittest.mock.patch.object(servers, "PROGRAM", program):
                with self.assertRaisesRegex(RuntimeError, said):
                    stepscope.view("log")

    def test_what_the_server_says_is_a_warning(self):
        os.mkdir("empty")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            said = self.warned(lambda: self.view("empty", port=port))
        self.assertIn("there is no trace in this folder yet", said[0])
        self.assertIn(f"port {port} is taken", said[1])
        said = self.warned(lambda: self.view("log", host="0.0.0.0"))
        self.assertIn("other machines can reach", said[0])


class LifeTest(ViewTest):
    """The server ends with the process, however that ends."""

    START = ("import os, signal, sys, stepscope\n"
             "view = stepscope.view('log')\n"
             "print(view._server._process.pid, flush=True)\n")

    def start(self, text):
        """(the program, the address, the server's process id)."""
        with open("script.py", "w", encoding="utf-8") as file:
            file.write(self.START + text)
        program = subprocess.Popen([sys.executable, "script.py"],
                                   stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True,
                                   start_new_session=True)

        def stop():
            program.kill()
            program.wait()
            program.stdin.close()
            program.stdout.close()

        self.addCleanup(stop)
        url = program.stdout.readline().strip()
        pid = int(program.stdout.readline())
        self.assertEqual(viewer.get(url)[0], 200)
        return program, url, pid

    def test_after_the_end_of_the_program(self):
        program, _, pid = self.start("sys.stdin.read()\n")
        program.stdin.close()
        self.assertEqual(program.wait(), 0)
        self.assertTrue(ended(pid))  # it was waited for

    def test_after_kill(self):
        program, _, pid = self.start("sys.stdin.read()\n")
        program.kill()
        program.wait()
        wait_until(lambda: ended(pid))

    def test_after_kill_while_a_forked_child_lives_on(self):
        program, url, pid = self.start(
            "child = os.fork()\n"
            "if child == 0:\n"
            "    print('child', os.getpid(), view.closed, flush=True)\n"
            "    view.close()\n"
            "    signal.pause()\n"
            "sys.stdin.read()\n")
        said = program.stdout.readline().split()
        self.addCleanup(os.kill, int(said[1]), signal.SIGKILL)
        self.assertEqual(said[2], "True")  # it is the parent's
        self.assertEqual(viewer.get(url)[0], 200)
        program.kill()
        program.wait()
        wait_until(lambda: ended(pid))
        self.assertFalse(ended(int(said[1])))

    def test_a_child_that_ends_leaves_it_alone(self):
        program, url, _ = self.start(
            "if os.fork() == 0:\n"
            "    sys.exit()\n"
            "os.wait()\n"
            "print('waited', flush=True)\n"
            "sys.stdin.read()\n")
        self.assertEqual(program.stdout.readline(), "waited\n")
        self.assertEqual(viewer.get(url)[0], 200)

    def test_an_interrupt_of_a_cell_leaves_it_alone(self):
        program, url, _ = self.start(
            "try:\n"
            "    print('in', flush=True)\n"
            "    sys.stdin.read()\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted', flush=True)\n"
            "    sys.stdin.read()\n")
        self.assertEqual(program.stdout.readline(), "in\n")
        os.killpg(program.pid, signal.SIGINT)  # as Jupyter does
        self.assertEqual(program.stdout.readline(), "interrupted\n")
        self.assertEqual(viewer.get(url)[0], 200)

    def test_waiting_ends_by_an_interrupt(self):
        program, _, pid = self.start(
            "while not view.closed:\n"
            "    try:\n"
            "        print('waits', flush=True)\n"
            "        view.wait()\n"
            "    except KeyboardInterrupt:\n"
            "        pass\n"  # it came before wait() began
            "print(view.closed)\n")
        said = program.stdout.readline()
        while said == "waits\n":
            os.kill(program.pid, signal.SIGINT)
            said = program.stdout.readline()
        self.assertEqual(said, "True\n")
        self.assertEqual(program.wait(), 0)
        self.assertTrue(ended(pid))

    def test_under_run_the_server_is_not_recorded(self):
        with open("script.py", "w", encoding="utf-8") as file:
            file.write("import stepscope\n"
                       "view = stepscope.view('log')\n"
                       "path = f'/proc/{view._server._process.pid}/environ'\n"
                       "with open(path, 'rb') as file:\n"
                       "    print(b'STEPSCOPE_' in (text := file.read()),\n"
                       "          b'libstepscope_inject' in text)\n")
        said = subprocess.run(
            ["stepscope", "run", "--no-gpu", "--out", "run", "--",
             sys.executable, "script.py"], check=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True).stdout
        self.assertIn("False False\n", said)

    def test_the_command(self):
        program = subprocess.Popen(
            [sys.executable, "-m", "stepscope", "view", "log", "--port", "0"],
            stdout=subprocess.PIPE, text=True)
        try:
            url = program.stdout.readline().strip()
            self.assertEqual(viewer.files_of(url),
                             [os.path.basename(self.capture)])
        finally:
            program.terminate()
            self.assertEqual(program.wait(), 0)
            program.stdout.close()


if __name__ == "__main__":
    unittest.main()
