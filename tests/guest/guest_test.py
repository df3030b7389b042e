#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs guests that record and misbehave, and looks for harm: files of theirs
that changed, other exit codes, events that nobody counted, programs that never
end. The first seeds are directed, see scenario.cc.

usage: guest_test.py --stepscope CLI --guest GUEST [--seeds 1-25,9 | --seed N |
                     --scenario NAME] [--jobs N] [--keep] [--idle]

Every finding names its seed; --seed N --keep runs it again and leaves its
folder. A guest of a random seed does not do the same to the instruction: what
is rare may need several runs. With --idle no session is started: what is found
then is the guest's own fault.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import checks
import ledger as ledger_module

# A guest takes seconds; beside busy processes, minutes.
LONGEST_S = 600
# Long after the user's last thread ended, threads of the recorder alone keep
# the process.
LONELY_S = 60


def user_threads(pid):
    """Threads of a process that are alive and not the recorder's."""
    alive = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        text = (task / "stat").read_text()
        name = text[text.index("(") + 1:text.rindex(")")]
        state = text[text.rindex(")") + 2]
        alive += state not in "ZX" and not name.startswith("stepscope")
    return alive


def is_lonely(folder):
    """True if the guest's process has nothing left but recorder threads."""
    try:
        ledger = ledger_module.Ledger(folder / "ledger")
        return bool(ledger.processes) and user_threads(
            ledger.processes[0].pid) == 0
    except (OSError, ValueError):
        return False


def alive_in(group):
    """Folders in /proc of the processes of a guest that have not ended."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        state, _, its_group = text[text.rindex(")") + 2:].split()[:3]
        if int(its_group) == group and state not in "ZX":
            yield path.parent


def where_they_are(group):
    """What each thread of a guest that does not end is doing."""
    for process in alive_in(group):
        for task in sorted(process.glob("task/*")):
            try:
                name, call, place = ((task / which).read_text().strip() for
                                     which in ("comm", "syscall", "wchan"))
            except OSError:
                continue
            yield f"process {process.name}, {name}: in call {call}, {place}"


def run_guest(command, folder, longest, lonely):
    """Its exit status, or None and why it had to be killed."""
    guest = subprocess.Popen(
        command, start_new_session=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=open(folder / "stderr", "wb"))
    began, alone_since, status = time.monotonic(), None, None
    while True:
        try:
            status = guest.wait(timeout=1)
            if not any(alive_in(guest.pid)):
                return status, ""
            time.sleep(0.01)
        except subprocess.TimeoutExpired:
            pass
        now = time.monotonic()
        alone_since = (alone_since or now) if is_lonely(folder) else None
        why = ""
        if alone_since and now - alone_since > lonely:
            why = ("the guest never ends: only threads of the recorder are "
                   "left")
        elif now - began > longest:
            why = (f"the guest has not ended after {longest:.0f} s"
                   if status is None else
                   f"a child of the guest has not ended after {longest:.0f} s")
        if why:
            why = "; ".join([why, *where_they_are(guest.pid)])
            os.killpg(guest.pid, signal.SIGKILL)
            guest.wait()
            return None, why


def remove_live_files(folder, keep):
    """What a guest that was ended left in shared memory. What is kept is read
    with STEPSCOPE_LIVE_DIR."""
    try:
        processes = ledger_module.Ledger(folder / "ledger").processes
    except (OSError, ValueError):
        return
    for process in processes:
        for path in pathlib.Path("/dev/shm").glob(
                f"stepscope-{process.pid}-*"):
            if keep:
                shutil.copy2(path, folder)
            path.unlink(missing_ok=True)


def try_one(args, what):
    """Runs one guest; its findings."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="guest_"))
    command = [args.guest, "--folder", str(folder), *what, "--idle",
               str(int(args.idle))]
    findings, words = [], []
    try:
        status, why = run_guest(command, folder, args.longest, args.lonely)
        if why:
            findings.append(why)
        if (folder / "ledger").exists():
            words = ledger_module.Ledger(folder / "ledger").words
        if status is not None:
            findings += checks.check(folder, status, args.stepscope)
        if findings:
            said = (folder / "stderr").read_text(errors="replace").strip()
            findings += [f"stderr: {line}" for line in said.splitlines()[:5]]
    finally:
        remove_live_files(folder, args.keep)
        if args.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return what, words, findings


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stepscope", required=True)
    parser.add_argument("--guest", required=True)
    parser.add_argument("--seeds", default="1-20")
    parser.add_argument("--seed")
    parser.add_argument("--scenario")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--longest", type=float, default=LONGEST_S)
    parser.add_argument("--lonely", type=float, default=LONELY_S)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    if args.scenario:
        wanted = [["--scenario", args.scenario]]
    elif args.seed:
        wanted = [["--seed", args.seed]]
    else:
        wanted = []
        for part in args.seeds.split(","):
            first, last = (part.split("-") * 2)[:2]
            wanted += [["--seed", str(n)]
                       for n in range(int(first), int(last) + 1)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for what, words, findings in pool.map(
                lambda one: try_one(args, one), wanted):
            if args.verbose or findings:
                print(" ".join(what), "|", " | ".join(words))
            for finding in findings[:20]:
                print("  FOUND", finding)
            if findings:
                failed += 1
                print(f"  again: guest_test.py --stepscope {args.stepscope} "
                      f"--guest {args.guest} {' '.join(what)} --keep",
                      flush=True)
    print(f"{len(wanted) - failed} guests harmed by nothing, {failed} harmed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
