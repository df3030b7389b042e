# SPDX-License-Identifier: Apache-2.0
"""Calls of Python functions as events, in all threads of the process.

From CPython 3.12 on by sys.monitoring, under a tool id that nobody uses;
before, by the profile function of each thread. _calls has what they call.
"""

from __future__ import annotations

import os
import sys

from . import _calls
from ._function_filter import FunctionFilter

_TOOL_NAME = "stepscope functions"
# 2 is for profilers, of which there are others; the first two have no name.
_TOOL_IDS = (4, 3, 2, 5, 1, 0)


class _Monitoring:
    """By sys.monitoring."""

    def __init__(self) -> None:
        self.tool = -1

    def install(self) -> str:
        monitoring = sys.monitoring
        for tool in _TOOL_IDS:
            if monitoring.get_tool(tool) is None:
                break
        else:
            return "other tools use all ids of sys.monitoring"
        monitoring.use_tool_id(tool, _TOOL_NAME)
        self.tool = tool
        wanted = 0
        for event, callback in self._callbacks():
            monitoring.register_callback(tool, event, callback)
            wanted |= event
        # Who had the id before may have disabled places in the code.
        monitoring.restart_events()
        monitoring.set_events(tool, wanted)
        return ""

    def remove(self) -> str:
        monitoring = sys.monitoring
        tool, self.tool = self.tool, -1
        if monitoring.get_tool(tool) != _TOOL_NAME:
            return "another tool took the id of sys.monitoring away"
        monitoring.set_events(tool, 0)
        for event, _ in self._callbacks():
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)
        return ""

    @staticmethod
    def _callbacks() -> tuple:
        events = sys.monitoring.events
        return ((events.PY_START, _calls.on_start),
                (events.PY_RESUME, _calls.on_start),
                (events.PY_THROW, _calls.on_throw),
                (events.PY_RETURN, _calls.on_return),
                (events.PY_YIELD, _calls.on_return),
                (events.PY_UNWIND, _calls.on_unwind))


class _ProfileFunction:
    """By the profile function of each thread."""

    def install(self) -> str:
        import threading

        if sys.getprofile() is not None:
            return "another profiler is active"
        taken = _calls.install_profile()
        if getattr(threading, "_profile_hook", None) is None:
            threading.setprofile(_calls.profile_thread)
        if taken:
            return ("another profiler is active on some threads, which are "
                    "left out")
        return ""

    def remove(self) -> str:
        import threading

        displaced = not _calls.remove_profile()
        if getattr(threading, "_profile_hook", None) is _calls.profile_thread:
            threading.setprofile(None)
        return "another profiler took over" if displaced else ""


class _Tracer:
    def __init__(self) -> None:
        self.users = 0
        self.in_children = False
        self.watches_forks = False
        self.how = (_Monitoring() if hasattr(sys, "monitoring") else
                    _ProfileFunction())

    def start(self, wanted: FunctionFilter) -> str:
        if self.users == 0:
            if isinstance(self.how, _ProfileFunction) and not hasattr(
                    _calls, "install_profile"):
                return "stepscope has no module of its own for this Python"
            if not self.watches_forks:
                os.register_at_fork(after_in_child=self._after_fork)
                self.watches_forks = True
            _calls.configure(wanted, wanted.root,
                             getattr(getattr(sys, "monitoring", None),
                                     "DISABLE", None))
            _calls.begin()
            why = self.how.install()
            if why and not why.endswith("left out"):
                return why
            # Or else at the first call, and this function may make none.
            _calls.join()
        else:
            why = ""
        self.users += 1
        return why

    def stop(self) -> str:
        if self.users == 0:
            return ""
        self.users -= 1
        if self.users > 0:
            return ""
        why = self.how.remove()
        _calls.end()
        return why

    def _after_fork(self) -> None:
        # What the parent has open is not the child's to end.
        _calls.begin()
        if self.users > 0 and not self.in_children:
            self.users = 0
            self.how.remove()


_tracer = _Tracer()


def start(wanted: FunctionFilter) -> str:
    """Records calls from now on; one stop() for each start(). Returns why they
    are not recorded, or not on all threads; "": they are."""
    return _tracer.start(wanted)


def stop() -> str:
    """Ends what is open. Returns why something may be missing, or ""."""
    return _tracer.stop()


def follow_children() -> None:
    """Children that are forked go on recording."""
    _tracer.in_children = True
