# SPDX-License-Identifier: Apache-2.0
"""The server of the viewer: ``stepscope view`` as a process beside this one.

It ends when its standard input is closed, which the system does for a process
that dies in whatever way. A forked child gives its copy up, so that it does
not keep the server of a parent that was killed."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
import threading
import warnings

from .._native_files import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional

_USAGE, _UNREADABLE = 2, 3  # exit codes of the program
_WAIT_S = 10

_lock = threading.Lock()
_running: "Dict[Any, Server]" = {}


class Server:
    """One process. Made by running_server()."""

    def __init__(self, arguments: List[str], stacklevel: int) -> None:
        self.pid = os.getpid()
        self.made: Optional[str] = None
        with tempfile.TemporaryFile() as said:
            try:
                self._process = subprocess.Popen(
                    [PROGRAM, "view", "--no-browser", "--end-with-stdin",
                     *arguments],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
                    bufsize=0, env=_environment(),
                    # What interrupts a cell of a notebook is not for it.
                    start_new_session=True)
            except OSError as error:
                raise RuntimeError(
                    f"the viewer cannot be started: {PROGRAM}: "
                    f"{error.strerror}; install stepscope again") from error
            try:
                self.url = self._first_line()
            except BaseException:
                self._process.kill()
                self._end()
                raise
            said.seek(0)
            lines = [line[len("stepscope: "):]
                     if line.startswith("stepscope: ") else line
                     for line in said.read().decode("utf-8", "replace")
                     .splitlines()]
        if not self.url:
            self._end()
            self._complain(lines)
        for line in lines:
            warnings.warn(line, stacklevel=stacklevel + 1)

    def _first_line(self) -> str:
        line = b""
        while not line.endswith(b"\n"):
            byte = self._process.stdout.read(1)
            if not byte:
                return ""
            line += byte
        return line.decode("ascii", "replace").strip()

    def _complain(self, lines: List[str]) -> None:
        why = "; ".join(lines) or "the viewer ended without a word"
        code = self._process.returncode
        if code == _USAGE and "this build has no server" in why:
            raise RuntimeError(f"this build of stepscope has no viewer: {why}")
        if code == _USAGE:
            raise ValueError(why)
        raise OSError(why)

    @property
    def alive(self) -> bool:
        return self.pid == os.getpid() and self._process.poll() is None

    def wait(self) -> None:
        self._process.wait()

    def close(self) -> None:
        """Ends the process; nothing if it has ended, or is a parent's."""
        if self.pid != os.getpid():
            return
        if self._process.poll() is None:
            self._process.stdin.close()
            try:
                self._process.wait(_WAIT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._end()
        if self.made is not None:
            shutil.rmtree(self.made, ignore_errors=True)
            self.made = None

    def _end(self) -> None:
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def give_up(self) -> None:
        """In a forked child: the server is the parent's."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.returncode = 0  # not ours to wait for, nor to warn about


def running_server(paths: List[str], made: Optional[str], *, host: str,
                   port: int, place: Any, stacklevel: int) -> Server:
    """The server that shows these paths so already, or a new one."""
    arguments = ["--host", host, "--port", str(port)]
    for origin in place.origins:
        arguments += ["--frame-ancestors", origin]
    for name in place.hosts:
        arguments += ["--allow-host", name]
    arguments += paths  # absolute, so none is taken for an option
    key = tuple(arguments)
    with _lock:
        server = _running.get(key)
        if server is not None and server.alive:
            return server
        server = Server(arguments, stacklevel + 1)
        server.made = made
        _running[key] = server
        return server


def _environment() -> Dict[str, str]:
    """Without what makes `stepscope run` record a process: the server is not
    a part of the job."""
    injector = "libstepscope_inject"
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("STEPSCOPE_")
                   and injector not in value}
    loaded = os.environ.get("LD_PRELOAD", "").replace(" ", ":").split(":")
    kept = [library for library in loaded
            if library and injector not in library]
    if kept:
        environment["LD_PRELOAD"] = ":".join(kept)
    return environment


def close_all() -> None:
    with _lock:
        servers = list(_running.values())
        _running.clear()
    for server in servers:
        server.close()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()  # another thread may have held it
    for server in _running.values():
        server.give_up()
    _running.clear()


atexit.register(close_all)
os.register_at_fork(after_in_child=_after_fork)
