# SPDX-License-Identifier: Apache-2.0
"""paddle.fluid, as far as it is about profiling."""

from . import profiler

__all__ = ["profiler"]
