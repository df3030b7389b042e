# SPDX-License-Identifier: Apache-2.0
"""What view() was asked to show, as files and folders."""

from __future__ import annotations

import os
import shutil
import tempfile

from .. import profiler as _profiler
from ..profiler.export import FolderExporter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional, Tuple

_DEFAULT_FOLDER = "profiler_log"


def paths_of(source: Any) -> Tuple[List[str], Optional[str]]:
    """The paths, and the folder that was made for what has none, to be removed
    when it is no longer shown."""
    from ..data import Result
    from ..profiler.result import ProfilerResult

    if source is None:
        source = _last_folder()
    if isinstance(source, _profiler.Profiler):
        exporter = source.on_trace_ready
        if isinstance(exporter, FolderExporter):
            source._wait()
            return [_existing(exporter.dir_name)], None
        if source.result is None:
            raise ValueError("view(): this Profiler has recorded nothing yet")
        return _saved(lambda path: source.export(path, "capture"),
                      "window.sscap")
    if isinstance(source, ProfilerResult):
        if not isinstance(source._source, bytes):
            return paths_of(source._source)
        return _saved(lambda path: source.save(path, "pb"), "window.pb")
    if isinstance(source, Result):
        # Another server would read the files without knowing what a step is.
        if source._paths and source._step_range is None:
            return [_existing(path) for path in source._paths], None
        return _saved(source.export, "trace.pftrace")
    if isinstance(source, (str, os.PathLike)):
        return [_existing(source)], None
    if not isinstance(source, (list, tuple)):
        raise TypeError("view() takes a path, a list of paths, a Profiler or "
                        f"what load() returned, not {type(source).__name__}")
    if not source:
        raise ValueError("view(): the list of paths is empty")
    return [_existing(path) for path in source], None


def _last_folder() -> Any:
    """Of the last Profiler that writes to a folder."""
    if FolderExporter.last_written is not None:
        return FolderExporter.last_written
    if os.path.isdir(_DEFAULT_FOLDER):
        return _DEFAULT_FOLDER
    raise ValueError("view(): there is nothing to show; record something, or "
                     "give a trace or a folder, as in view('profiler_log')")


def _existing(path: Any) -> str:
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError("view(): a path must be a str or os.PathLike, not "
                        f"{type(path).__name__}")
    text = os.path.abspath(os.fsdecode(path))
    if "\0" in text:
        raise ValueError(f"view(): {path!r} has a null character in it")
    if not os.path.exists(text):
        raise FileNotFoundError(2, "No such file or directory; check the path",
                                os.fsdecode(path))
    return text


def _saved(save: Any, name: str) -> Tuple[List[str], str]:
    folder = tempfile.mkdtemp(prefix="stepscope-view-")
    path = os.path.join(folder, name)
    try:
        save(path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return [path], folder
