# SPDX-License-Identifier: Apache-2.0
"""tensorflow.python.client.timeline, without TensorFlow::

    from stepscope import timeline

    trace = timeline.Timeline(step_stats=run_metadata.step_stats)
    with open("timeline.ctf.json", "w") as file:
        file.write(trace.generate_chrome_trace_format())
"""

import os
from typing import Any

from ._native_files import run


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

    def generate_chrome_trace_format(self, show_dataflow: bool = True,
                                     show_memory: bool = False) -> str:
        """The timeline as JSON, for chrome://tracing or Perfetto. ValueError
        if the bytes cannot be read."""
        options = []
        if not show_dataflow:
            options.append("--no-dataflow")
        if show_memory:
            options.append("--show-memory")
        text = run("convert", "-", "-o", "-", "--to", "chrome", *options,
                   data=self._data)
        return text.decode("utf-8")
