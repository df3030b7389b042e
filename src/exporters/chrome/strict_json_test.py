#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads random Chrome JSON files with a strict parser and compares events.

usage: strict_json_test.py PROGRAM [COUNT [SEED]]

PROGRAM is chrome_random_traces. Strict means: UTF-8 without exceptions, no
NaN, no repeated key in an object, no lone surrogates. Every name must come
back byte for byte, every time as the same integer.
"""

import collections
import decimal
import json
import pathlib
import subprocess
import sys
import tempfile


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"repeated key in {keys}")
    return dict(pairs)


def refuse(word):
    raise ValueError(f"not JSON: {word}")


def load(text):
    return json.loads(text, object_pairs_hook=unique, parse_constant=refuse,
                      parse_float=decimal.Decimal)


def nanoseconds(value):
    exact = decimal.Decimal(value) * 1000
    if exact != int(exact):
        raise ValueError(f"{value} is no whole number of nanoseconds")
    # A reader with doubles must get the same.
    if abs(exact) < 2**52 and round(float(value) * 1000) != int(exact):
        raise ValueError(f"{value} is not exact as a double")
    return int(exact)


def name_of(event):
    name_bytes = event["args"].get("name_bytes")
    if name_bytes is not None and "\ufffd" in event["name"]:
        return bytes.fromhex(name_bytes)
    return event["name"].encode("utf-8")


def events_of(document):
    shift = document["baseTimeNanoseconds"]
    for event in document["traceEvents"]:
        if event["ph"] == "X" or (
                event["ph"] == "i" and event["name"] != "[memory]"):
            yield (event["ph"], nanoseconds(event["ts"]) + shift,
                   nanoseconds(event.get("dur", decimal.Decimal(0))),
                   name_of(event))


def truth_of(text):
    lines = text.splitlines()
    epoch = int(lines[0].split()[1])
    for line in lines[1:]:
        phase, start, dur, *name = line.split()
        yield (phase, int(start) + epoch, int(dur),
               bytes.fromhex(name[0] if name else ""))


def check(path):
    document = load(path.read_bytes().decode("utf-8"))
    json.dumps(document, default=str, ensure_ascii=False).encode("utf-8")
    got = collections.Counter(events_of(document))
    want = collections.Counter(
        truth_of(path.with_suffix(".truth").read_text()))
    if got != want:
        raise ValueError(f"{len(want - got)} events missing, "
                         f"{len(got - want)} events invented: "
                         f"{list((want - got).items())[:2]} against "
                         f"{list((got - want).items())[:2]}")
    return sum(want.values())


def main():
    program = sys.argv[1]
    count = sys.argv[2] if len(sys.argv) > 2 else "200"
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder, count, seed], check=True)
        events = 0
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            try:
                events += check(path)
            except ValueError as error:
                print(f"seed {int(seed) + int(path.stem)}: {error}")
                return 1
    print(f"{count} traces, {events} events: all strict, all equal")
    return 0 if events > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
