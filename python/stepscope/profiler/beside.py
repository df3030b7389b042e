# SPDX-License-Identifier: Apache-2.0
"""What records beside the collector while steps are recorded: calls of Python
functions, Paddle's own tracer, and the history of torch's allocator."""

from __future__ import annotations

from .. import _paddle
from .function_tracing import FunctionTracing

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_used = 0  # Profilers between start() and stop()


def in_use() -> bool:
    return _used > 0


def _count(change: int) -> None:
    global _used
    _used = max(0, _used + change)


class Beside:
    """Of one Profiler."""

    def __init__(self, profiler: Any) -> None:
        self.functions = FunctionTracing(profiler.with_python)
        # A flight recorder has to cost next to nothing.
        self.paddle = profiler.frameworks and profiler.mode != "flight"
        self.records = not profiler.timer_only
        # On demand only the core knows when a window ends.
        memory = (profiler.profile_memory and profiler.frameworks
                  and self.records and profiler.mode != "on_demand")
        self._history: Any = None
        if memory:  # importing it would be half of importing this package
            from .allocator_history import AllocatorHistory

            self._history = AllocatorHistory(profiler)

    def start(self, on: bool) -> None:
        if self.records:
            _count(1)
        self.turn(on)

    def turn(self, on: bool) -> None:
        """On or off. At every step, so that a Paddle is found that was
        imported meanwhile."""
        self.functions.turn(on)
        if self.paddle:
            _paddle.turn(on)
        if self._history is not None:
            self._history.turn(on)

    def sealed(self) -> None:
        """The step is over, and perhaps its window."""
        if self._history is not None:
            self._history.sealed()

    def hand_over(self) -> None:
        """The window may end with this step, and only the core knows."""
        if self.paddle:
            _paddle.hand_over()

    def delivered(self) -> None:
        """On the thread that delivers windows."""
        if self._history is not None:
            self._history.wait()
        if self.paddle:
            _paddle.forget()

    def stop(self) -> None:
        self.turn(False)
        if self.records:
            _count(-1)
