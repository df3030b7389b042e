# SPDX-License-Identifier: Apache-2.0
"""Python 3.12 and later warn when a process with several threads forks: the
child may wait for ever for a lock that another thread holds. The recorder's
threads hold no lock across a fork, so where they are the only others, the
program is not warned, as it would not be without stepscope."""

import os
import sys

_WARNING = "is multi-threaded, use of "


def _only_ours() -> bool:
    others = 0
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm", "rb") as file:
                others += not file.read().startswith(b"stepscope")
        except OSError:  # it has just ended
            pass
    return others <= 1


class _OurThreads:
    """In a filter's place for a pattern, so that the threads are counted when
    the warning is made and not before."""

    def match(self, text: str) -> bool:
        try:
            return _WARNING in text and _only_ours()
        except Exception:  # as if we were not here
            return False


_FILTER = ("ignore", _OurThreads(), DeprecationWarning, None, 0)
_installed = False


def _before_fork() -> None:
    """Before the program's own filters, which may make errors of warnings."""
    import warnings

    try:
        if warnings.filters[:1] == [_FILTER]:
            return
        if _FILTER in warnings.filters:
            warnings.filters.remove(_FILTER)
        warnings.filters.insert(0, _FILTER)
        warnings._filters_mutated()
    except Exception:  # a Python that keeps them otherwise
        pass


def install() -> None:
    global _installed
    if sys.version_info >= (3, 12) and not _installed:
        _installed = True
        os.register_at_fork(before=_before_fork)
