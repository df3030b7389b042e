# SPDX-License-Identifier: Apache-2.0
"""torch by itself: stages of training steps, calls of modules, operators.

``start()`` and ``stop()`` are called by each Profiler. torch is never imported
here: what is not imported yet is looked for again by ``look()``, which a
Profiler calls when something was imported, or is waited for by ``install()``.
"""

import os
import sys
import warnings

_users = []  # the options of each Profiler that runs
_always = False  # install() was called: whenever the collector records
_report_in_run = False  # allocations too, by `stepscope run --memory`
_way = None  # how stages are recorded; see _choose_way()
_loader_iterator = None  # torch's class of iterators over a DataLoader
_observed = False  # operators are being recorded
_reports = False  # allocations are being recorded
_said = set()  # warnings, each given once


def start(shapes=False, modules=False, operators=True, memory=False,
          values=False):
    """A Profiler starts. ``shapes``: of the inputs of operators; ``values``:
    also those that have none, and strides. ``modules``:
    each call of an nn.Module is a range. Without ``operators``, ranges are
    recorded and operators are not. ``memory``: allocations and frees of this
    thread, and of those that torch sets to work for it."""
    _users.append((shapes, modules, operators, memory, values))
    _turn_on()


def stop():
    """The Profiler that started last stops."""
    if _users:
        _users.pop()
    if _reports and not _report_in_run and not any(
            options[3] for options in _users):
        _report_memory(False)
    if not _users and not _always:
        _turn_off()


def look():
    """Something was imported: is there more of torch now?"""
    if _users or _always:
        _turn_on(again=True)


def install():
    """Records stages whenever the collector records, as soon as torch is
    imported: for programs without a Profiler."""
    global _always
    _always = True
    if "torch" in sys.modules:
        _turn_on()
    else:
        from .._imports import after_import

        after_import("torch", lambda: _turn_on())


def report_always():
    """install() records allocations as well."""
    global _report_in_run
    _report_in_run = True


def give_way():
    """torch's own profiler starts on this thread and records allocations."""
    global _report_in_run
    _report_in_run = False
    if _reports:
        _report_memory(False)


def wait_for_import():
    """Before Python 3.12 torch's functions are replaced, and torch.compile
    tolerates this only if it was done before it was first used."""
    if sys.version_info >= (3, 12):
        return
    if "torch" in sys.modules:
        _replace()
    else:
        from .._imports import after_import

        after_import("torch", _replace)


def records_reads(iterator):
    """Is the time of waiting for this iterator recorded already?"""
    return (_way is not None and _loader_iterator is not None
            and isinstance(iterator, _loader_iterator))


def _replace():
    from .wrappers import WRAPPERS

    WRAPPERS.replace()


def _choose_way():
    """By sys.monitoring where it is and has room, else by replaced
    functions."""
    from . import monitoring

    if monitoring.take_tool():
        return monitoring.MONITORING
    from .wrappers import WRAPPERS

    return WRAPPERS


def _turn_on(again=False):
    global _way, _loader_iterator
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "autograd"):
        return  # not imported, or still being imported
    shapes = any(options[0] for options in _users)
    modules = any(options[1] for options in _users)
    operators = _always or any(options[2] for options in _users)
    values = any(options[4] for options in _users)
    _observe(True, shapes, operators, values)
    if _report_in_run or any(options[3] for options in _users):
        _report_memory(True)
    from .. import _stages
    from .names import name_modules

    if _way is None:
        _way = _choose_way()
        again = False
        _stages.set_graph_task(
            getattr(torch._C, "_current_graph_task_id", None))
    _way.find()
    loader = sys.modules.get("torch.utils.data.dataloader")
    _loader_iterator = getattr(loader, "_BaseDataLoaderIter", None)
    if not again:
        _stages.set_namer(name_modules if modules else None)
        _stages.set_active(_way.NUMBER)


def _turn_off():
    global _way
    if _way is None:
        return
    from .. import _stages

    _stages.set_active(0)
    _stages.set_namer(None)
    _way.leave()
    _way = None
    _observe(False)


def _observe(on, shapes=False, operators=True, values=False):
    """The operators, by the observer of torch where it is there."""
    global _observed
    if on == _observed:
        return
    try:
        from .. import _torch_observer
    except ImportError:
        return
    _observed = on
    why = _torch_observer.attach(shapes, values) if on else ""
    if why:
        _warn_once(f"the operators of torch are not recorded: {why}")
    _torch_observer.observe(on, operators)


def _report_memory(on):
    global _reports
    if on == _reports:
        return
    from .. import _torch_observer

    if on and not _torch_observer.is_attached():
        return  # said already
    why = _torch_observer.report_memory(on)
    if why:
        _warn_once(f"the allocations of torch are not recorded: {why}")
    _reports = on and not why


def _warn_once(text):
    if text not in _said:
        _said.add(text)
        warnings.warn(f"stepscope: {text}", stacklevel=2)


def _in_child():
    """After a fork: the child has no Profiler that runs."""
    if _way is not None:
        from .. import _stages

        _users.clear()
        _stages.set_active(_way.NUMBER if _always else 0)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
