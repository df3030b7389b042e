# SPDX-License-Identifier: Apache-2.0
"""Reads a trace of any format that stepscope knows; what can be asked of it."""

from __future__ import annotations

import json
import logging
import os
import warnings
from collections.abc import Mapping

from .. import _core
from .._native_files import READER
from .paths import paths_of, step_range_options
from .progress import progress_for
from .report import Report
from .table import Table
from .timeline import TimelineView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Union

_EVENTS = "events"
_log = logging.getLogger("stepscope")


class Tables(Mapping):
    """The tables of a trace by key. Each is computed when it is first used."""

    def __init__(self, result: "Result") -> None:
        self._result = result
        listed = json.loads(result._trace.ask("tables", []))
        self._meanings = {table["key"]: table["meaning"] for table in listed}
        self._meanings[_EVENTS] = "all events, one by one"

    def __getitem__(self, key: str) -> Table:
        if key not in self._meanings:
            raise KeyError(f"there is no table {key!r}; choose from "
                           + ", ".join(self._meanings))
        return self._result.table(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._meanings)

    def __len__(self) -> int:
        return len(self._meanings)

    def __repr__(self) -> str:
        width = max(map(len, self._meanings))
        return "".join(f"{key:<{width}}  {meaning}\n"
                       for key, meaning in self._meanings.items())


class Result:
    """A trace: tables, text, advice, and files of other formats. It never
    changes, and may be used by several threads at once."""

    def __init__(self, trace: Any, name: str,
                 options: Dict[str, Optional[str]],
                 paths: Optional[List[str]] = None,
                 step_range: Optional[str] = None) -> None:
        self._trace = trace
        self._name = name
        self._paths = paths or []  # empty: it was read from bytes
        self._step_range = step_range
        self._options = {key: str(value) for key, value in options.items()
                         if value is not None}
        self._cache: Dict[Any, Table] = {}
        self._tables: Optional[Tables] = None

    # -- tables ---------------------------------------------------------------

    @property
    def tables(self) -> Tables:
        """Every table by its key."""
        if self._tables is None:
            self._tables = Tables(self)
        return self._tables

    def __getitem__(self, key: str) -> Table:
        return self.tables[key]

    def table(self, key: str, **options: Any) -> Table:
        """One table, with options of ``stepscope summary``: ``steps``,
        ``unprofiled``, ``sort``, ``thread_sep``, ``flops``."""
        given = self._given(options)
        where = (key, tuple(given))
        if where not in self._cache:
            made = Table(self._trace.table(key, given), key)
            self._cache.setdefault(where, made)
        return self._cache[where]

    @property
    def events(self) -> Table:
        """All events, one by one."""
        return self.table(_EVENTS)

    @property
    def operators(self) -> Table:
        """Which operators took the time."""
        return self.table("operator")

    @property
    def kernels(self) -> Table:
        """Which kernels ran on the device."""
        return self.table("kernel")

    @property
    def steps(self) -> Table:
        """The steps one by one."""
        return self.table("steps")

    @property
    def memory(self) -> Table:
        """Who allocated memory, by place."""
        return self.table("memory")

    @property
    def waterfall(self) -> Table:
        """What a step waits for."""
        return self.table("waterfall")

    def choose(self, *, steps: Optional[str] = None,
               unprofiled: Optional[str] = None) -> "Result":
        """The same trace with other steps: ``"all"``, ``"settled"``, ``"3:8"``.
        """
        result = Result(self._trace, self._name,
                        {"steps": steps, "unprofiled": unprofiled},
                        self._paths, self._step_range)
        result.table("steps")  # what makes no sense is said here
        return result

    # -- questions ------------------------------------------------------------

    @property
    def info(self) -> Dict[str, Any]:
        """What ``stepscope info`` says: files, processes, threads, losses."""
        return json.loads(self._trace.ask("info", []))

    def summary(self, *, views: Any = None, top: Optional[int] = None,
                unit: Optional[str] = None, **options: Any) -> Report:
        """What ``stepscope summary`` prints, with its options: one screen, or
        the tables of ``views``; ``layout="paddle"`` for those of Paddle."""
        if isinstance(views, (list, tuple)):
            views = ",".join(map(str, views))
        return self._report("summary", {**options, "views": views, "top": top,
                                        "unit": unit})

    def advise(self, **options: Any) -> Report:
        """What to do first to make a step shorter, and what each would save."""
        return self._report("advise", options)

    def whatif(self, *changes: str, **options: Any) -> Report:
        """What a step would take after changes such as ``"graph"`` or
        ``"scale:gemm=0.5"``."""
        for change in changes:
            if not isinstance(change, str):
                raise TypeError(f"a change must be a str, not {change!r}")
        return self._report("whatif", {**options, "change": changes})

    def compare(self, other: Any, *, top: int = 0, **options: Any) -> Report:
        """What differs in ``other``, a Result or anything that load() takes,
        by more than noise."""
        if not isinstance(other, Result):
            other = load(other, stacklevel=2)
        return self._report("compare", {**options, "top": top or None}, other,
                            keep="steps")

    def timeline(self, start_ns: Optional[int] = None,
                 end_ns: Optional[int] = None, *, width: int = 960,
                 max_tracks: int = 24, max_depth: int = 8) -> TimelineView:
        """A drawing of a part of the trace, by default of all of it. Times are
        those of the table ``events``."""
        options = {"start_ns": start_ns, "end_ns": end_ns, "width": width,
                   "max_tracks": max_tracks, "max_depth": max_depth}
        return TimelineView(self._trace.ask("timeline", _flat(options)))

    def export(self, path: Union[str, "os.PathLike[str]"],
               format: Optional[str] = None) -> None:
        """Writes the trace to a file: as the suffix says, or in a format such
        as ``"perfetto"``. A name that ends in .gz or .zst is compressed."""
        said = self._trace.ask("export", _flat(
            {"path": os.fspath(path), "format": format}))
        for line in said.splitlines():
            warnings.warn(line, stacklevel=2)

    # -- inside ---------------------------------------------------------------

    def _given(self, options: Dict[str, Any], keep: str = "") -> List[str]:
        own = {key: value for key, value in self._options.items()
               if not keep or key == keep}
        return _flat({**own, **{key: value for key, value in options.items()
                                if value is not None}})

    def _report(self, question: str, options: Dict[str, Any],
                other: Optional["Result"] = None, keep: str = "") -> Report:
        given = self._given(options, keep)
        second = other._trace if other is not None else None
        return Report(lambda format: self._trace.ask(
            question, [*given, "format", format], second))

    def __repr__(self) -> str:
        chosen = "".join(f", {key} {value}"
                         for key, value in self._options.items())
        return f"<stepscope result of {self._name}{chosen}>"

    def _repr_html_(self) -> str:
        import html

        return (f"<p>{html.escape(repr(self))}</p>\n"
                + self.timeline()._repr_html_())


