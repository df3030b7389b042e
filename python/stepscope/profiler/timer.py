# SPDX-License-Identifier: Apache-2.0
"""paddle.profiler.timer: how long steps and their batches take, without a
Profiler of one's own::

    timer = benchmark()
    timer.begin()
    for batch in loader:
        train(batch)
        timer.step(num_samples=len(batch))
        print(timer.step_info("images"))
    timer.end()
"""

from __future__ import annotations

from .. import _core
from .profiler import Profiler

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional

__all__ = ["Benchmark", "TimeAverager", "benchmark"]


class TimeAverager:
    """Times and samples since the last reset()."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._times = 0
        self._seconds = 0.0
        self._samples = 0

    def record(self, usetime: float, num_samples: Optional[int] = None) -> None:
        self._times += 1
        self._seconds += usetime
        self._samples += num_samples or 0

    def _per_second(self, count: int) -> float:
        return count / self._seconds if self._seconds else 0

    def get_average(self) -> float:
        """Seconds."""
        return self._seconds / self._times if self._times else 0

    def get_ips_average(self) -> float:
        """Samples per second."""
        return self._per_second(self._samples)

    def get_step_average(self) -> float:
        """Steps per second."""
        return self._per_second(self._times)


class Benchmark:
    """Times steps from begin() to end(). A begin() inside, for a validation
    loop, times other steps, and the outer ones wait."""

    def __init__(self) -> None:
        self.num_samples: Optional[int] = None
        self._running: List[Profiler] = []
        self._reader = 0
        self._reading: Any = None

    def begin(self) -> None:
        if self._running:
            self._running[-1].pause()
        timer = Profiler(timer_only=True, on_trace_ready=lambda prof: None)
        timer.start()
        self._running.append(timer)

    def step(self, num_samples: Optional[int] = None) -> None:
        self.num_samples = num_samples
        if self._running:
            self._running[-1].step(num_samples)

    def step_info(self, unit: Optional[str] = None) -> str:
        return self._running[-1].step_info(unit) if self._running else ""

    def end(self) -> None:
        """Prints the Perf Summary."""
        if not self._running:
            return
        self._running.pop().stop()
        if self._running:
            self._running[-1].resume()

    def check_if_need_record(self, reader: Any) -> None:
        """Which loader reads next: only the time of the first one counts."""
        self._reader = id(getattr(reader, "_dataset", reader))

    def before_reader(self) -> None:
        self._reading = _core.Read(self._reader)

    def after_reader(self) -> None:
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.end()


_benchmark = Benchmark()


def benchmark() -> Benchmark:
    return _benchmark
