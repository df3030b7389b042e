#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a large memory snapshot of torch from a small one: the second half of
its history is repeated with later and later times, as if the program had run
for longer. Between two of them what is in use becomes what it was.

usage: make_snapshot.py SNAPSHOT OUT SIZE     a size like 1000000000
"""

import io
import pickle
import struct
import sys


def in_use(entries):
    """Blocks by address: the event that made each."""
    live = {}
    for entry in entries:
        if entry["action"] == "alloc":
            live[entry["addr"]] = entry
        elif entry["action"] == "free_completed":
            live.pop(entry["addr"], None)
    return live


def cycle_of(entries):
    """The second half without segments, then what brings its begin back."""
    first = len(entries) // 2
    begin, end = in_use(entries[:first]), in_use(entries)
    cycle = [entry for entry in entries[first:]
             if not entry["action"].startswith("segment")]
    last = cycle[-1]["time_us"]
    for address, entry in end.items():
        if begin.get(address) is not entry:
            cycle += [dict(entry, action=action, time_us=last)
                      for action in ("free_requested", "free_completed")]
    cycle += [dict(entry, time_us=last) for address, entry in begin.items()
              if end.get(address) is not entry]
    return cycle


class Writer(pickle._Pickler):
    """Writes a dict of an event, and notes where its time stands."""

    def __init__(self, file):
        super().__init__(file, 4)
        self.framer.current_frame = None

    def event(self, entry, out):
        at = None
        out.write(b"}\x94(")  # memoised, as Python does
        for key, value in entry.items():
            out.write(self.get_or_save(key))
            if key == "time_us":
                at = out.tell() + 2
                out.write(b"\x8a\x08" + struct.pack("<q", value))
            elif key in ("frames", "action", "compile_context",
                         "user_metadata"):
                out.write(self.get_or_save(value))
            else:
                part = io.BytesIO()
                pickle._Pickler(part, 4).save_long(value)
                out.write(part.getvalue())
        out.write(b"u")
        return at

    def get_or_save(self, value):
        known = self.memo.get(id(value))
        if known is None and isinstance(value, str):
            known = self.memo[id(sys.intern(value))]
        return self.get(known[0])


def main():
    source, target, size = sys.argv[1:]
    with open(source, "rb") as file:
        snapshot = pickle.load(file)
    entries = snapshot["device_traces"][0]
    cycle = cycle_of(entries)
    length = cycle[-1]["time_us"] - cycle[0]["time_us"] + 10
    rest = {key: value for key, value in snapshot.items()
            if key != "device_traces"}
    with open(target, "wb") as file:
        writer = Writer(file)
        file.write(b"\x80\x04}\x94(")
        writer.memo[id(rest)] = (0, rest)
        for key, value in rest.items():
            writer.save(key)
            writer.save(value)
        writer.save("device_traces")
        file.write(b"]\x94]\x94(")
        for one in (object(), object()):
            writer.memo[id(one)] = (len(writer.memo), one)
            rest.setdefault("kept", []).append(one)
        for entry in entries[:len(entries) // 2]:
            writer.save(entry)
        # So that the repeated events find their stacks.
        for entry in cycle:
            writer.save(entry)
        file.write(b"e")
        block, places = io.BytesIO(), []
        for entry in cycle:
            places.append(writer.event(entry, block))
        data = bytearray(block.getvalue())
        repeats = max(1, (int(size) - file.tell()) // len(data))
        for n in range(1, repeats + 1):
            for at, entry in zip(places, cycle):
                struct.pack_into("<q", data, at, entry["time_us"] + n * length)
            file.write(b"(" + data + b"e")
        file.write(b"au.")
    events = len(entries) // 2 + (repeats + 1) * len(cycle)
    print(f"{target}: {events} events; {len(cycle)} of them {repeats} times")


if __name__ == "__main__":
    main()
