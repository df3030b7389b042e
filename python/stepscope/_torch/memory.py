# SPDX-License-Identifier: Apache-2.0
"""Memory of GPUs, from the history that torch's allocator keeps by itself:
every allocation, free and segment, with Python's lines if asked. The history
is taken when a window or the program ends, never in between, and joined with
the operators by whoever reads the capture.

torch is never imported here, and a GPU that the program does not use stays
unused: what has to be done for CUDA waits until the program initialises it.
"""

import os
import pickle
import sys
import time

from .. import _core

_TORCH_MEMORY = 1  # STEPSCOPE_FILE_TORCH_MEMORY
# What a ring of the allocator holds; some 100 bytes each, a few hundred where
# stacks are recorded.
_MOST_EVENTS = 1_000_000
_EVENTS_IN_FLIGHT = 100_000
# A program that catches its exceptions may run out of memory often.
_MOST_FILES = 3


def _say(text):
    try:
        sys.stderr.write(f"stepscope: {text}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass  # nobody to tell


class History:
    """Of this process; there is one allocator in it."""

    def __init__(self):
        self._users = 0
        self._stacks = False
        self._most = _MOST_EVENTS
        self._folder = ""
        self._queued = False  # something waits for CUDA
        self._on = False
        self._own = False  # turned on here, and not by the program
        self._observes = False  # out of memory
        self._since_us = 0
        self._files = 0
        self._said = set()

    def start(self, stacks=False, flight=False, folder=""):
        """Records from here on, or from the first use of CUDA on. `folder` is
        where it is written what held the memory when there is no more."""
        self._users += 1
        self._stacks = self._stacks or stacks
        self._most = _EVENTS_IN_FLIGHT if flight else _MOST_EVENTS
        self._folder = folder
        self._since_us = int(time.time() * 1e6)
        if "torch" in sys.modules:
            self._wait_for_cuda()
        elif not self._queued:
            from .._imports import after_import

            self._queued = True
            after_import("torch", self._torch_imported)

    def stop(self, add=True, session=0):
        """Adds what was recorded since start() to the capture of a session; 0:
        of the one that records, or was stopped last."""
        if self._users == 0:
            return
        self._users -= 1
        if self._on and add:
            self._guarded(lambda: self._add(session))
        if self._users == 0:
            self._turn_off()
            self._stacks = False

    # -- inside ---------------------------------------------------------------

    def _torch_imported(self):
        self._queued = False
        if self._users > 0:
            self._wait_for_cuda()

    def _wait_for_cuda(self):
        cuda = getattr(sys.modules["torch"], "cuda", None)
        lazy_call = getattr(cuda, "_lazy_call", None)
        if lazy_call is None or self._queued:
            return
        if cuda.is_initialized():
            self._turn_on()
        else:
            self._queued = True
            lazy_call(self._cuda_begins)

    def _cuda_begins(self):
        self._queued = False
        if self._users > 0:
            self._turn_on()

    def _guarded(self, function):
        """Nothing of this may end the program."""
        try:
            return function()
        except Exception as error:  # pylint: disable=broad-except
            text = str(error).strip().split("\n")[0]
            self._say_once("the memory of the GPU is not recorded: "
                           f"{type(error).__name__}: {text}")
            return None

    def _say_once(self, text):
        if text not in self._said:
            self._said.add(text)
            _say(text)

    def _turn_on(self):
        if not self._on:
            self._guarded(self._record)

    def _record(self):
        torch = sys.modules["torch"]
        memory = torch.cuda.memory
        if not hasattr(memory, "_record_memory_history"):
            self._say_once("allocations on the GPU are recorded without "
                           "segments and lines: torch "
                           f"{torch.__version__} keeps no history of them "
                           "(2.0 and later do)")
            return
        self._observe_out_of_memory(torch)
        if _is_recorded(torch):
            self._own = False
            self._say_once("the program records torch's memory history "
                           "itself: it is used as it is, and stays on")
        else:
            _record_history(memory, self._stacks, self._most)
            self._own = True
        self._on = True

    def _turn_off(self):
        if self._on and self._own:
            memory = sys.modules["torch"].cuda.memory
            self._guarded(lambda: _stop_history(memory))
        self._on = False

    def _add(self, session):
        data = pickle.dumps(_snapshot(self._since_us), protocol=4)
        if _core.add_file(session, _TORCH_MEMORY, data) != 0:
            self._say_once("the memory of the GPU is not in the capture: "
                           f"{_core.last_error()}")

    def _observe_out_of_memory(self, torch):
        attach = getattr(torch._C, "_cuda_attach_out_of_memory_observer", None)
        if attach is None or self._observes:
            return
        # It cannot be taken off again.
        attach(self._out_of_memory)
        self._observes = True

    def _out_of_memory(self, device, asked, *_):
        if self._on and self._users > 0:
            self._guarded(lambda: self._save(device, asked))

    def _save(self, device, asked):
        self._files += 1
        if self._files > _MOST_FILES:
            return
        number = f"_{self._files}" if self._files > 1 else ""
        folder = os.path.join(self._folder or ".", "out_of_memory")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"process_{os.getpid()}{number}.pickle")
        with open(path, "wb") as file:
            pickle.dump(_snapshot(0), file, protocol=4)
        # Where a flight recorder runs, its window belongs to this, too.
        _core.flight_save("out of memory")
        _say(f"GPU {device} is out of memory, {asked:,} bytes more were asked "
             f"for; what held it: stepscope advise {path}")

    def reset_in_child(self):
        """CUDA cannot be used after a fork."""
        self.__init__()


def _is_recorded(torch):
    """Does the program record the history by itself?"""
    enabled = getattr(torch._C, "_cuda_isHistoryEnabled", None)
    if enabled is not None:
        return bool(enabled())
    # torch 2.0 does not say.
    return any(torch.cuda.memory._snapshot().get("device_traces") or ())


def _record_history(memory, stacks, most):
    try:
        memory._record_memory_history(
            enabled="all", context="alloc" if stacks else None,
            stacks="python", max_entries=most)
    except TypeError:  # torch 2.0
        memory._record_memory_history(
            True, record_context=stacks, trace_alloc_max_entries=most,
            trace_alloc_record_context=stacks)


def _stop_history(memory):
    try:
        memory._record_memory_history(enabled=None)
    except TypeError:
        memory._record_memory_history(False)


def _snapshot(since_us):
    """What the allocator knows, without events before a time."""
    snapshot = sys.modules["torch"].cuda.memory._snapshot()
    traces = snapshot.get("device_traces") or []
    for i, trace in enumerate(traces):
        low, high = 0, len(trace)
        while low < high:
            middle = (low + high) // 2
            if trace[middle].get("time_us", since_us) < since_us:
                low = middle + 1
            else:
                high = middle
        if low > 0:
            traces[i] = trace[low:]
    return snapshot


HISTORY = History()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=HISTORY.reset_in_child)
