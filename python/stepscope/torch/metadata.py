# SPDX-License-Identifier: Apache-2.0
"""What stands at the top of an exported trace, beside the events."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from typing import Any, Callable, Dict

from .. import _marks

# What a capture keeps of a fact: bytes of UTF-8.
_MOST_BYTES = 255
_END = b"\n}\n"  # of a file
# By this the exporter knows what torch's own profiler would have written.
_MARK = "torch.profiler"
_JOB = ("PT_PROFILER_JOB_NAME", "PT_PROFILER_JOB_VERSION",
        "PT_PROFILER_JOB_ATTEMPT_INDEX")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


class Metadata:
    """The facts of one profile."""

    def __init__(self) -> None:
        self._facts: Dict[str, str] = {}  # as JSON, what the program said

    def add_json(self, key: str, value: str) -> None:
        """Text that is no JSON is written as text."""
        value = str(value)
        self._facts[key] = value if _is_json(value) else json.dumps(value)
        # Captures have what was said before they began.
        _state(key, value)

    def add_text(self, key: str, value: str) -> None:
        self.add_json(key, json.dumps(str(value)))

    def describe(self, profile: Any, scheduled: bool) -> None:
        """Before a recording: the facts that torch states."""
        _marks.set_metadata(_MARK, "schedule" if scheduled else "no schedule")
        for name in ("record_shapes", "profile_memory", "with_stack",
                     "with_modules", "with_flops"):
            # Empty facts are not stored: one of an earlier recording ends so.
            _marks.set_metadata(name, "1" if getattr(profile, name) else "")
        _marks.set_metadata("trace_id", profile.get_trace_id() or "")
        for name in _JOB:
            if os.environ.get(name):
                _state(name, json.dumps(os.environ[name]))
        info = _distributed_info()
        if info:
            _state("distributedInfo", json.dumps(info))

    def end(self) -> None:
        """What other profilers of the process record has other facts."""
        for name in (_MARK, "record_shapes", "profile_memory", "with_stack",
                     "with_modules", "with_flops", "trace_id", *self._facts):
            _marks.set_metadata(name, "")

    def write(self, path: str, write: Callable[[str], bool]) -> None:
        """Calls write(path) and adds what the program said, also while it was
        recorded."""
        if not self._facts:
            write(path)
            return
        packed = path.endswith(".gz")
        plain = f"{path}.{os.getpid()}.partial" if packed else path
        try:
            if not write(plain):
                return
            self._append(plain, {**self._facts, "traceName": json.dumps(path)}
                         if packed else self._facts)
            if packed:
                _pack(plain, path)
        finally:
            if packed and os.path.exists(plain):
                os.unlink(plain)

    @staticmethod
    def _append(path: str, facts: Dict[str, str]) -> None:
        """Behind the events, so that a large file is not written anew."""
        with open(path, "rb+") as file:
            file.seek(-len(_END), os.SEEK_END)
            if file.read() != _END:
                return
            file.seek(-len(_END), os.SEEK_END)
            for key, value in facts.items():
                file.write(f",\n{json.dumps(key)}: {value}".encode())
            file.write(_END)


def _state(key: str, value: str) -> None:
    if len(value.encode()) <= _MOST_BYTES:
        _marks.set_metadata(key, value)


def _pack(plain: str, path: str) -> None:
    partial = plain + ".gz"
    with open(plain, "rb") as source, gzip.open(partial, "wb", 1) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    os.replace(partial, path)


def _distributed_info() -> Dict[str, Any]:
    """Of torch.distributed, if the program uses it."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if (distributed is None or not distributed.is_available()
                or not distributed.is_initialized()):
            return {}
        return {"backend": distributed.get_backend(),
                "rank": distributed.get_rank(),
                "world_size": distributed.get_world_size()}
    except (AttributeError, RuntimeError):
        return {}
