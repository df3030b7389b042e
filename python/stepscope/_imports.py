# SPDX-License-Identifier: Apache-2.0
"""Calls a function when a module has been imported by somebody else."""

import sys

_waiting = {}  # name of the module: functions


def after_import(name, function):
    """``function`` is called without arguments, once, right after the module
    was imported. What it raises is dropped: an import must not fail for it."""
    _waiting.setdefault(name, []).append(function)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


class _Finder:
    def __init__(self):
        self._asking = False

    def find_spec(self, name, path=None, target=None):
        if name not in _waiting or self._asking:
            return None
        import importlib.util  # here, so that importing the package stays quick

        self._asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking = False
        if spec is not None and spec.loader is not None:
            _hook(name, spec.loader)
        return spec


def _hook(name, loader):
    execute = loader.exec_module

    def exec_module(module):
        try:
            execute(module)
        finally:
            try:
                del loader.exec_module
            except AttributeError:
                pass
        _imported(name)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        pass  # a loader without attributes: nobody is told


def _imported(name):
    for function in _waiting.pop(name, ()):
        try:
            function()
        except Exception:
            pass
    if not _waiting and _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)


_FINDER = _Finder()
