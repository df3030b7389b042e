# SPDX-License-Identifier: Apache-2.0
"""torch.profiler.profile, over stepscope's Profiler."""

from __future__ import annotations

import collections
import enum
import inspect
import os
import shutil
import tempfile
import threading
import weakref
from typing import Any, Callable, Iterable, List, Optional

from .. import _marks
from .._enums import ProfilerTarget
from .._event import RecordEvent
from ..profiler.export import FolderExporter
from ..profiler.profiler import Profiler, _supported_targets
from .averages import EventList
from .events import read_events
from .schedule import ProfilerAction, state_of


class ProfilerActivity(enum.Enum):
    """What to record."""

    CPU = 0
    CUDA = 2


_TARGETS = {"CPU": ProfilerTarget.CPU, "CUDA": ProfilerTarget.GPU}


def supported_activities() -> set:
    """What can be recorded on this machine."""
    supported = _supported_targets()
    return {activity for activity in ProfilerActivity
            if _TARGETS[activity.name] in supported}


class record_function(RecordEvent):
    """A range with a name, as a context manager or as a decorator. ``args`` is
    a text that is shown with it."""

    def __init__(self, name: str, args: Optional[str] = None) -> None:
        if args is None:
            super().__init__(name)
        else:
            super().__init__(name, args=args)


def tensorboard_trace_handler(dir_name: str, worker_name: Optional[str] = None,
                              use_gzip: bool = False,
                              ) -> Callable[["profile"], None]:
    """For on_trace_ready: writes each window to
    ``<worker>.<time>.pt.trace.json`` in ``dir_name``."""
    def write(prof: "profile") -> None:
        import time

        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{os.uname().nodename}_{os.getpid()}"
        suffix = ".pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(
            os.path.join(dir_name, f"{worker}.{time.time_ns()}{suffix}"))

    return write


class _Delivery(FolderExporter):
    """Gives each window to the profile; captures go to a folder that is
    removed with it."""

    def __init__(self, owner: "profile") -> None:
        folder = tempfile.mkdtemp(prefix="stepscope-")
        super().__init__(folder, None, "json")
        self._owner = weakref.ref(owner)
        weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)

    def __call__(self, prof: Any) -> None:
        owner = self._owner()
        if owner is not None:
            owner._deliver()


class profile:
    """Records a piece of a program, with the arguments of torch.profiler.

    ``on_trace_ready`` is called with this object for each window, on a thread
    of its own, so that ``step()`` does not wait for it; ``stop()`` waits.
    """

    def __init__(self, *, activities: Optional[Iterable[Any]] = None,
                 schedule: Optional[Callable[[int], Any]] = None,
                 on_trace_ready: Optional[Callable[["profile"], Any]] = None,
                 record_shapes: bool = False, profile_memory: bool = False,
                 with_stack: bool = False, with_flops: bool = False,
                 with_modules: bool = False, experimental_config: Any = None,
                 execution_trace_observer: Any = None,
                 acc_events: bool = False, use_cuda: Optional[bool] = None,
                 custom_trace_id_callback: Any = None) -> None:
        # What they ask of torch's own profiler has no meaning here.
        del experimental_config, execution_trace_observer, acc_events
        del custom_trace_id_callback
        targets: Optional[List[ProfilerTarget]] = None
        if activities is not None:
            targets = [self._target(activity) for activity in activities]
        if use_cuda is not None:
            targets = [ProfilerTarget.CPU]
            targets += [ProfilerTarget.GPU] if use_cuda else []
        self.on_trace_ready = on_trace_ready
        self._schedule = schedule
        self._window_steps: "collections.deque[int]" = collections.deque()
        self._delivered = threading.local()  # step_num, in on_trace_ready
        self._events: Optional[EventList] = None
        more = {}
        if with_stack and "with_python" in inspect.signature(
                Profiler.__init__).parameters:
            more["with_python"] = True
        self._profiler = Profiler(
            targets=targets,
            scheduler=None if schedule is None else self._state,
            on_trace_ready=_Delivery(self), record_shapes=record_shapes,
            profile_memory=profile_memory, with_flops=with_flops,
            with_modules=with_modules, quiet=True, **more)

    @staticmethod
    def _target(activity: Any) -> ProfilerTarget:
        target = _TARGETS.get(getattr(activity, "name", ""))
        if target is None:
            raise ValueError(f"activities: {activity!r} cannot be recorded; "
                             "expected ProfilerActivity.CPU or .CUDA")
        return target

    def _state(self, step: int) -> Any:
        return state_of(self._schedule(step))

    # -- steps ----------------------------------------------------------------

    @property
    def step_num(self) -> int:
        """The number of the step. In on_trace_ready: that which followed the
        window."""
        return getattr(self._delivered, "step", self._profiler.step_num)

    @property
    def current_action(self) -> ProfilerAction:
        return ProfilerAction(self._profiler.current_state.value)

    def start(self) -> None:
        self._window_steps.clear()
        self._profiler.start()

    def step(self) -> None:
        """Ends a step and enters the next one."""
        before = self._profiler.current_state
        # Known before the window is complete.
        if before.name == "RECORD_AND_RETURN":
            self._window_steps.append(self._profiler.step_num + 1)
        self._profiler.step()

    def stop(self) -> None:
        """Ends the window and waits until it is delivered."""
        self._window_steps.append(self._profiler.step_num)
        self._profiler.stop()

    def __enter__(self) -> "profile":
        self.start()
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self._window_steps.append(self._profiler.step_num)
        self._profiler.__exit__(kind, error, traceback)

    def _deliver(self) -> None:
        self._events = None
        if self._window_steps:
            self._delivered.step = self._window_steps.popleft()
        try:
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)
        finally:
            self._delivered.__dict__.clear()

    # -- results --------------------------------------------------------------

    def events(self) -> EventList:
        """What was recorded in the last window. The list is made from its
        Chrome trace when it is first asked for."""
        if self._events is None:
            if self._profiler.profiler_result is None:
                raise RuntimeError("no window has been recorded yet: ask in "
                                   "on_trace_ready, or after stop()")
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "window.json")
                self._profiler.export(path, "json")
                self._events = EventList(read_events(path))
        return self._events

    def key_averages(self, group_by_input_shape: bool = False,
                     group_by_stack_n: int = 0) -> EventList:
        """The events of the last window, added up by name."""
        del group_by_stack_n
        return self.events().key_averages(group_by_input_shape)

    def export_chrome_trace(self, path: str) -> None:
        """Compressed if the path ends in .gz."""
        self._profiler.export(path, "json")

    def export_capture(self, path: str) -> None:
        """Everything that was recorded, for the command stepscope."""
        self._profiler.export(path, "capture")

    def summary(self, **options: Any) -> None:
        """Prints what ``stepscope summary`` prints of the last window: one
        screen, or the tables of ``views``; see Result.summary."""
        result = self._profiler.result
        if result is not None:
            print(result.summary(**options), end="")

    @staticmethod
    def add_metadata(key: str, value: str) -> None:
        _marks.set_metadata(key, value)

    add_metadata_json = add_metadata
