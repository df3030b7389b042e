# SPDX-License-Identifier: Apache-2.0
"""Memory as counters, at each step: what profile_memory records."""

import os
import sys

from . import _core

_PAGE = os.sysconf("SC_PAGE_SIZE")


def record():
    """The memory of the process, and of torch's allocator on each GPU that it
    uses, in bytes. Of the process, what is its own alone: shared memory has
    the recorder's ring in it, which grows while it is first used."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            sizes = file.read().split()
            pages = int(sizes[1]) - int(sizes[2])
    except (OSError, IndexError, ValueError):
        pass
    else:
        _core.counter("process memory", float(pages * _PAGE))
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    # Asking must not be what makes torch use the GPU.
    if cuda is None or not cuda.is_available() or not cuda.is_initialized():
        return
    for device in range(cuda.device_count()):
        reserved = cuda.memory_reserved(device)
        if reserved:
            _core.counter(f"torch allocated on GPU {device}",
                          float(cuda.memory_allocated(device)))
            _core.counter(f"torch reserved on GPU {device}", float(reserved))
