# SPDX-License-Identifier: Apache-2.0
"""One segment, in which every block has a place of its own."""

import os
import sys
import time

SEGMENT = 20 << 20
BASE = 0x7F0000000000
OLD = os.environ.get("STANDIN_OLD") == "1"

live = {}  # size by address
frames_of = {}
history = None  # while one is kept
options = {}
calls = []  # of _record_memory_history
_next = BASE


def _record_2_1(enabled="all", context="all", stacks="all",
                max_entries=sys.maxsize):
    global history, options
    calls.append(enabled)
    history = [] if enabled else None
    options = {"context": context, "stacks": stacks, "most": max_entries}


def _record_2_0(enabled, record_context=True, trace_alloc_max_entries=1,
                trace_alloc_record_context=False):
    _record_2_1("all" if enabled else None,
                "alloc" if trace_alloc_record_context else None, "python",
                trace_alloc_max_entries)


_record_memory_history = _record_2_0 if OLD else _record_2_1


def _frames():
    if not options or not options["context"]:
        return []
    frame = sys._getframe(2)
    return [{"name": frame.f_code.co_name, "filename": frame.f_code.co_filename,
             "line": frame.f_lineno}]


def _note(action, address, size, frames):
    if history is None:
        return
    entry = {"action": action, "addr": address, "size": size, "stream": 0,
             "frames": frames}
    if not OLD:
        entry["time_us"] = int(time.time() * 1e6)
    history.append(entry)


def allocate(size):
    global _next
    from .. import _C, OutOfMemoryError

    frames = _frames()
    if _next + size > BASE + SEGMENT:
        _note("oom", 0, size, frames)
        for observer in _C.observers:
            observer(0, size, SEGMENT, 0)
        raise OutOfMemoryError(f"Tried to allocate {size}")
    address, _next = _next, _next + (size + 511) // 512 * 512
    live[address] = size
    frames_of[address] = frames
    _note("alloc", address, size, frames)
    return address


def free(address):
    size = live.pop(address)
    _note("free_requested", address, size, [])
    _note("free_completed", address, size, [])


def _snapshot():
    blocks, at = [], BASE
    for address, size in sorted(live.items()):
        whole = (size + 511) // 512 * 512
        if address > at:
            blocks.append({"address": at, "size": address - at,
                           "requested_size": 0, "state": "inactive",
                           "frames": []})
        blocks.append({"address": address, "size": whole,
                       "requested_size": size, "state": "active_allocated",
                       "frames": frames_of[address]})
        at = address + whole
    segment = {"device": 0, "address": BASE, "total_size": SEGMENT,
               "stream": 0, "segment_type": "large", "frames": [],
               "is_expandable": False, "blocks": blocks}
    return {"segments": [segment], "device_traces": [list(history or ())],
            "allocator_settings": {"expandable_segments": False}}
