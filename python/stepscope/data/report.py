# SPDX-License-Identifier: Apache-2.0
"""What a question about a trace is answered with: text to read, and data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


class Report:
    """Printed, it is the text that the command prints. In a notebook it is
    Markdown."""

    def __init__(self, ask: Callable[[str], str]) -> None:
        self._ask = ask  # from a format to the text in it
        self._texts = {"text": ask("text")}

    def to_text(self, format: str = "text") -> str:
        """The same as "text", "md" or "json"; summaries and comparisons also
        as "csv"."""
        if format not in self._texts:
            self._texts[format] = self._ask(format)
        return self._texts[format]

    @property
    def data(self) -> Any:
        """The same as dicts and lists. Times are whole nanoseconds."""
        import json

        return json.loads(self.to_text("json"))

    def __str__(self) -> str:
        return self._texts["text"]

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return self.to_text("md")
