# SPDX-License-Identifier: Apache-2.0
"""A part of a trace as one drawing."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union


class TimelineView:
    """SVG with its styles inside and no script. A notebook shows it."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the drawing to a file such as ``part.svg``."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return (f"<timeline, {len(self.svg)} characters of SVG; a notebook "
                "draws it, save('part.svg') writes it>")
