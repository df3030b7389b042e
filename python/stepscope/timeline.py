# SPDX-License-Identifier: Apache-2.0
"""tensorflow.python.client.timeline, without TensorFlow::

    from stepscope import timeline

    trace = timeline.Timeline(step_stats=run_metadata.step_stats)
    with open("timeline.ctf.json", "w") as file:
        file.write(trace.generate_chrome_trace_format())
"""

import json
import os
import warnings
from typing import Any, Dict, NamedTuple

from ._native_files import run
from ._step_stats import AllocationMaximum, allocator_maximums

_OP_TIMES = ("schedule", "gpu", "all")


class ChromeTrace:
    """A timeline that is not text yet."""

    def __init__(self, text: str) -> None:
        self._text = text

    def format_to_string(self, pretty: bool = False) -> str:
        if not pretty:
            return self._text
        return json.dumps(json.loads(self._text), indent=4,
                          separators=(",", ": "))


class StepStatsAnalysis(NamedTuple):
    chrome_trace: ChromeTrace
    allocator_maximums: Dict[str, AllocationMaximum]


class Timeline:
    """The timeline of a step of TensorFlow.

    ``step_stats`` is a StepStats or a RunMetadata: the object, its bytes, or
    the path of a file that holds them. With the RunMetadata of a session that
    kept its graphs, arrows and lifetimes follow the graph that was run.
    ``graph`` is accepted and not needed.
    """

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        del graph
        if hasattr(step_stats, "SerializeToString"):
            self._data = step_stats.SerializeToString()
        elif isinstance(step_stats, (bytes, bytearray, memoryview)):
            self._data = bytes(step_stats)
        elif isinstance(step_stats, (str, os.PathLike)):
            with open(step_stats, "rb") as file:
                self._data = file.read()
        else:
            raise TypeError("step_stats must be a StepStats, a RunMetadata, "
                            f"bytes or a path, not {step_stats!r}")

    def analyze_step_stats(self, show_dataflow: bool = True,
                           show_memory: bool = True,
                           op_time: str = "schedule") -> StepStatsAnalysis:
        """The timeline, and for each allocator when its tensors took most
        memory; the latter with ``show_memory``. ValueError if the bytes cannot
        be read."""
        if op_time not in _OP_TIMES:
            raise ValueError(f"op_time={op_time!r}: expected one of "
                             f"{', '.join(map(repr, _OP_TIMES))}")
        if op_time != "schedule":
            warnings.warn(f"stepscope: op_time={op_time!r}: operators are "
                          "shown when they were scheduled, and their kernels "
                          "on the rows of the device", stacklevel=2)
        options = []
        if not show_dataflow:
            options.append("--no-dataflow")
        if show_memory:
            options.append("--show-memory")
        text = run("convert", "-", "-o", "-", "--to", "chrome", *options,
                   data=self._data)
        maximums = allocator_maximums(self._data) if show_memory else {}
        return StepStatsAnalysis(ChromeTrace(text.decode("utf-8")), maximums)

    def generate_chrome_trace_format(self, show_dataflow: bool = True,
                                     show_memory: bool = False,
                                     op_time: str = "schedule") -> str:
        """The timeline as JSON, for chrome://tracing or Perfetto. ValueError
        if the bytes cannot be read."""
        analysis = self.analyze_step_stats(show_dataflow, show_memory, op_time)
        return analysis.chrome_trace.format_to_string()
