# SPDX-License-Identifier: Apache-2.0
"""Loop: the steps and the other parts of a training loop, as the callbacks of
a framework tell of them.

A step is an optimizer step with the wait for its data, so it is entered where
the one before it ends. A *part* is not training: it is a range in no
step. None of these methods raises: the loop belongs to the framework.
"""

from __future__ import annotations

import functools
import inspect
import sys
import warnings

from .. import (Profiler, RecordEvent, TracerEventType, export_capture)
from ..profiler.ending import brief, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

    _Function = TypeVar("_Function", bound=Callable[..., Any])

OUT = "stepscope_log"
EVALUATION, PREDICTION, CHECKPOINT = "Evaluation", "Prediction", "Checkpoint"
MICRO_STEP, WAIT = "Micro-step", "Wait for data"


def check_options(options: Dict[str, Any]) -> None:
    """A misspelled option is the user's to see, before training starts."""
    known = [name for name in inspect.signature(Profiler.__init__).parameters
             if name not in ("self", "start_at_rest")]
    for name in options:
        if name not in known:
            raise TypeError(f"unknown option {name!r}; expected out or one of "
                            f"stepscope.Profiler: {', '.join(known)}")


def _guarded(function: _Function) -> _Function:
    """An error is told once, and never reaches the framework."""

    @functools.wraps(function)
    def call(self: Loop, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(self, *args, **kwargs)
        except Exception as error:
            self.tell(brief(error))
            return None

    return call  # type: ignore[return-value]


class Loop:
    """``out`` is the folder of captures, one for each window of recorded
    steps; ``options`` are those of :class:`stepscope.Profiler`."""

    def __init__(self, out: Any, options: Dict[str, Any]) -> None:
        check_options(options)
        self._out = out
        self._options = options
        self._profiler: Optional[Profiler] = None
        # Open ones, the innermost last, and whether they are parts.
        self._ranges: List[Tuple[str, RecordEvent, bool]] = []
        self._told: set = set()
        self._resting = True

    def __getstate__(self) -> Dict[str, Any]:
        """Frameworks copy callbacks, and send them to other processes, which
        record nothing of ours."""
        return {"_out": self._out, "_options": self._options}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__init__(state["_out"], state["_options"])  # type: ignore[misc]

    def tell(self, text: str) -> None:
        """Once."""
        if text in self._told:
            return
        self._told.add(text)
        try:
            warnings.warn(f"stepscope: {text}", stacklevel=4)
        except Warning:  # they are errors here
            say(text)

    # -- the whole ------------------------------------------------------------

    @_guarded
    def start(self) -> None:
        """Records from here on what the scheduler wants. No step is entered
        yet."""
        if self._profiler is not None:
            self.stop()  # the last run ended by an exception
        options = dict(self._options)
        if options.get("on_trace_ready") is None:
            options["on_trace_ready"] = export_capture(self._out)
        options.setdefault("quiet", True)
        self._profiler = Profiler(start_at_rest=True, **options)
        self._resting = True
        self._profiler.start()
        self._look_for_torch_profiler()

    @_guarded
    def stop(self) -> None:
        """Ends the recording. A step that was not completed is none."""
        profiler, self._profiler = self._profiler, None
        if profiler is None:
            return
        self._end_ranges(0)
        try:
            profiler.leave_step()
        finally:
            profiler.stop()

    def _look_for_torch_profiler(self) -> None:
        autograd = getattr(sys.modules.get("torch"), "autograd", None)
        is_on = getattr(autograd, "_profiler_enabled", None)
        if is_on is not None and is_on():
            self.tell("torch.profiler records too; the time that it takes is "
                      "part of the steps")

    # -- steps ----------------------------------------------------------------

    @_guarded
    def enter_step(self) -> None:
        """Unless one is entered already, or a part is open."""
        if (self._profiler is not None and self._resting
                and not self._is_in_part()):
            self._resting = False
            self._profiler.resume()

    @_guarded
    def end_step(self, num_samples: Optional[int] = None) -> None:
        """Enters the next one: the wait for its data begins."""
        if self._profiler is None or self._resting:
            return
        self._end_ranges(0)
        self._look_for_torch_profiler()
        self._profiler.step(num_samples)

    @_guarded
    def leave_step(self) -> None:
        """There is no step, after all: the data ended, or a part begins."""
        if self._profiler is None or self._resting:
            return
        self._end_ranges(0)
        self._resting = True
        self._profiler.leave_step()

    # -- ranges ---------------------------------------------------------------

    @_guarded
    def begin(self, name: str, kind: TracerEventType =
              TracerEventType.PythonUserDefined, is_part: bool = False,
              ) -> None:
        if self._profiler is None:
            return
        event = RecordEvent(name, kind)
        self._ranges.append((name, event, is_part))
        event.begin()

    @_guarded
    def end(self, name: str, **arguments: int) -> None:
        """Ends a range, and what is still open in it. Without such a range it
        does nothing."""
        at = self._find(name)
        if at is None:
            return
        if arguments:
            self._ranges[at][1].set(**arguments)
        self._end_ranges(at)

    def has(self, name: str) -> bool:
        """Is there such an open range?"""
        return self._find(name) is not None

    @_guarded
    def begin_wait(self) -> None:
        """For data, where nothing else records it."""
        self.begin(WAIT, TracerEventType.Dataloader)

    def end_wait(self) -> None:
        self.end(WAIT)

    @_guarded
    def begin_part(self, name: str) -> None:
        """A range that is in no step, until enter_step() after its end()."""
        if not self._is_in_part():
            self.leave_step()
        self.begin(name, is_part=True)

    def _is_in_part(self) -> bool:
        return any(is_part for _, _, is_part in self._ranges)

    def _find(self, name: str) -> Optional[int]:
        for at in reversed(range(len(self._ranges))):
            if self._ranges[at][0] == name:
                return at
        return None

    def _end_ranges(self, first: int) -> None:
        while len(self._ranges) > first:
            self._ranges.pop()[1].end()


def length(loader: Any) -> Optional[int]:
    """How many batches a loader has, where it knows."""
    try:
        return len(loader)
    except Exception:  # whatever a loader of the user's raises
        return None
