# SPDX-License-Identifier: Apache-2.0
"""The Profiler of paddle.profiler, over stepscope's own."""

from __future__ import annotations

import atexit
import os
import sys
import warnings
import weakref
from _thread import get_ident
from time import monotonic

from .. import _core, _fork_warning, _frameworks
from .._enums import ProfilerState, ProfilerTarget, SortedKeys, SummaryView
from .._event import enabled
from . import scheduler as _scheduler
from .beside import Beside
from .ending import brief, end_forked_child, place, say
from .export import (BY_SUFFIX, FolderExporter, export_chrome_tracing,
                     format_of, write_window)
from .result import ProfilerResult
from .targets import choose_targets, counter_interval

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import (Any, Callable, Dict, Iterable, List, Optional,
                        Union)

# enum stepscope_status
_OK, _BUSY, _NOT_RUNNING, _INVALID = 0, 1, 2, 3
# enum stepscope_profiler_flag
_RECORD_SHAPES, _PROFILE_MEMORY, _TIMER_ONLY, _EMIT_NVTX = 1, 2, 4, 8
_WITH_FLOPS, _KEEP_CAPTURE, _QUIET, _FLIGHT = 16, 32, 64, 128
_START_AT_REST = 256
_ON_DEMAND = 1  # of a flight recorder
_GPU_KINDS = "STEPSCOPE_GPU_KINDS"  # read by the plugin

_RECORDING = (ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN)
# What _core says of transitions; this module says it in Paddle's words.
_KNOWN_WARNINGS = ("the scheduler went from", "the scheduler left")

_WAIT_S = 60.0  # for windows to be delivered
_GRACE_S = 1.0  # for a callback to end that is told to
_all: "Dict[weakref.ref[Profiler], None]" = {}  # in the order of their making
_delivering: "Dict[int, Profiler]" = {}  # by the thread that does it
_ending = False  # the interpreter ends: nothing is started any more


class _Link:
    """How a window that is complete finds its Profiler, which is then perhaps
    being deleted."""

    def __init__(self, profiler: "Profiler") -> None:
        self.weak = weakref.ref(profiler)
        self.strong: Optional[Profiler] = None  # deleted, but for a window

    def __call__(self) -> None:
        profiler = self.strong or self.weak()
        if profiler is not None:
            profiler._deliver()
        self.strong = None


