# SPDX-License-Identifier: Apache-2.0
"""Requests and iterations of inference engines, without a change of theirs.

A hook wraps the few methods in which an engine schedules, runs and answers,
and reads who takes part from what the scheduler itself hands on. It never
raises into the engine: what it does not understand is one line on standard
error, and then it does nothing any more.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys

from .._event import answered, request
from .._imports import after_import

# Under `stepscope run`, children set themselves up from it: _startup.py.
_VARIABLE = "STEPSCOPE_HOOK"
_ENGINES = ("vllm", "sglang", "trtllm")
_installed: set = set()


def hook(engine: str) -> None:
    """Records the requests and iterations of an engine that runs in this
    process: ``"vllm"``, ``"sglang"`` or ``"trtllm"``. Call it before the
    engine is made. Processes that it starts under ``stepscope run`` do the
    same."""
    if engine not in _ENGINES:
        raise ValueError(f"stepscope.hook: unknown engine {engine!r}; choose "
                         f"from {', '.join(_ENGINES)}")
    known = [name for name in os.environ.get(_VARIABLE, "").split(",") if name]
    if engine not in known:
        os.environ[_VARIABLE] = ",".join([*known, engine])
    if engine in _installed:
        return
    _installed.add(engine)
    module = importlib.import_module(f".{engine}", __name__)
    for place, install in module.PLACES:
        guarded = functools.partial(_install, module.NAME, place, install)
        if place in sys.modules:
            guarded()
        else:
            after_import(place, guarded)


def follow_environment() -> None:
    """What hook() was called with in the process that started this one."""
    for engine in os.environ.get(_VARIABLE, "").split(","):
        if engine in _ENGINES:
            hook(engine)


def _version(name):
    root = sys.modules.get(name)
    return getattr(root, "__version__", "of an unknown version")


def _say(name, what):
    sys.stderr.write(f"stepscope: {name} {_version(name)}: {what}; its "
                     "requests are not recorded\n")


def _install(name, place, install):
    try:
        install(sys.modules[place], Wrapper(name))
    except Exception as error:  # what it looked for is not there
        _say(name, f"{type(error).__name__}: {error}")


class Wrapper:
    """Wraps methods of one engine's module; all of it stops at the first
    surprise."""

    def __init__(self, name):
        self._name = name
        self._works = True

    def _failed(self, error):
        if self._works:
            self._works = False
            _say(self._name, f"{type(error).__name__}: {error}")

    def after(self, kind, method, function):
        """Calls ``function(result, self, arguments...)`` after the method."""
        original = getattr(kind, method)

        @functools.wraps(original)
        def wrapped(instance, *args, **kwargs):
            result = original(instance, *args, **kwargs)
            if self._works:
                try:
                    function(result, instance, *args, **kwargs)
                except Exception as error:
                    self._failed(error)
            return result

        setattr(kind, method, wrapped)

    def around(self, kind, method, iteration_of):
        """The method is ``iteration_of(self, arguments...)``; None: it is no
        iteration."""
        original = getattr(kind, method)

        @functools.wraps(original)
        def wrapped(instance, *args, **kwargs):
            found = None
            if self._works:
                try:
                    found = iteration_of(instance, *args, **kwargs)
                except Exception as error:
                    self._failed(error)
            if found is None:
                return original(instance, *args, **kwargs)
            with found:
                return original(instance, *args, **kwargs)

        setattr(kind, method, wrapped)


class Requests:
    """The requests that an engine is working on, by id. One that it drops
    without a word goes when so many others have come."""

    MOST = 65536

    def __init__(self):
        self.live = {}

    def begin(self, id, tokens=None, traceparent=None):
        if len(self.live) >= self.MOST:
            del self.live[next(iter(self.live))]
        self.live[id] = request(id, tokens, traceparent)

    def end(self, id, error=None):
        known = self.live.pop(id, None)
        if known is not None:
            known.end(error)

    def answered(self, items, id, tokens, ended, total=False):
        """Records the tokens of a batch; id, tokens and ended name attributes
        of its items, and ended is None while a request goes on. ``total``:
        tokens are all of a request so far."""
        for one in answered(items, self.live, id, tokens, ended, total):
            self.end(one)


def require(owner, *names):
    """Says what is missing, as an exception."""
    for name in names:
        if not hasattr(owner, name) and name not in getattr(
                owner, "__annotations__", {}):
            raise AttributeError(
                f"{getattr(owner, '__name__', owner)} has no {name}")
