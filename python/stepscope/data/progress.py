# SPDX-License-Identifier: Apache-2.0
"""How far a long read is, on a terminal and nowhere else."""

from __future__ import annotations

import contextlib
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Optional

_QUICK = 0.4  # seconds: what is shorter shows nothing
_WIDTH = 20


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # none, or closed
        return False


@contextlib.contextmanager
def progress_for(what: str) -> Iterator[Optional[Callable[[int, int], None]]]:
    """A function of bytes done and in all, or None where nobody would see it.
    Clears the line at the end."""
    if not _is_terminal():
        yield None
        return
    shown = ascii(what)[1:-1]
    start = time.monotonic()
    drawn = []

    def show(done: int, total: int) -> None:
        seconds = time.monotonic() - start
        if seconds < _QUICK:
            return
        share, filled = "", 0
        if total > 0:
            percent = min(100, 100 * done // total)
            share, filled = f"{percent} %, ", percent * _WIDTH // 100
        bar = "=" * filled + "." * (_WIDTH - filled)
        sys.stderr.write(f"\r[{bar}] reading {shown}, {share}"
                         f"{seconds:.1f} s\x1b[K")
        sys.stderr.flush()
        drawn.append(True)

    try:
        yield show
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
