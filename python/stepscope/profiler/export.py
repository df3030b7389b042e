# SPDX-License-Identifier: Apache-2.0
"""What on_trace_ready can be."""

from __future__ import annotations

import os

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

_SUFFIXES = {
    "json": ".paddle_trace.json",
    "pb": ".paddle_trace.pb",
    "capture": ".sscap",
}


class FolderExporter:
    """Writes each window to a file of its own in a folder."""

    # What stepscope.view() shows if it is given nothing.
    last_written: Optional[str] = None

    def __init__(self, dir_name: str, worker_name: Optional[str],
                 file_format: str) -> None:
        dir_name = os.fspath(dir_name)
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError(
                f"Can not create directory '{dir_name}' for saving profiling "
                f"results. ({error.strerror})") from error
        self.dir_name = dir_name
        self.worker_name = worker_name
        self.file_format = file_format

    def __call__(self, prof: Any) -> None:
        worker = self.worker_name
        if not worker:
            worker = f"host_{os.uname().nodename}pid_{os.getpid()}"
        import datetime  # here, so that importing the package stays quick

        now = datetime.datetime.now().strftime("%Y_%m_%d_%H_%M_%S_%f")
        name = f"{worker}_time_{now}{_SUFFIXES[self.file_format]}"
        prof.export(os.path.join(self.dir_name, name), self.file_format)
        FolderExporter.last_written = os.path.abspath(self.dir_name)


def export_chrome_tracing(dir_name: str,
                          worker_name: Optional[str] = None) -> FolderExporter:
    """For on_trace_ready: writes each window as a Chrome trace to
    ``<worker>_time_<date and time>.paddle_trace.json`` in ``dir_name``."""
    return FolderExporter(dir_name, worker_name, "json")


def export_protobuf(dir_name: str,
                    worker_name: Optional[str] = None) -> FolderExporter:
    """For on_trace_ready: writes each window as Paddle's protobuf to
    ``<worker>_time_<date and time>.paddle_trace.pb`` in ``dir_name``."""
    return FolderExporter(dir_name, worker_name, "pb")


def export_capture(dir_name: str,
                   worker_name: Optional[str] = None) -> FolderExporter:
    """For on_trace_ready: keeps each window as a capture (``.sscap``), which
    holds everything that was recorded and opens fastest."""
    return FolderExporter(dir_name, worker_name, "capture")


# Those of exporters/output_name.cc, by what writes them here: the Profiler's
# library, or what reads traces ("").
_FORMATS = {".pt.trace.json": "kineto", ".pt.trace.json.gz": "kineto",
            ".json": "json", ".json.gz": "json", ".sscap": "capture",
            ".pb": "pb"}
_READER = (".pftrace", ".perfetto-trace", ".fluid", ".csv", ".json", ".sscap",
           ".pb")


class _BySuffix(str):
    """Paddle's default, and not the same as "json" that somebody asked for."""


BY_SUFFIX = _BySuffix("json")


def format_of(path: str) -> str:
    """The format that the suffix of a path says; "" for one that only
    Result.export writes."""
    for suffix, name in _FORMATS.items():
        if path.endswith(suffix):
            return name
    for packed in (".gz", ".zst"):
        if path.endswith(packed):
            path = path[:-len(packed)]
            break
    return "" if path.endswith(_READER) else "json"


def write_window(prof: Any, core: Any, path: str, file_format: str) -> bool:
    """The last window of a Profiler as a file. False if there is none; OSError
    where it cannot be written."""
    from .. import _core

    if path and os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    if not file_format:
        result = prof.result
        if result is not None:
            result.data.export(path)
        return result is not None
    if path:
        status = core.export(path, file_format)
    else:
        status = core.export_to(".", "", file_format)
    if status not in (0, 2):  # STEPSCOPE_OK, STEPSCOPE_NOT_RUNNING
        raise OSError(_core.last_error())
    return status == 0
