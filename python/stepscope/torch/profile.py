# SPDX-License-Identifier: Apache-2.0
"""torch.profiler.profile, over stepscope's Profiler."""

from __future__ import annotations

import collections
import enum
import json
import os
import shutil
import sys
import tempfile
import threading
import uuid
import weakref
from typing import Any, Callable, Iterable, List, Optional

from .. import _torch_observer
from .._enums import ProfilerTarget
from .._event import RecordEvent
from ..profiler.export import FolderExporter, write_window
from ..profiler.profiler import Profiler
from ..profiler.targets import supported_targets
from . import step_tracker
from .averages import EventList, FunctionEventAvg
from .events import read_events
from .metadata import Metadata
from .results import ProfilerResults
from .schedule import ProfilerAction, state_of

# What the exporter of torch's format leaves out, and all that began in it.
_COLLECTION_OFF = "torch.profiler: collection off"


class ProfilerActivity(enum.Enum):
    """What to record."""

    CPU = 0
    XPU = 1
    CUDA = 2
    HPU = 3
    MTIA = 4
    PrivateUse1 = 5


# Of the others there is no recorder.
_TARGETS = {"CPU": ProfilerTarget.CPU, "CUDA": ProfilerTarget.GPU}


def supported_activities() -> set:
    """What can be recorded on this machine."""
    supported = supported_targets()
    return {activity for activity in ProfilerActivity
            if _TARGETS.get(activity.name) in supported}


def kineto_available() -> bool:
    """Whether traces can be recorded, by us and not by Kineto."""
    return True


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