def load(source: Any, *, steps: Optional[str] = None,
         unprofiled: Optional[str] = None, align: bool = True,
         step_range: Optional[str] = None, stacklevel: int = 1) -> Result:
    """See stepscope.load()."""
    options = {"steps": steps, "unprofiled": unprofiled}
    import_options = step_range_options(step_range, "load()")
    paths: List[bytes] = []
    _core.load_reader(READER)
    if isinstance(source, (bytes, bytearray, memoryview)):
        name = "bytes"
        with progress_for(name) as progress:
            trace, said = _core.read_bytes(bytes(source), name,
                                           import_options, progress)
    else:
        paths = paths_of(source)
        name = os.fsdecode(paths[0])
        if len(paths) > 1:
            name += f" and {len(paths) - 1} more"
        with progress_for(name) as progress:
            trace, said = _core.read_files(
                paths, ["align", "yes" if align else "no", *import_options],
                progress)
    for line in said.splitlines():
        warnings.warn(line, stacklevel=stacklevel + 1)
    result = Result(trace, name, options,
                    [os.path.abspath(os.fsdecode(path)) for path in paths],
                    step_range)
    if steps is not None or unprofiled is not None:
        # What makes no sense is said here, not when a table is first used.
        result.table("steps")
    _log.debug("loaded %s", name)
    return result


def _flat(options: Dict[str, Any]) -> List[str]:
    """Names and values in turn; a value that is a list has its name each
    time."""
    out = []
    for key, value in sorted(options.items()):
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is None:
                continue
            text = str(int(one)) if isinstance(one, bool) else str(one)
            if "\0" in text:
                raise ValueError(f"{key}: {text!r} has a null character in it")
            out += [key, text]
    return out
