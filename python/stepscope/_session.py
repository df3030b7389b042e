# SPDX-License-Identifier: Apache-2.0
"""A recording without steps: from start to stop, into one capture."""

import atexit
import os
import shutil
import tempfile

from . import _core

_WAIT_MS = 60000


class Session:
    """Records from when it is made until stop(). RuntimeError if somebody else
    records."""

    def __init__(self, devices: bool) -> None:
        self.folder = tempfile.mkdtemp(prefix="stepscope-")
        self.devices = devices
        self.pid = os.getpid()
        self.path = ""
        self._count = 0
        atexit.register(self._drop)  # if it is never stopped
        self._start()

    def _start(self) -> None:
        self._count += 1
        self.path = os.path.join(self.folder, f"{self._count}.sscap")
        if _core.start_session(self.path, self.devices) != 0:
            why = _core.last_error()
            self.remove()
            raise RuntimeError(f"recording could not be started: {why}")

    def reset(self) -> None:
        """Drops what was recorded so far, and goes on."""
        _core.stop_session(_WAIT_MS)
        os.unlink(self.path)
        self._start()

    def stop(self) -> str:
        """The path of the capture. remove() removes it."""
        if _core.stop_session(_WAIT_MS) != 0:
            why = _core.last_error()
            self.remove()
            raise RuntimeError(f"the recording was lost: {why}")
        return self.path

    def remove(self) -> None:
        atexit.unregister(self._drop)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _drop(self) -> None:
        if self.pid == os.getpid():
            _core.stop_session(_WAIT_MS)
            self.remove()
