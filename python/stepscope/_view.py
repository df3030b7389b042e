# SPDX-License-Identifier: Apache-2.0
"""stepscope.view(), without what it needs until it is called."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from ._viewer import View


def view(source: Any = None, *, port: int = 0, host: str = "127.0.0.1",
         browser: Optional[bool] = None, inline: Optional[bool] = None,
         height: int = 720, notebook: Optional[str] = None) -> View:
    """Shows traces in the viewer: inside a notebook, else in a browser at an
    address that is printed.

    ``source`` is a folder, a trace, a list of these, a Profiler, or what
    :func:`load` returned; without it, the folder of the last Profiler. The
    server runs beside this process and ends with it, or by ``close()``. A
    second call for the same source uses the same server.

    ``port`` 0 is any free one. ``host`` "0.0.0.0" lets other machines in.
    ``browser`` opens one; by default on a desktop, from a terminal.
    ``inline=False`` shows a link instead of the viewer in a notebook, where it
    is ``height`` pixels high. ``notebook`` is the address of the notebook's
    page, such as ``"https://hub.example.com"``, where it is not on this
    machine.

    FileNotFoundError, OSError, ValueError or RuntimeError, with one line,
    where nothing can be shown::

        stepscope.view("profiler_log")           # last line of a cell
        stepscope.view("profiler_log").wait()    # last line of a program
    """
    from ._viewer import show

    return show(source, port=port, host=host, browser=browser, inline=inline,
                height=height, notebook=notebook, stacklevel=2)
