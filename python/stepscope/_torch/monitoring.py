# SPDX-License-Identifier: Apache-2.0
"""Stages by sys.monitoring, from CPython 3.12 on: nothing of torch is changed.
"""

import sys

from .. import _stages
from .targets import codes

# 0, 1 and 2 are those of debuggers, coverage and profilers: they raise if
# theirs is taken.
_IDS = (4, 3, 5)


def take_tool():
    """False: there is no sys.monitoring, or other tools have taken all ids."""
    if not hasattr(sys, "monitoring"):
        return False
    for number in _IDS:
        try:
            sys.monitoring.use_tool_id(number, "stepscope stages")
        except ValueError:
            continue
        MONITORING.start(number)
        return True
    return False


class _Monitoring:
    NUMBER = 1  # for _stages

    def __init__(self):
        self._tool = None
        self._codes = []

    def start(self, tool):
        self._tool = tool
        events = sys.monitoring.events
        for event, function in ((events.PY_START, _stages.on_start),
                                (events.PY_RETURN, _stages.on_return),
                                (events.PY_UNWIND, _stages.on_unwind)):
            sys.monitoring.register_callback(tool, event, function)
        # Of a single function this cannot be asked.
        sys.monitoring.set_events(tool, events.PY_UNWIND)

    def find(self):
        """Watches what is imported by now."""
        events = sys.monitoring.events
        for kind, code in codes():
            if code in self._codes:
                continue
            _stages.add_target(code, kind)
            sys.monitoring.set_local_events(
                self._tool, code, events.PY_START | events.PY_RETURN)
            self._codes.append(code)

    def leave(self):
        tool, self._tool = self._tool, None
        sys.monitoring.set_events(tool, 0)
        for code in self._codes:
            sys.monitoring.set_local_events(tool, code, 0)
        self._codes.clear()
        for event in ("PY_START", "PY_RETURN", "PY_UNWIND"):
            sys.monitoring.register_callback(
                tool, getattr(sys.monitoring.events, event), None)
        sys.monitoring.free_tool_id(tool)


MONITORING = _Monitoring()
