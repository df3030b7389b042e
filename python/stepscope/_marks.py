# SPDX-License-Identifier: Apache-2.0
"""What a program can say about itself, beside events."""

from __future__ import annotations

from . import _core, _paddle, _torch

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, TypeVar

    _Item = TypeVar("_Item")


def counter(name: str, value: float) -> None:
    """Records the value that a counter of the process has now::

        stepscope.counter("queue length", len(queue))
    """
    _core.counter(name, float(value))


def instant(name: str) -> None:
    """Records a point in time on this thread."""
    _core.instant(name)


def set_thread_name(name: str) -> None:
    """Names this thread in timelines."""
    _core.set_thread_name(name)


def set_metadata(key: str, value: object) -> None:
    """Stores a fact about the process, such as its rank, in its captures."""
    _core.set_metadata(key, str(value))


def step() -> None:
    """Marks the end of a step in a program without a Profiler, which is
    profiled by ``stepscope run`` or by STEPSCOPE_PERIOD."""
    _core.mark_step()


def read(loader: Iterable[_Item]) -> Iterator[_Item]:
    """The items of a data loader; the time of waiting for each is recorded as
    Dataloader and counts as reader cost::

        for batch in stepscope.read(loader):
            ...

    While a Profiler runs, a DataLoader of torch is recorded without it, and
    still once with it.
    """
    reader = id(loader)
    iterator = iter(loader)
    while True:
        if (_torch.records_reads(iterator)
                or _paddle.records_reads(iterator)):
            try:
                item = next(iterator)
            except StopIteration:
                return
            yield item
            continue
        reading = _core.Read(reader)
        try:
            item = next(iterator)
        except StopIteration:
            reading.cancel()
            return
        except BaseException:
            reading.cancel()
            raise
        reading.end()
        yield item
