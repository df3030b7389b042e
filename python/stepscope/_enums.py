# SPDX-License-Identifier: Apache-2.0
"""The enumerations of paddle.profiler, with its names and values."""

import enum


class ProfilerState(enum.Enum):
    """What a step is for; what a scheduler returns."""

    CLOSED = 0  # nothing is recorded
    READY = 1  # memory and files are prepared
    RECORD = 2  # the step is recorded
    RECORD_AND_RETURN = 3  # recorded; the window ends with it


class ProfilerTarget(enum.Enum):
    """What to record."""

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


class SortedKeys(enum.Enum):
    """What the tables of summary() are sorted by."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class SummaryView(enum.Enum):
    """The tables of summary()."""

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


class TracerEventType(enum.IntEnum):
    """What kind of event something is."""

    Operator = 0
    Dataloader = 1
    ProfileStep = 2
    CudaRuntime = 3
    Kernel = 4
    Memcpy = 5
    Memset = 6
    UserDefined = 7
    OperatorInner = 8
    Forward = 9
    Backward = 10
    Optimization = 11
    Communication = 12
    PythonOp = 13
    PythonUserDefined = 14
    DygraphKernelLaunch = 15
    StaticKernelLaunch = 16

    def __str__(self) -> str:
        return f"TracerEventType.{self.name}"


class TracerMemEventType(enum.IntEnum):
    """What a memory event says."""

    Allocate = 0
    Free = 1
    ReservedAllocate = 2
    ReservedFree = 3
