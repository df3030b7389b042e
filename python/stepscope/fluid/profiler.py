# SPDX-License-Identifier: Apache-2.0
"""paddle.fluid.profiler, name for name::

    from stepscope.fluid import profiler

    profiler.start_profiler("All")
    ...
    profiler.stop_profiler("total", "/tmp/profile")

``stepscope timeline --profile_path=/tmp/profile --timeline_path=T`` makes
a timeline of the profile.
"""

import contextlib
import os
import shutil
import sys
import warnings
from typing import Iterator, List, Optional

from .. import _frameworks, _paddle
from .._native_files import run
from .._session import Session

__all__ = ["cuda_profiler", "reset_profiler", "profiler", "start_profiler",
           "stop_profiler"]

_STATES = ("CPU", "GPU", "All")
_SORTED_KEYS = (None, "calls", "total", "max", "min", "ave")
_TRACER_OPTIONS = ("Default", "OpDetail", "AllOpDetail")
_MODES = ("kvp", "csv")
_CONFIG = ["gpustarttimestamp", "gpuendtimestamp", "gridsize3d",
           "threadblocksize", "streamid", "enableonstart 0", "conckerneltrace"]

_session: Optional[Session] = None
_state = ""


def _check_state(state: str, tracer_option: str) -> None:
    if state not in _STATES:
        raise ValueError("The state must be 'CPU' or 'GPU' or 'All', not "
                         f"{state!r}.")
    if tracer_option not in _TRACER_OPTIONS:
        raise ValueError("tracer option must be 'Default', 'OpDetail' or "
                         f"'AllOpDetail', not {tracer_option!r}.")


def _check_sorted_key(sorted_key: Optional[str]) -> None:
    if sorted_key not in _SORTED_KEYS:
        raise ValueError("The sorted_key must be None or in 'calls', 'total', "
                         f"'max', 'min' and 'ave', not {sorted_key!r}.")


def _is_running() -> bool:
    # A forked child inherits the variable, not the recording.
    return _session is not None and _session.pid == os.getpid()


def start_profiler(state: str, tracer_option: str = "Default") -> None:
    """Starts profiling. ``state`` is 'CPU', 'GPU' or 'All': which time the
    report of stop_profiler() adds up. Does nothing if profiling is on."""
    global _session, _state
    if _is_running():
        return
    _check_state(state, tracer_option)
    _session = Session(devices=state != "CPU")
    _state = state
    # Of a Paddle that is imported: its stages and operators.
    _frameworks.start()
    _paddle.turn(True)


def stop_profiler(sorted_key: Optional[str] = None,
                  profile_path: str = "/tmp/profile") -> None:
    """Stops profiling, writes the profile and prints the report, sorted by
    'calls', 'total', 'max', 'min' or 'ave', or in the order in which events
    first ended. Does nothing if profiling is off."""
    global _session
    if not _is_running():
        return
    _check_sorted_key(sorted_key)
    session, _session = _session, None
    assert session is not None
    _paddle.turn(False)
    _paddle.forget()
    _frameworks.stop()
    capture = session.stop()
    try:
        how = ["--sort", sorted_key] if sorted_key else []
        report = run("summary", capture, "--format", "fluid", "--place",
                     _state, *how)
        sys.stdout.write(report.decode("utf-8", "backslashreplace"))
        _write_profile(session, capture, os.fspath(profile_path))
    finally:
        session.remove()


def _write_profile(session: Session, capture: str, path: str) -> None:
    made = os.path.join(session.folder, "profile")
    try:
        run("convert", capture, "-o", made, "--to", "fluid")
    except ValueError as error:
        raise OSError(f"the profile was not written: {error}") from None
    if os.path.getsize(made) == 0:
        warnings.warn("stepscope: nothing was recorded between "
                      "start_profiler() and stop_profiler(), so there is no "
                      f"profile {path}: record events with "
                      "stepscope.RecordEvent, or import paddle before",
                      stacklevel=3)
        return
    try:
        shutil.copyfile(made, path)
    except OSError as error:
        raise OSError(f"the profile was not written: {path}: "
                      f"{error.strerror}") from None


def reset_profiler() -> None:
    """Drops what was recorded so far; profiling goes on."""
    if _is_running():
        assert _session is not None
        _paddle.turn(False)
        _session.reset()
        _paddle.turn(True)


@contextlib.contextmanager
def profiler(state: str, sorted_key: Optional[str] = None,
             profile_path: str = "/tmp/profile",
             tracer_option: str = "Default") -> Iterator[None]:
    """start_profiler() and stop_profiler() around a block::

        with profiler.profiler("CPU", "total", "/tmp/profile"):
            train()
    """
    _check_sorted_key(sorted_key)
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


@contextlib.contextmanager
def cuda_profiler(output_file: str, output_mode: Optional[str] = None,
                  config: Optional[List[str]] = None) -> Iterator[None]:
    """Writes the kernels and copies of a block to a file, as the Compute
    Command Line Profiler did: comma-separated ('csv') or as key-value pairs
    ('kvp'), with the columns that ``config`` lists."""
    mode = "csv" if output_mode is None else output_mode
    if mode not in _MODES:
        raise ValueError("The output mode must be 'kvp' or 'csv', not "
                         f"{output_mode!r}.")
    session = Session(devices=True)
    try:
        try:
            yield
        finally:
            capture = session.stop()
            options = os.path.join(session.folder, "config")
            with open(options, "w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line
                                in (_CONFIG if config is None else config))
            run("convert", capture, "-o", os.fspath(output_file), "--to",
                "cuda-profile", "--mode", mode, "--config", options)
    finally:
        session.remove()