class _Announced:
    """Tells torch that a profiler records: Inductor's launches are ranges
    (_RecordFunctionFast) only then. Torch before 2.1 has no such flag."""

    def __init__(self) -> None:
        self._before: Optional[bool] = None

    def set(self) -> None:
        module = sys.modules.get("torch.autograd.profiler")
        if self._before is None:
            self._before = getattr(module, "_is_profiler_enabled", None)
        if self._before is not None:
            module._is_profiler_enabled = True

    def observed(self) -> None:
        """Operators are observed from here on, and so can these ranges be."""
        if self._before is not None:
            _torch_observer.announce(True)

    def restore(self) -> None:
        module = sys.modules.get("torch.autograd.profiler")
        if self._before is not None and module is not None:
            module._is_profiler_enabled = self._before
            _torch_observer.announce(False)
        self._before = None


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
        del experimental_config, execution_trace_observer
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
        self.acc_events = acc_events
        self._earlier: List[Any] = []  # of windows before the last one
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.custom_trace_id_callback = custom_trace_id_callback
        self._trace_id: Optional[str] = None
        self._metadata = Metadata()
        self._off: Optional[RecordEvent] = None
        self._announced = _Announced()
        self._profiler = Profiler(
            targets=targets,
            scheduler=None if schedule is None else self._state,
            on_trace_ready=_Delivery(self),
            record_shapes=record_shapes or with_flops,
            profile_memory=profile_memory,
            memory_stacks=profile_memory and with_stack,
            with_flops=with_flops,
            with_modules=with_modules, with_python=bool(with_stack),
            quiet=True)
        self._profiler._record_values = True

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

    def prepare_trace(self) -> None:
        """Nothing has to be prepared; torch's programs call it."""

    def start_trace(self) -> None:
        self.start()

    def stop_trace(self) -> None:
        self.stop()

    def start(self) -> None:
        self._before_start()
        try:
            self._profiler.start()
            self._announced.observed()
        except BaseException:
            self._announced.restore()
            raise

    def _before_start(self) -> None:
        self._window_steps.clear()
        self._earlier.clear()
        self._events = None
        callback = self.custom_trace_id_callback
        self._trace_id = (callback() if callback is not None
                          else uuid.uuid4().hex.upper())
        self._metadata.describe(self, scheduled=self._schedule is not None)
        self._announced.set()
        step_tracker.begin()

    def toggle_collection_dynamic(self, enable: bool,
                                  activities: Iterable[Any]) -> None:
        """Turns collection off, and on again, while a window is recorded.
        What is recorded meanwhile is left out of events and files; one
        activity cannot be turned off without the others."""
        del activities
        if enable and self._off is not None:
            self._off.end()
            self._off = None
        elif not enable and self._off is None:
            self._off = RecordEvent(_COLLECTION_OFF)
            self._off.begin()

    def step(self) -> None:
        """Ends a step and enters the next one."""
        before = self._profiler.current_state
        # Known before the window is complete.
        if before.name == "RECORD_AND_RETURN":
            self._window_steps.append(self._profiler.step_num + 1)
        self._profiler.step()
        step_tracker.step()

    def stop(self) -> None:
        """Ends the window and waits until it is delivered."""
        self._before_stop()
        self._profiler.stop()
        self._metadata.end()

    def _before_stop(self) -> None:
        self._announced.restore()
        step_tracker.end()
        self.toggle_collection_dynamic(True, ())
        self._window_steps.append(self._profiler.step_num)

    def __enter__(self) -> "profile":
        self.start()
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self._before_stop()
        self._profiler.__exit__(kind, error, traceback)
        self._metadata.end()

    def _deliver(self) -> None:
        if self.acc_events and self._events is not None:
            self._earlier.extend(self._events)
        self._events = None
        if self.acc_events:
            self._events = self._read()
        if self._window_steps:
            self._delivered.step = self._window_steps.popleft()
        try:
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)
        finally:
            self._delivered.__dict__.clear()

    # -- results --------------------------------------------------------------

    def _read(self) -> EventList:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "window.json")
            self._write(path)
            return EventList(
                read_events(path, self.with_flops, self.with_stack),
                profile_memory=self.profile_memory,
                with_flops=self.with_flops)

    def _write(self, path: str) -> bool:
        self._profiler._wait_or_raise()
        return write_window(self._profiler, self._profiler._core, path,
                            "kineto")

    def events(self) -> EventList:
        """What was recorded in the last window; with ``acc_events``, in all.
        The list is made from its trace when it is first asked for."""
        if self._events is None:
            if self._profiler.profiler_result is None:
                raise RuntimeError("no window has been recorded yet: ask in "
                                   "on_trace_ready, or after stop()")
            self._events = self._read()
        if not self._earlier:
            return self._events
        return self._events._like([*self._earlier, *self._events])

    @property
    def profiler(self) -> ProfilerResults:
        return ProfilerResults(self)

    @property
    def function_events(self) -> EventList:
        return self.events()

    def key_averages(self, group_by_input_shape: bool = False,
                     group_by_stack_n: int = 0) -> EventList:
        """The events of the last window, added up by name."""
        return self.events().key_averages(group_by_input_shape,
                                          group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        return self.events().total_average()

    def export_chrome_trace(self, path: str) -> None:
        """In the format of torch's profiler, as TensorBoard's plugin and
        Holistic Trace Analysis read it. Compressed if the path ends in
        .gz."""
        self._metadata.write(os.fspath(path), self._write)

    def export_stacks(self, path: str,
                      metric: str = "self_cpu_time_total") -> None:
        """Stacks of operators with their time, one a line; needs
        ``with_stack``."""
        self.events().export_stacks(path, metric)

    def export_memory_timeline(self, path: str,
                               device: Optional[str] = None) -> None:
        """Memory over time on a device, by default the first GPU, or the CPU
        where there is none: a page (.html), totals (.json, .json.gz), or each
        allocation and free (.raw.json.gz). Needs ``profile_memory``."""
        if not self.profile_memory:
            raise ValueError("profile_memory=True required for memory "
                             "profiling.")
        from . import memory_timeline

        if device is None:
            cuda = getattr(sys.modules.get("torch"), "cuda", None)
            device = ("cuda:0" if cuda is not None and cuda.is_available()
                      else "cpu")
        with tempfile.TemporaryDirectory() as folder:
            window = os.path.join(folder, "window.json")
            self._write(window)
            with open(window, encoding="utf-8") as file:
                trace = json.load(file)
        memory_timeline.write(trace, os.fspath(path), device)

    def get_trace_id(self) -> Optional[str]:
        """The id of what is being recorded, or was last."""
        return self._trace_id

    def export_capture(self, path: str) -> None:
        """Everything that was recorded, for the command stepscope."""
        self._profiler.export(path, "capture")

    def summary(self, **options: Any) -> None:
        """Prints what ``stepscope summary`` prints of the last window: one
        screen, or the tables of ``views``; see Result.summary."""
        result = self._profiler.result
        if result is not None:
            print(result.summary(**options), end="")

    def add_metadata(self, key: str, value: str) -> None:
        """A text that stands at the top of the exported trace."""
        self._metadata.add_text(key, value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """The same for a value that is JSON already."""
        self._metadata.add_json(key, value)

    def preset_metadata_json(self, key: str, value: str) -> None:
        """The same before start()."""
        self._metadata.add_json(key, value)
