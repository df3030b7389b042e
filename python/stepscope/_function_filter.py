# SPDX-License-Identifier: Apache-2.0
"""Which Python functions are recorded, by the file that they are in."""

from __future__ import annotations

import os
import sys

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Optional

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_STANDARD_LIBRARY = tuple({
    folder(os.path.dirname(os.__file__)) + os.sep
    for folder in (os.path.abspath, os.path.realpath)})
_STARTUP = "/share/stepscope/python/sitecustomize.py"
_INSTALLED = ("/site-packages/", "/dist-packages/")


def _is_typed_in(name: str) -> bool:
    """Of code without a file: whether it is the user's. Most is made by
    libraries, such as the functions of named tuples."""
    if name == "<string>":
        return getattr(sys, "argv", [])[:1] == ["-c"]
    return name.startswith(("<stdin", "<console>", "<ipython-input"))


def _patterns(given: Any, name: str) -> tuple:
    if isinstance(given, str):
        given = (given,)
    given = tuple(given or ())
    for pattern in given:
        if not isinstance(pattern, str):
            raise TypeError(f"with_python: {name} holds {pattern!r}; expected "
                            "patterns of file names, such as '*/model/*.py'")
    return given


class FunctionFilter:
    """Says of a file whether its functions are recorded.

    The user's files are, those of the standard library and of installed
    packages are not. ``include`` and ``exclude`` are patterns as in a shell; a
    pattern without a slash is compared with each folder of the path and with
    the name of the file. What both match is excluded.
    """

    def __init__(self, include: Optional[Iterable[str]] = None,
                 exclude: Optional[Iterable[str]] = None) -> None:
        self.include = _patterns(include, "include")
        self.exclude = _patterns(exclude, "exclude")
        # Relative names are meant from here, also if the program goes away.
        self.root = os.getcwd() + os.sep

    @classmethod
    def from_argument(cls, given: Any) -> "Optional[FunctionFilter]":
        """What Profiler(with_python=...) means."""
        if isinstance(given, (bool, type(None))):
            return cls() if given else None
        if isinstance(given, cls):
            return given
        if not isinstance(given, dict):
            raise TypeError(f"with_python={given!r}: expected True, False or a "
                            "dict with the keys 'include' and 'exclude'")
        unknown = sorted(set(given) - {"include", "exclude"})
        if unknown:
            raise ValueError(f"with_python: unknown key {unknown[0]!r}; "
                             "expected 'include' or 'exclude'")
        return cls(**given)

    def __call__(self, file: str) -> bool:
        path = file if file.startswith(("/", "<")) else self.root + file
        if path.startswith((_PACKAGE, "<frozen")) or path.endswith(_STARTUP):
            return False
        if self._matches(path, self.exclude):
            return False
        if self._matches(path, self.include):
            return True
        if path.startswith("<"):
            return _is_typed_in(path)
        return not (path.startswith(_STANDARD_LIBRARY)
                    or any(folder in path for folder in _INSTALLED))

    @staticmethod
    def _matches(path: str, patterns: tuple) -> bool:
        if not patterns:
            return False
        from fnmatch import fnmatchcase  # here: seldom needed, slow to import

        return any(
            fnmatchcase(path, pattern) if "/" in pattern else
            any(fnmatchcase(part, pattern) for part in path.split("/") if part)
            for pattern in patterns)
