# SPDX-License-Identifier: Apache-2.0
"""What a Paddle program tells of itself, while a Profiler of ours runs.

Three things of Paddle are used, and left as they were found:

* its Python code tells of Dataloader, Forward, Backward and Optimization as
  long as ``paddle.profiler.utils._is_profiler_used`` is true;
* its host tracer has the operators. It keeps them in memory, and at the end of
  a window they are added to the capture, so that there is one trace;
* ``paddle.profiler.timer.benchmark()`` calls hooks around each batch.

Paddle is never imported here. Its device tracer stays off: CUPTI has one user.
"""

import os
import sys
import warnings

from . import _core

_users = 0  # Profilers that run
_window = None  # the Window that is recorded
_kept = None  # what was handed over last; see forget()
_said = set()

_SHARED = ("the program has a paddle.profiler.Profiler, too: while it exists, "
           "the operators of Paddle are in its trace alone")


def _module(name):
    return sys.modules.get(f"paddle.profiler.{name}")


def _say(text):
    """Once per process."""
    if text not in _said:
        _said.add(text)
        warnings.warn(f"stepscope: {text}", stacklevel=2)


def _version():
    return getattr(sys.modules.get("paddle"), "__version__", None)


def _misfit(what):
    _say(f"Paddle {_version()} has no {what}: its operators and stages are not "
         "recorded, everything else is")


def start():
    """A Profiler starts; look() finds a Paddle that is imported later."""
    global _users
    _users += 1
    look()


def look():
    if _users:
        _reads.install()


def stop():
    global _users
    _users = max(0, _users - 1)
    if _users == 0:
        _reads.remove()


def turn(on):
    """Steps are recorded from now on, or no longer. Called at every step."""
    global _window
    if not on:
        window, _window = _window, None
        if window is not None:
            window.close()
    elif _window is None:
        _window = _open_window()
    else:
        _window.go_on()


def hand_over():
    """What was traced so far becomes part of the capture."""
    if _window is not None:
        _window.end()
        _window.begin()


def forget():
    """Frees what was handed over: a third of the time that making it took, and
    best not on the thread that trains."""
    global _kept
    _kept = None


def has_tracer():
    """Whether what Paddle's RecordEvent would record is ours in any case."""
    return _window is not None and _window.tracer is not None


def records_reads(iterator):
    """Whether Paddle itself tells of the time of reading."""
    return _reads.timer is not None and type(iterator).__module__.startswith(
        "paddle.io.")


def _open_window():
    profiler, utils = _module("profiler"), _module("utils")
    if profiler is None or utils is None:
        if _version() is not None and _module("profiler") is None:
            _misfit("paddle.profiler.profiler")
        return None
    for module, name in ((utils, "_is_profiler_used"),
                         (profiler, "_Profiler"),
                         (profiler, "ProfilerOptions")):
        if not hasattr(module, name):
            return _misfit(f"{module.__name__}.{name}")
    return Window(profiler, utils)


class Window:
    """Paddle's tracer and its hooks, for the time of a window of steps."""

    def __init__(self, profiler, utils):
        self.profiler, self.utils = profiler, utils
        self.real = profiler._Profiler
        self.tracer = None
        self.since = (0, 0)
        self.shared = utils._is_profiler_used  # with paddle.profiler
        wrap = getattr(utils, "wrap_optimizers", None)
        if wrap is not None:
            wrap()
        self.begin()
        utils._is_profiler_used = True
        profiler._Profiler = self  # see create()

    def begin(self):
        try:
            options = self.profiler.ProfilerOptions()
            options.trace_switch = 1  # the host alone
            tracer = self.real.create(options, [])
            if tracer is None:
                self.shared = True
                _say(_SHARED)
                return
            tracer.prepare()
            self.since = _core.read_clocks()
            tracer.start()
            self.tracer = tracer
        except Exception as error:
            _say(f"the operators of Paddle {_version()} are not recorded: "
                 f"{error}")

    def go_on(self):
        """The next step is recorded, too. paddle.profiler may have come and
        gone."""
        self.utils._is_profiler_used = True
        if self.tracer is None:
            self.begin()

    def end(self):
        global _kept
        tracer, self.tracer = self.tracer, None
        if tracer is None:
            return
        try:
            _kept = tracer.stop()
            del tracer  # there can be only one, and others may want it
            added, found = _core.add_trees(_kept.get_data(), self.since)
        except Exception as error:
            _say(f"the operators of Paddle {_version()} are lost: {error}")
            return
        if added < found:
            why = _core.last_error() or "they could not be read"
            _say(f"{found - added} of {found} events of Paddle were lost: "
                 f"{why}")

    def close(self):
        self.end()
        self.restore()

    def restore(self):
        if self.profiler._Profiler is self:
            self.profiler._Profiler = self.real
        # Between start() and stop() of a paddle.profiler it stays true.
        timer = _module("timer")
        self.utils._is_profiler_used = bool(
            self.shared and timer is not None
            and timer.benchmark().current_event is not None)

    def create(self, *arguments):
        """In place of _Profiler.create: the program makes a paddle.profiler.
        There can be one tracer only, and it is the program's."""
        if self.tracer is not None:
            _say(_SHARED)
            self.end()
        self.shared = True
        return self.real.create(*arguments)

    def __getattr__(self, name):
        return getattr(self.real, name)


class _Reads:
    """A hook of paddle.profiler.timer: how long the program waits for each
    batch. The event is Paddle's own."""

    def __init__(self):
        self.timer = None  # whose hook this is
        self.dataset = 0
        self.reading = None

    def install(self):
        timer = _module("timer")
        if self.timer is not None or timer is None:
            return
        try:
            benchmark = timer.benchmark()
            benchmark.hooks["stepscope"] = self
            # On the object, hiding the method of its class: it alone is told
            # which loader reads.
            self.check = benchmark.check_if_need_record
            benchmark.check_if_need_record = self.check_reader
        except AttributeError as error:
            _say(f"Paddle {_version()} does not tell of batches, so there is "
                 f"no reader_cost: {error}")
            return
        self.timer = benchmark

    def remove(self):
        benchmark, self.timer = self.timer, None
        if benchmark is not None:
            benchmark.hooks.pop("stepscope", None)
            vars(benchmark).pop("check_if_need_record", None)

    def check_reader(self, reader):
        # Loaders of the same data are the same: Paddle makes a new one for
        # each epoch.
        self.dataset = id(vars(reader).get("_dataset", reader))
        return self.check(reader)

    def before_reader(self, benchmark):
        self.reading = _core.Read(self.dataset, silent=True)

    def after_reader(self, benchmark):
        reading, self.reading = self.reading, None
        if reading is not None:
            reading.end()

    def begin(self, benchmark):
        pass

    end = after_step = begin


_reads = _Reads()


def _in_child():
    """After a fork, such as into a worker of a data loader: the child has no
    Profiler that runs."""
    global _users, _window
    _users = 0
    window, _window = _window, None
    try:
        if window is not None:
            window.restore()
        _reads.remove()
    except Exception:  # Paddle is not what it was; a fork must not fail for it
        pass


os.register_at_fork(after_in_child=_in_child)