class Profiler:
    """Records chosen steps of a program and says where their time went.

    ``scheduler`` is ``(first, last)``, what :func:`make_scheduler` returns, or
    a function from the number of a step to a :class:`ProfilerState`; without
    it every step is recorded. ``on_trace_ready`` is called with the Profiler
    when a window of recorded steps is complete, on a thread of its own; without
    it a Chrome trace is written to ``./profiler_log``. ``timer_only`` measures
    the time of steps and records nothing. ``profile_memory`` records each
    allocation of torch, and of GPUs the segments, too; ``memory_stacks`` adds
    the lines of Python that allocate on GPUs. ``keep_capture`` keeps the
    captures from which traces are made. ``frameworks=False`` records nothing of
    torch, JAX, Paddle or TensorFlow by itself; ``with_modules`` makes each call
    of a torch module an event. ``with_python`` records the calls of Python
    functions too: True those of the program's own files, a dict with the keys
    ``include`` and ``exclude``, lists of patterns of file names, others. With
    ``quiet``, stop() does not print the Perf Summary. With ``start_at_rest``,
    step 0 is entered at the first resume(). ``counters`` samples the hardware
    of GPUs every 100 microseconds, or every so many as it says.

    ``mode="flight"`` records all the time and keeps the last ``keep_steps``
    steps: no operators, and of a GPU kernels alone. The window is saved, by all
    processes of the job, when a step takes ``slow`` times the median, when no
    step ends for ``hang_after`` seconds, or by ``stepscope trigger``. Negative
    numbers turn the two off; without ``hang_after`` it is 30 s or ten medians.

    ``mode="on_demand"`` records nothing until ``stepscope trigger --job DIR``
    asks for steps. What was recorded then lies in DIR, and ``on_trace_ready``
    is not called. DIR is ``job``, for both modes; without it, the folder of
    captures::

        with stepscope.Profiler(
                scheduler=(2, 10),
                on_trace_ready=stepscope.export_chrome_tracing("./log")) as p:
            for batch in loader:
                train(batch)
                p.step()
        p.summary()
    """

    def __init__(self, *, targets: Optional[Iterable[ProfilerTarget]] = None,
                 scheduler: Any = None,
                 on_trace_ready: Optional[Callable[["Profiler"], Any]] = None,
                 record_shapes: bool = False, profile_memory: bool = False,
                 memory_stacks: bool = False, timer_only: bool = False,
                 emit_nvtx: bool = False,
                 custom_device_types: Iterable[str] = (),
                 with_flops: bool = False, keep_capture: bool = False,
                 frameworks: bool = True, with_modules: bool = False,
                 with_python: Any = False, quiet: bool = False,
                 mode: str = "steps", keep_steps: int = 20, slow: float = 3.0,
                 hang_after: Optional[float] = None,
                 job: Union[str, "os.PathLike[str]", None] = None,
                 start_at_rest: bool = False,
                 counters: Union[bool, int] = False) -> None:
        if mode not in ("steps", "flight", "on_demand"):
            raise ValueError("mode must be \"steps\", \"flight\" or "
                             f"\"on_demand\", not {mode!r}")
        if mode != "steps" and (scheduler is not None or timer_only):
            which = ("records every step" if mode == "flight" else
                     "records the steps that a trigger asks for")
            raise ValueError(f"mode=\"{mode}\" {which}: scheduler and "
                             "timer_only cannot be given")
        if job is not None and mode == "steps":
            raise ValueError("job is the folder of mode=\"flight\" or "
                             "\"on_demand\"; give one of them")
        if not 1 <= keep_steps <= 2000:
            raise ValueError(f"keep_steps must be 1 to 2000, not {keep_steps}")
        self.mode = mode
        self.targets = choose_targets(targets)
        self.custom_device_types = list(custom_device_types)
        self.scheduler = _scheduler.from_argument(scheduler)
        if on_trace_ready is None:
            on_trace_ready = export_chrome_tracing("./profiler_log/")
        self.on_trace_ready = on_trace_ready
        self.record_shapes = record_shapes
        self._record_values = False  # of torch's operators, with shapes
        self.profile_memory = profile_memory
        self.memory_stacks = memory_stacks
        self.timer_only = timer_only
        self.emit_nvtx = emit_nvtx
        self.with_flops = with_flops
        self.counters = counters
        self.frameworks = frameworks
        self.with_modules = with_modules
        self.with_python = with_python
        self._job = job
        self._beside = Beside(self)
        self.step_num = 0
        self.previous_state = ProfilerState.CLOSED
        self.current_state = self.scheduler(0)
        self.record_event = None
        self.profiler_result: Optional[ProfilerResult] = None

        flags = 0
        for on, flag in ((record_shapes, _RECORD_SHAPES),
                         (profile_memory, _PROFILE_MEMORY),
                         (timer_only, _TIMER_ONLY), (emit_nvtx, _EMIT_NVTX),
                         (with_flops, _WITH_FLOPS),
                         (keep_capture, _KEEP_CAPTURE), (quiet, _QUIET),
                         (mode != "steps", _FLIGHT),
                         (start_at_rest, _START_AT_REST)):
            flags |= flag if on else 0
        mask = 0  # what the machine has
        if isinstance(self.targets, set):
            # No target left means: nothing but the host.
            mask = sum(1 << target.value for target in self.targets) or 1
        folder = ""
        if isinstance(on_trace_ready, FolderExporter):
            folder = on_trace_ready.dir_name
        self._pid = os.getpid()
        self._running = False
        self._start_at_rest = start_at_rest
        self._resting = False  # the step is entered at resume()
        self._held = False  # stopped by the program, not by a callback
        self._scheduler_failed = False
        self._error: Optional[BaseException] = None  # of a callback
        self._export_error: Optional[OSError] = None  # of export()
        self._link = _Link(self)
        hang_ns = 0 if hang_after is None else round(hang_after * 1e9)
        self._core = _core.Profiler(flags, mask, folder, self._link,
                                    keep_steps, float(slow), hang_ns,
                                    _ON_DEMAND if mode == "on_demand" else 0,
                                    os.fspath(job) if job is not None else "",
                                    counter_interval(counters))
        self._triggered = False  # on demand: steps are being recorded
        self._chose_kinds = False
        self.profiler = self._core
        _all[weakref.ref(self, _all.pop)] = None

    # -- steps ----------------------------------------------------------------

    def start(self) -> None:
        """Starts the profiler and enters step 0. In ``on_trace_ready`` it does
        nothing once the program has called stop()."""
        if self._running:
            return
        state = self._checked(self.current_state, 0)
        if self.step_num > 0:  # started again: counts from 0 again
            state = self._state_of(0)
        if not self._in_callback():
            self._held = False
        if self._held or _ending:
            return
        self._running = True
        self._resting = self._start_at_rest
        self.step_num = 0
        self.previous_state = ProfilerState.CLOSED
        self.current_state = state
        flight = self.mode == "flight"
        if (flight and ProfilerTarget.GPU in self.targets
                and _GPU_KINDS not in os.environ):
            # What calls of the device's API cost is most of it.
            os.environ[_GPU_KINDS] = "kernel"
            self._chose_kinds = True
        if self.frameworks and self.mode != "on_demand":
            _frameworks.start_for(self, operators=not flight)
        self._core.start(state.value)
        self._record_memory()
        self._beside.start(self._records(state) and self.mode != "on_demand")
        self._after_call()

    def step(self, num_samples: Optional[int] = None) -> None:
        """Ends a step and enters the next one. With the number of samples in
        the step that ends, speed is in samples per second."""
        samples = -1
        if num_samples is not None:
            if not hasattr(num_samples, "__int__"):
                raise TypeError("num_samples must be a number, not "
                                f"{num_samples!r}")
            samples = int(num_samples)
            if samples < 0:
                warnings.warn(f"num_samples={num_samples!r} is below 0 and not "
                              "counted", stacklevel=2)
        if not self._running:
            return
        if self._resting:
            self.resume()
            return
        failed = None
        state = ProfilerState.CLOSED
        if not self.timer_only:
            try:
                state = self._state_of(self.step_num + 1)
            except BaseException as error:
                # The window is delivered, and the job sees the error once.
                failed, self._scheduler_failed = error, True
        if self.frameworks and self.mode != "on_demand":
            _frameworks.look()
        self._record_memory()
        records = self._records(state)
        if self.mode == "on_demand":
            records = enabled()
        if (not records
                or self.current_state is ProfilerState.RECORD_AND_RETURN):
            self._beside.turn(False)  # what is open belongs to this window
        elif self.mode == "on_demand":
            self._beside.hand_over()
        self._core.step(samples, state.value)
        self._beside.sealed()
        if self.mode == "on_demand":
            records = self._follow_trigger()
        self._beside.turn(records)
        self.step_num += 1
        if not self.timer_only:
            self.previous_state, self.current_state = self.current_state, state
            if failed is None:
                _scheduler.warn_of_transition(self.previous_state, state)
        if failed is not None:
            raise failed
        self._after_call()

    def stop(self) -> None:
        """Ends the window that is being recorded, waits until it is delivered
        (60 s at most), and prints the Perf Summary."""
        if not self._in_callback():
            self._held = True
        if not self._running:
            if self.current_state in _RECORDING and not self.timer_only and (
                    self.step_num == 0 and self.profiler_result is None
                    and not self._in_callback() and not _ending):
                raise RuntimeError(
                    "(PreconditionNotMet) TracerState must be STARTED: stop() "
                    "was called before start()")
            return
        self._seal()
        # Late, since a warning may be an error.
        if self.current_state is ProfilerState.READY and not self.timer_only:
            warnings.warn(
                "Improper Profiler state transform: READY->CLOSED, profiler "
                "will start and stop without saving data", stacklevel=2)
        if not self._wait():
            warnings.warn(f"stepscope: {self._late()}", stacklevel=2)
        self._after_call()

    def save(self, reason: str = "the program asked for it") -> None:
        """In flight mode: saves the window, in all processes of the job.
        Returns at once."""
        if _core.flight_save(reason) != _OK:
            raise RuntimeError(_core.last_error())

    def __enter__(self) -> "Profiler":
        self.start()
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None:
            self.stop()
            return
        try:
            self.stop()
        except Exception as second:  # the first one is the one to see
            try:
                warnings.warn(f"on_trace_ready failed: {second!r}",
                              stacklevel=2)
            except Warning:
                pass

    def reset(self) -> None:
        """Discards what was recorded and measured so far, and continues."""
        self._core.reset()
        self.profiler_result = None

    def leave_step(self) -> None:
        """The step that was entered last does not take place now: what the
        program does until resume(), which enters it again, is in no step. For
        evaluation, for saving, and when the data ends."""
        if self._running and not self._resting:
            self._resting = True
            self._core.leave_step()

    def pause(self) -> None:
        """The time until resume() is left out of the Perf Summary and of
        step_info(), but is part of the step that is recorded; leave_step()
        leaves it out of both."""
        self._core.pause()

    def resume(self) -> None:
        """See leave_step() and pause()."""
        self._resting = False
        self._core.resume()

    def step_info(self, unit: Optional[str] = None) -> str:
        """What the steps since the last call cost on average, such as
        ``" reader_cost: 0.00010 s batch_cost: 0.00790 s ips: 506.329
        images/s"`` for the unit ``"images"``."""
        if unit is not None and not isinstance(unit, str):
            raise TypeError(f"unit must be a str, not {unit!r}")
        return self._core.step_info(unit or "samples")

    # -- results --------------------------------------------------------------

    @property
    def result(self) -> Optional[ProfilerResult]:
        """The last window: its trees of events, and all that
        :func:`stepscope.load` gives. None if there is none yet."""
        self._wait()
        return self.profiler_result

    def summary(self, sorted_by: SortedKeys = SortedKeys.CPUTotal,
                op_detail: bool = True, thread_sep: bool = False,
                time_unit: str = "ms",
                views: Union[SummaryView, List[SummaryView], None] = None,
                ) -> None:
        """Prints the tables of the last window."""
        if not isinstance(sorted_by, SortedKeys):
            raise AttributeError(f"sorted_by={sorted_by!r}: expected a "
                                 "SortedKeys, such as SortedKeys.GPUTotal")
        if isinstance(views, SummaryView):
            views = [views]
        mask = 0
        if views is not None:
            if not isinstance(views, (list, tuple, set, frozenset)):
                raise TypeError(f"views={views!r}: expected a SummaryView or "
                                "a list of them")
            for view in views:
                if not isinstance(view, SummaryView):
                    raise TypeError(f"views: {view!r} is not a SummaryView")
                mask |= 1 << view.value
        self._wait_or_raise()
        if views is not None and mask == 0:
            print()
            return
        status, text = self._core.summary(sorted_by.value, bool(op_detail),
                                          bool(thread_sep), str(time_unit),
                                          mask)
        if status == _OK:
            sys.stdout.write(text)
        elif status == _INVALID:
            raise ValueError(_core.last_error())
        elif status != _NOT_RUNNING:
            raise RuntimeError(_core.last_error())
        self._after_call()

    def export(self, path: str = "", format: str = BY_SUFFIX) -> None:
        """Writes the last window to a file. Its suffix says in which format:
        ``.json`` (a Chrome trace), ``.sscap`` (a capture), ``.pb`` (Paddle's
        protobuf), ``.pftrace`` and all others that ``stepscope convert``
        knows, compressed if ``.gz`` or ``.zst`` follows; any other name is a
        Chrome trace. ``format`` overrides it: ``"json"``, ``"pb"`` or
        ``"capture"``. Without a path the name is chosen, in the working
        folder."""
        path = os.fspath(path)
        if format not in ("json", "pb", "capture"):
            error = ValueError if isinstance(format, str) else TypeError
            raise error(f"format={format!r}: expected 'json', 'pb' or "
                        "'capture'")
        self._wait_or_raise()
        try:
            written = write_window(self, self._core, path,
                                   format_of(path) if format is BY_SUFFIX
                                   else format)
        except OSError as failed:
            self._export_error = failed
            raise
        if not written:
            warnings.warn("export: no window was recorded", stacklevel=2)

    # -- inside ---------------------------------------------------------------

    def _seal(self) -> None:
        self._running = False
        self._beside.stop()
        self._core.stop()
        self._beside.sealed()
        if self._chose_kinds:
            self._chose_kinds = False
            os.environ.pop(_GPU_KINDS, None)
        if self.mode == "on_demand":
            self._follow_trigger()
        elif self.frameworks:
            _frameworks.stop()

    def _follow_trigger(self) -> bool:
        """Frameworks are observed only in the steps that were asked for, so
        that waiting costs nothing. Returns whether this is one."""
        triggered = enabled()
        if triggered != self._triggered:
            self._triggered = triggered
            if self.frameworks and triggered:
                _frameworks.start_for(self)
            elif self.frameworks:
                _frameworks.stop()
        return triggered

    def _records(self, state: ProfilerState) -> bool:
        return state in _RECORDING and not self.timer_only

    def _checked(self, state: Any, step: int) -> ProfilerState:
        assert isinstance(state, ProfilerState), (
            f"the scheduler returned {state!r} for step {step}, which is not a "
            "ProfilerState")
        return state

    def _state_of(self, step: int) -> ProfilerState:
        if self._scheduler_failed:
            return ProfilerState.CLOSED
        return self._checked(self.scheduler(step), step)

    def _record_memory(self) -> None:
        if self.profile_memory and self.current_state in _RECORDING:
            from .. import _memory

            _memory.record()

    def _in_callback(self) -> bool:
        """Or in that of another Profiler: there is one thread for all."""
        return get_ident() in _delivering

    def _wait(self, until: Optional[float] = None) -> bool:
        """Until all windows are delivered; Ctrl-C ends it. False: they are not
        in time."""
        if self._in_callback():
            return True
        if until is None:
            until = 0.0 if _ending else monotonic() + _WAIT_S
        while True:
            left = max(0.0, until - monotonic())
            if self._core.wait(min(100, round(1000 * left))):
                return True
            if left == 0:
                return False

    def _wait_or_raise(self) -> None:
        if not self._wait():
            raise RuntimeError(self._late())

    def _late(self) -> str:
        if self not in _delivering.values():
            return ("a window was not delivered in time; its capture stays "
                    "where it is")
        return (f"on_trace_ready={place(self.on_trace_ready)} is still "
                "running and is not waited for; its window may be incomplete")

    def _deliver(self) -> None:
        """A window is complete. On the delivery thread."""
        _delivering[get_ident()] = self
        self._beside.delivered()
        self.profiler_result = ProfilerResult(self)
        error: Optional[BaseException] = None
        try:
            self.on_trace_ready(self)
        except BaseException as raised:
            error = raised
        if self._pid != os.getpid():
            end_forked_child(error)
        if error is not None:
            self._error = error
        del _delivering[get_ident()]

    def _after_call(self) -> None:
        """Says what is to be said, on the user's thread."""
        printed = self._core.take_printed()
        if printed:
            sys.stdout.write(printed)
        said = self._core.take_warnings()
        for text in said:
            if not text.startswith(_KNOWN_WARNINGS):
                warnings.warn(f"stepscope: {text}", stacklevel=3)
        if self._error is not None and not self._in_callback():
            error, self._error = self._error, None
            if error is not self._export_error:
                raise error
            # A disk that is full does not end the program. The core says it
            # the first time.
            if str(error) not in said:
                warnings.warn(f"stepscope: {error}", stacklevel=3)

    def _finish(self, until: float) -> bool:
        """The interpreter ends: what was recorded is delivered. False: there
        was no time for it."""
        if self._pid != os.getpid():  # a forked child has nothing of it
            return True
        delivered = False
        try:
            if self._running:
                self._seal()
            delivered = self._wait(until)
            if self._error is not None:
                # Not by sys.excepthook: a job's may end all its processes.
                say(f"on_trace_ready={place(self.on_trace_ready)} raised "
                     f"{brief(self._error)}")
                self._error = None
            self._after_call()
        except KeyboardInterrupt:  # nobody wants to wait
            pass
        except Exception as error:  # a warning, perhaps
            say(brief(error))
        if not delivered:
            say(self._late())
        return delivered

    def __del__(self) -> None:
        core = getattr(self, "_core", None)
        if core is None or sys.is_finalizing():
            return
        self._link.strong = self
        if self._running:
            self._seal()
        delivered = core.wait(round(1000 * _WAIT_S))
        if not delivered and self._in_callback():
            return  # its turn comes after that
        self._link.strong = None
        if not delivered:
            say(self._late())


os.register_at_fork(after_in_child=_delivering.clear)
_fork_warning.install()


@atexit.register
def _finish_all() -> None:
    """All windows are delivered, or it is said that they are not. After that
    no thread of ours needs Python."""
    global _ending
    _ending = True
    until = monotonic() + _WAIT_S
    for reference in list(_all):
        profiler = reference()
        if profiler is not None and not profiler._finish(until):
            until = 0.0
    # A callback that ends there leaves no lock behind that Python needs.
    left = max(_GRACE_S, until - monotonic())
    _core.shut_down(list(_delivering), round(1000 * left))


def get_profiler(config_path: str) -> Profiler:
    """A Profiler as a JSON file describes it, with the keys targets, scheduler,
    on_trace_ready and timer_only."""
    from .config import read_config

    return Profiler(**read_config(config_path))
