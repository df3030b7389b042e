# SPDX-License-Identifier: Apache-2.0
"""The trees of events of a window, as paddle.profiler gives them out."""

from __future__ import annotations

import os
import warnings

from .._native_files import run

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Optional


class ProfilerResult:
    """What was recorded in a window, or read from a file."""

    def __init__(self, source: Any) -> None:
        self._source = source  # a Profiler, or the bytes of a node tree
        self._trees: Any = None
        self._read: Any = None

    @property
    def data(self) -> Any:
        """The window as what stepscope.load() returns. Its tables and methods
        are also found here: ``result.operators``, ``result.advise()``."""
        if self._read is None:
            from ..data import load

            if isinstance(self._source, bytes):
                self._read = load(self._source)
            else:
                self._read = load(_export(self._source, "capture"))
        return self._read

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.data, name)

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def _load(self) -> Any:
        if self._trees is None:
            from .node_trees import NodeTrees

            data = self._source
            if not isinstance(data, bytes):
                data = _export(data)
            self._trees = NodeTrees(data)
        return self._trees

    def get_data(self) -> Dict[int, Any]:
        """The root of the tree of each thread, by thread id."""
        return self._load().data

    def get_extra_info(self) -> Dict[str, str]:
        return self._load().extra_info

    def get_version(self) -> str:
        return self._load().version

    def get_span_index(self) -> int:
        """Which window of its process this is, from 0."""
        return self._load().span_index

    get_span_indx = get_span_index  # so spelled by Paddle 2.6

    def save(self, path: str, format: str = "json") -> None:
        """As Profiler.export."""
        if not isinstance(self._source, bytes):
            self._source.export(path, format)
            return
        if format == "pb":
            with open(path, "wb") as file:
                file.write(self._source)
            return
        run("convert", "-", "-o", path, "--to",
            "chrome" if format == "json" else format, data=self._source)


def _export(profiler: Any, format: str = "pb") -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "window")
        profiler.export(path, format)
        with open(path, "rb") as file:
            return file.read()


def load_profiler_result(filename: str) -> Optional[ProfilerResult]:
    """Reads a file that export_protobuf wrote, or any other trace that
    stepscope reads. None, and a warning, if it cannot be read."""
    if not isinstance(filename, (str, bytes, os.PathLike)):
        raise TypeError(f"filename must be a str, not {filename!r}")
    import tempfile

    from .node_trees import NodeTrees

    path = os.fsdecode(filename)
    try:
        with open(path, "rb") as file:
            data = file.read()
        try:
            NodeTrees(data)
        except ValueError:  # another format
            with tempfile.TemporaryDirectory() as folder:
                converted = os.path.join(folder, "trace.pb")
                run("convert", path, "-o", converted, "--to", "paddle")
                with open(converted, "rb") as file:
                    data = file.read()
    except (OSError, ValueError) as error:
        warnings.warn(f"load_profiler_result: {error}", stacklevel=2)
        return None
    return ProfilerResult(data)
