# SPDX-License-Identifier: Apache-2.0
"""The ranges that JAX, Paddle and TensorFlow have for their own profilers are
events of stepscope, too. Their classes are changed once and stay so; while
nothing is recorded, a range costs one question more."""

import functools
import sys

from . import _paddle
from ._enums import TracerEventType
from ._event import RecordEvent, enabled


def patch(framework):
    """True: done. False: not all of it is imported yet."""
    return {"jax": _patch_jax, "paddle": _patch_paddle,
            "tensorflow": _patch_tensorflow}[framework]()


def _class(module, name):
    return getattr(sys.modules.get(module), name, None)


def _patch_jax():
    """TraceAnnotation, and with it StepTraceAnnotation and
    annotate_function."""
    return _patch_trace(_class("jax.profiler", "TraceAnnotation"))


def _patch_tensorflow():
    """tf.profiler.experimental.Trace"""
    return _patch_trace(_class("tensorflow.python.profiler.trace", "Trace"))


def _event(name, arguments):
    known = {key: value for key, value in arguments.items()
             if not key.startswith("_") and key not in ("name", "event_type")}
    return RecordEvent(str(name), **known)


def _patch_trace(kind):
    """Both are made with a name and with arguments by keyword."""
    if kind is None:
        return False
    before_init, before_enter = kind.__init__, kind.__enter__
    before_exit = kind.__exit__

    @functools.wraps(before_init)
    def init(self, name, *args, **kwargs):
        before_init(self, name, *args, **kwargs)
        self._stepscope_event = _event(name, kwargs) if enabled() else None

    @functools.wraps(before_enter)
    def enter(self):
        event = getattr(self, "_stepscope_event", None)
        if event is not None:
            event.begin()
        return before_enter(self)

    @functools.wraps(before_exit)
    def leave(self, *error):
        result = before_exit(self, *error)
        event = getattr(self, "_stepscope_event", None)
        if event is not None:
            event.end()
        return result

    kind.__init__, kind.__enter__, kind.__exit__ = init, enter, leave
    before_set = getattr(kind, "set_metadata", None)
    if before_set is not None:
        @functools.wraps(before_set)
        def set_metadata(self, **kwargs):
            event = getattr(self, "_stepscope_event", None)
            if event is not None:
                event.set(**kwargs)
            return before_set(self, **kwargs)

        kind.set_metadata = set_metadata
    return True


def _event_type(theirs):
    return getattr(TracerEventType, getattr(theirs, "name", ""),
                   TracerEventType.PythonUserDefined)


def _patch_paddle():
    """paddle.profiler.RecordEvent"""
    kind = _class("paddle.profiler", "RecordEvent")
    if kind is None or not hasattr(kind, "begin"):
        return False
    before_begin, before_end = kind.begin, kind.end
    types = {}  # asking theirs for its name takes longer than the rest

    @functools.wraps(before_begin)
    def begin(self):
        if enabled():
            event_type = types.get(self.event_type)
            if event_type is None:
                event_type = _event_type(self.event_type)
                types[self.event_type] = event_type
            self._stepscope_event = RecordEvent(str(self.name), event_type)
            self._stepscope_event.begin()
            if _paddle.has_tracer():  # through which it would come again
                self.event = None
                return None
        return before_begin(self)

    @functools.wraps(before_end)
    def end(self):
        result = before_end(self)
        event = self.__dict__.pop("_stepscope_event", None)
        if event is not None:
            event.end()
        return result

    kind.begin, kind.end = begin, end
    return True
