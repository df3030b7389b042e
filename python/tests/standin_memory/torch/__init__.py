# SPDX-License-Identifier: Apache-2.0
"""Stands in for a torch with a GPU: its allocator of memory, which keeps a
history as torch's does from 2.1 on, or as 2.0 does with STANDIN_OLD=1."""

__version__ = "2.99.0"


class OutOfMemoryError(RuntimeError):
    pass


class _C:
    observers = []

    @staticmethod
    def _cuda_isHistoryEnabled():
        from .cuda import memory

        return memory.history is not None

    @classmethod
    def _cuda_attach_out_of_memory_observer(cls, observer):
        cls.observers.append(observer)


from . import cuda  # noqa: E402,F401
