# SPDX-License-Identifier: Apache-2.0
"""For those who know torch.profiler: its names, recorded by stepscope::

    from stepscope.torch import ProfilerActivity, profile, record_function

    with profile(activities=[ProfilerActivity.CPU],
                 record_shapes=True) as prof:
        with record_function("model_inference"):
            model(inputs)
    print(prof.key_averages().table(sort_by="cpu_time_total", row_limit=10))

torch itself is not imported here.
"""

from .averages import EventList, FunctionEventAvg
from .events import FunctionEvent, Interval, Kernel
from .profile import (ProfilerActivity, kineto_available, profile,
                      record_function, supported_activities,
                      tensorboard_trace_handler)
from .schedule import ProfilerAction, schedule

__all__ = [
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


def __getattr__(name):
    if name == "DeviceType":
        from .events import device_types

        return device_types()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
