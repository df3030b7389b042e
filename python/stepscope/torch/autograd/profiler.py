# SPDX-License-Identifier: Apache-2.0
"""For those who know torch.autograd.profiler::

    from stepscope.torch.autograd import profiler

    with profiler.profile(record_shapes=True) as prof:
        model(inputs)
    print(prof.key_averages().table(sort_by="self_cpu_time_total"))
"""

from __future__ import annotations

from typing import Any, Optional

from ..averages import EventList, FunctionEventAvg
from ..events import FunctionEvent, Interval, Kernel
from ..profile import ProfilerActivity
from ..profile import profile as _Recording
from ..profile import kineto_available, record_function
from ..results import KinetoResults

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval",
           "Kernel", "kineto_available", "profile", "record_function"]


class profile:
    """Records a block, with the arguments of torch.autograd.profiler.profile.
    The results are there behind the block."""

    def __init__(self, enabled: bool = True, *, use_cuda: bool = False,
                 use_device: Optional[str] = None, record_shapes: bool = False,
                 with_flops: bool = False, profile_memory: bool = False,
                 with_stack: bool = False, with_modules: bool = False,
                 use_kineto: bool = False, use_cpu: bool = True,
                 experimental_config: Any = None, acc_events: bool = False,
                 custom_trace_id_callback: Any = None,
                 use_mtia: bool = False) -> None:
        # What they choose between is torch's own.
        del use_kineto, use_mtia
        self.enabled = enabled
        self.entered = False
        self._recording: Optional[_Recording] = None
        if not enabled:
            return
        activities = [ProfilerActivity.CPU] if use_cpu else []
        if use_cuda or use_device == "cuda":
            activities.append(ProfilerActivity.CUDA)
        self._recording = _Recording(
            activities=activities, record_shapes=record_shapes,
            with_flops=with_flops, profile_memory=profile_memory,
            with_stack=with_stack, with_modules=with_modules,
            experimental_config=experimental_config, acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback)

    def __enter__(self) -> Optional["profile"]:
        if self._recording is None:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._recording.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if self._recording is not None:
            self._recording.__exit__(kind, error, traceback)

    def _results(self) -> _Recording:
        if self._recording is None or not self.entered:
            raise RuntimeError("Profiler didn't finish running")
        return self._recording

    @property
    def function_events(self) -> EventList:
        return self._results().events()

    @property
    def kineto_results(self) -> KinetoResults:
        return self._results().profiler.kineto_results

    @property
    def self_cpu_time_total(self) -> float:
        return self.function_events.self_cpu_time_total

    def key_averages(self, group_by_input_shape: bool = False,
                     group_by_stack_n: int = 0) -> EventList:
        return self._results().key_averages(group_by_input_shape,
                                            group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        return self._results().total_average()

    def table(self, *arguments: Any, **named: Any) -> str:
        return self.function_events.table(*arguments, **named)

    def export_chrome_trace(self, path: str) -> None:
        self._results().export_chrome_trace(path)

    def export_stacks(self, path: str,
                      metric: str = "self_cpu_time_total") -> None:
        self._results().export_stacks(path, metric)

    def __str__(self) -> str:
        if self._recording is None or not self.entered:
            return "<unfinished torch.autograd.profile>"
        return self.table()

    __repr__ = __str__
