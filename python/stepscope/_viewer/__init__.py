# SPDX-License-Identifier: Apache-2.0
"""The viewer from Python: a server beside the process, and a page in a
notebook. stepscope.view() is the way in."""

from __future__ import annotations

import os
import sys

from .page import View
from .place import find_place
from .server import running_server
from .source import paths_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

__all__ = ["View", "show"]


def show(source: Any, *, port: int, host: str, browser: Optional[bool],
         inline: Optional[bool], height: int, notebook: Optional[str],
         stacklevel: int) -> View:
    """See stepscope.view()."""
    port = _number("port", port, 0, 65535)
    height = _number("height", height, 100, 10000)
    if not isinstance(host, str) or not host:
        raise TypeError(f"host must be an address such as '127.0.0.1', not "
                        f"{host!r}")
    place = find_place(inline, notebook)
    paths, made = paths_of(source)
    server = running_server(paths, made, host=host, port=port, place=place,
                            stacklevel=stacklevel + 1)
    view = View(server, place, height)
    if not place.notebook:
        print(view.url, flush=True)
    if browser or (browser is None and not place.notebook and _on_a_desktop()):
        import webbrowser

        webbrowser.open(view.url)
    return view


def _number(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    number = value.__index__()
    if not least <= number <= most:
        raise ValueError(f"{name} must be from {least} to {most}, not {number}")
    return number


def _on_a_desktop() -> bool:
    """The address holds a secret and becomes an argument of a program, which
    others on the machine can see: only where the user looks on."""
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    try:
        return bool(display) and sys.stdout.isatty()
    except (AttributeError, ValueError):
        return False
