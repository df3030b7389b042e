# SPDX-License-Identifier: Apache-2.0
"""What must hold when a guest has ended. Each check gives findings, a line
each; none: it holds."""

import collections
import json
import subprocess

import ledger as ledger_module


def check_status(ledger, status):
    wanted = ledger.expected_status()
    if status != wanted:
        yield f"the guest ended with {status}, expected {wanted}"


def check_files(ledger, folder):
    """The user's files, byte for byte."""
    for number, row in enumerate(ledger.files):
        path = folder / "user" / str(number)
        if not path.exists():
            if row.written:
                yield f"user file {number} is gone"
            continue
        size = path.stat().st_size
        line = f"file {number} is the user's own\n".encode()
        # A write that the end of the guest interrupted may be there in part.
        if not row.written <= size <= max(row.written, row.writing):
            yield (f"user file {number} has {size} bytes, its user wrote "
                   f"{row.written}")
        data = path.read_bytes()[:1 << 20]
        wanted = (line * (len(data) // len(line) + 1))[:len(data)]
        if data != wanted:
            at = next(i for i, (a, b) in enumerate(zip(data, wanted)) if a != b)
            yield f"user file {number} was overwritten at byte {at}"


def check_inherited(folder):
    path = folder / "foreign"
    if path.exists():
        yield from sorted(set(path.read_text().splitlines()))


def captures_of(folder, process):
    for place in ("captures", "kept"):
        yield from sorted((folder / place).glob(f"p{process}_*.sscap"))


class Known:
    """What the captures of a process say of its threads."""

    def __init__(self):
        self.read = collections.Counter()
        self.dropped = collections.Counter()
        self.reasons = collections.Counter()

    def add(self, info):
        for thread in info["threads"]:
            self.read[thread["name"]] += thread["events"]
            self.dropped[thread["name"]] += thread["dropped_total"]
            self.reasons.update(thread["dropped"])

    def total(self):
        return sum(self.read.values()) + sum(self.dropped.values())


def check_events(ledger, folder, stepscope):
    """attempted = read + dropped, by thread as far as it is known there."""
    for index, process in enumerate(ledger.processes):
        known = Known()
        unfinished = sum(row.all_attempted - row.all_completed
                         for row in ledger.threads_of(index))
        for path in captures_of(folder, index):
            # A session that began while the process ended.
            if (process.bound == ledger_module.AT_MOST and
                    path.stat().st_size == 0):
                continue
            done = subprocess.run(
                [stepscope, "info", "--format", "json", str(path)],
                capture_output=True, text=True, check=False)
            if done.returncode != 0:
                yield f"{path.name} cannot be read: {done.stderr.strip()}"
                continue
            info = json.loads(done.stdout)
            known.add(info)
            rejected = dict(info["ledger"]["rejected"])
            # A thread that lost its core between two sessions may begin an
            # event in the one that is over, and end it in the next, or be in
            # the middle of a record.
            if process.bound == ledger_module.AT_MOST:
                rejected.pop("end without its event", None)
                rejected.pop("cut short by a kill", None)
            # The end of the process may come in the middle of a record.
            if rejected.get("cut short by a kill", 0) <= unfinished:
                rejected.pop("cut short by a kill", None)
            # In a burst beyond the budget what belongs to an earlier event may
            # come when its chunk has long been another's (README, limits); and
            # the event itself may be among what found no room in the file.
            if any(t["dropped"].get(reason) for t in info["threads"]
                   for reason in ("pool", "io", "file_limit")):
                rejected.pop("end without its event", None)
                rejected.pop("argument without its event", None)
            if rejected or info["ledger"]["repaired"]:
                yield f"{path.name}: {info['ledger']}"
        if process.start_status != 0 and (
                not process.error or b"\n" in process.error):
            yield (f"process {index}: start gave {process.start_status} and "
                   f"does not say why in one line: {process.error!r}")
        yield from check_sums(ledger, index, process, known)


def check_sums(ledger, index, process, known):
    rows = ledger.threads_of(index)
    attempted = sum(row.all_attempted for row in rows)
    least = {ledger_module.EXACT: attempted,
             ledger_module.FLOOR: process.floor,
             ledger_module.COMPLETED: sum(r.all_completed for r in rows)}.get(
                 process.bound, 0)
    # What could not be started records nothing.
    if process.start_status != 0:
        least = 0
    total = known.total()
    if not least <= total <= attempted:
        yield (f"process {index}: {attempted} events attempted, at least "
               f"{least} of them to be found; {sum(known.read.values())} read "
               f"+ {sum(known.dropped.values())} dropped = {total} "
               f"({attempted - total} missing; dropped: "
               f"{dict(known.reasons)})")
    for row in rows:
        name = row.name.decode()
        found = known.read[name] + known.dropped[name]
        if found > row.all_attempted:
            yield (f"process {index}, {name}: {row.all_attempted} events "
                   f"attempted, {found} found")


def check(folder, status, stepscope):
    """All findings about a guest that has ended by itself."""
    ledger = ledger_module.Ledger(folder / "ledger")
    findings = list(ledger.findings)
    findings += check_status(ledger, status)
    findings += check_files(ledger, folder)
    findings += check_inherited(folder)
    findings += check_events(ledger, folder, stepscope)
    return findings
