#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long `stepscope view` takes to its first picture, and what it holds.

usage: view_bench.py [--bytes N] [--events N] [--workers N] [--folder DIR]

Generates a Kineto file of 1 GiB, a capture of 100 million events and 64
workers of 100 MB, and asks the server for what the page asks for until a
timeline is drawn: runs, open, progress, trace, names, tiles. Each is done from
cold and from the cache. Processor time of the server stands beside the time on
the clock, which other programs on the machine lengthen. "Cold" files are in
the system's memory, as those that were just recorded are.

The floor of a first picture is a read of the file to its end (`cat`), taken in
the same run. Memory is that of the server against the tables of the Trace
(docs/decisions/0022_import_cache.md). REQUIRES: `make build`.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import urllib.parse

BIN = pathlib.Path(__file__).resolve().parent.parent / "build/bin"
TICKS = os.sysconf("SC_CLK_TCK")
# Sections of a snapshot (src/snapshot/snapshot_sections.h): the Trace's tables,
# and what is made of them.
TABLES, NESTING, PYRAMID = range(1, 21), range(21, 24), range(66, 67)


# The tables that only viewers ask for, beside the documents.
VIEW_TABLES = ("device_use", "stage_means", "type_stages", "stage_steps",
               "step_parts", "operator_shapes", "kernel_launches",
               "overlap_parts", "folded_steps", "memory_events",
               "memory_owners")


class Server:
    """A server on a folder, and what the page would ask it."""

    def __init__(self, folder, *options):
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [BIN / "stepscope", "view", folder, "--port", "0", "--no-browser",
             *options], stdout=subprocess.PIPE, text=True)
        url = urllib.parse.urlparse(self.process.stdout.readline().strip())
        self.token = url.fragment.split("=")[1]
        self.http = http.client.HTTPConnection(url.hostname, url.port,
                                               timeout=600)

    def ask(self, request, method="GET"):
        headers = {"Authorization": "Bearer " + self.token}
        try:
            self.http.request(method, "/api/v1/" + request, headers=headers)
            answer = self.http.getresponse()
        except http.client.RemoteDisconnected:  # it was idle for too long
            self.http.close()
            self.http.request(method, "/api/v1/" + request, headers=headers)
            answer = self.http.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{request}: {answer.status} {body[:200]}")
        return body

    def json(self, request):
        return json.loads(self.ask(request))

    def windows(self):
        return [window["t"] for run in self.json("runs")["runs"]
                for worker in run["workers"] for window in worker["windows"]]

    def open(self, t):
        self.ask("open?t=" + t, "POST")
        last = self.ask("progress?t=" + t).decode().splitlines()[-1]
        if json.loads(last)["state"] != "ready":
            raise SystemExit(last)

    def preview(self, t):
        """Opens a trace and asks for its preview, if there is one before the
        trace itself: the moment at which it was there, or None."""
        self.ask("open?t=" + t, "POST")
        for state in self.lines("progress?t=" + t):
            if state["preview"]:
                self.timeline(t, "&preview=1")
                return time.monotonic()
            if state["state"] != "loading":
                break
        return None

    def lines(self, request):
        """The lines of a stream, as they come; on a connection of its own."""
        line = http.client.HTTPConnection(self.http.host, self.http.port,
                                          timeout=600)
        line.request("GET", "/api/v1/" + request,
                     headers={"Authorization": "Bearer " + self.token})
        with contextlib.closing(line):
            for text in line.getresponse():
                yield json.loads(text)

    def picture(self, t):
        """Opens a trace and asks for its timeline, 1,500 pixels wide."""
        self.open(t)
        return self.timeline(t)

    def timeline(self, t, more=""):
        trace = self.json("trace?t=" + t + more)
        self.ask("names?t=" + t + more)
        boxes = [track["id"] for track in trace["tracks"]
                 if track["kind"] in ("thread", "stream", "async")][:60]
        k = max(0, (trace["span_ns"] // 1500).bit_length() - 1)
        last = (trace["span_ns"] >> k) // 1024
        self.ask(f"tiles?t={t}&k={k}&i0=0&i1={last}"
                 f"&tracks={','.join(map(str, boxes))}" + more)
        return trace

    def views(self, t, trace):
        """What the other views ask for, one after the other; yields the name
        of each request once it is answered."""
        for track in trace["tracks"]:
            if track["kind"] in ("counter", "memory", "queue", "busy",
                                 "occupancy"):
                self.ask(f"counter?t={t}&track={track['id']}")
                yield track["kind"]
        for document in ("summary", "advise"):
            self.ask(f"{document}?t={t}")
            yield document
        for name in VIEW_TABLES:
            self.ask(f"table?t={t}&name={name}")
            yield name

    def screen(self, t, trace):
        """How long a screen in the middle of the trace takes, a thousandth of
        it wide: milliseconds on the clock."""
        boxes = [track["id"] for track in trace["tracks"]
                 if track["kind"] in ("thread", "stream", "async")][:60]
        k = max(0, (trace["span_ns"] // 1_500_000).bit_length() - 1)
        tile = (trace["span_ns"] // 2 >> k) // 1024
        begin = time.monotonic()
        self.ask(f"tiles?t={t}&k={k}&i0={tile}&i1={tile + 1}"
                 f"&tracks={','.join(map(str, boxes))}")
        return f"{(time.monotonic() - begin) * 1000:7.1f} ms"

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = fields.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self, key):
        for line in pathlib.Path(
                f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def sections(path):
    """Bytes of each section of a snapshot, by its kind."""
    with open(path, "rb") as file:
        head = file.read(64)
        offset, count = struct.unpack_from("<QQ", head, 24)
        file.seek(offset)
        rows = struct.iter_unpack("<IIQQQ", file.read(count * 32))
        return {kind: size for kind, _, _, size, _ in rows}


def size_of(path, kinds):
    found = sections(path)
    return sum(found.get(kind, 0) for kind in kinds)


def generate(kind, path, *options):
    subprocess.run([BIN / "stepscope_generate", kind, path, *options],
                   check=True, stdout=subprocess.DEVNULL)


def wait_for_kept(cache, patience):
    """What the server keeps for the next time, once it is written; or None."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        for file in cache.glob("*.trace"):
            time.sleep(2)  # its pages take the place of the server's memory
            return file
        time.sleep(0.5)
    return None


def read_floor(path):
    begin = time.monotonic()
    subprocess.run(["cat", path], stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def say(what, value):
    print(f"  {what:<46} {value}", flush=True)


def timed(server, t, what):
    before = server.cpu()
    preview = server.preview(t)
    if preview:
        say(what + ", preview", f"{preview - server.started:7.2f} s, processor "
            f"{server.cpu() - before:.2f} s")
        what = what.replace("first", "exact")
    trace = server.picture(t)
    say(what, f"{time.monotonic() - server.started:7.2f} s, processor "
              f"{server.cpu() - before:.2f} s")
    return trace


def one_file(title, folder, cache):
    """First pictures of the one trace of a folder."""
    file = next(folder.iterdir())
    print(f"{title}, {file.stat().st_size / 1e6:,.0f} MB")
    say("floor: cat of the file", f"{read_floor(file):7.2f} s")
    time.sleep(3)  # what is younger than two seconds is not kept
    with Server(folder, "--cache", cache, "--cache-limit", "50G") as server:
        t = server.windows()[0]
        trace = timed(server, t, "first picture, cold")
        cold = server.memory("VmRSS")
        # What is read within 0.3 s is not kept; by the clock we cannot tell.
        quick = time.monotonic() - server.started < 1
        kept = wait_for_kept(cache, 10 if quick else 600)
        if not kept:
            say("nothing was kept",
                "too small: ask for more" if quick else "within ten minutes")
            return
        table = size_of(kept, TABLES)
        ratio = lambda size: f"{size / table:7.2f} x the Trace"  # noqa: E731
        say("events", f"{trace['events']:,}")
        say("the Trace's tables", f"{table / 1e6:,.0f} MB")
        say("nesting", ratio(size_of(kept, NESTING)))
        say("pyramid", ratio(size_of(kept, PYRAMID)))
        say("memory after the first picture, cold", ratio(cold))
        say("memory once it is kept", ratio(server.memory("VmRSS")))
    with Server(folder, "--cache", cache) as server:
        trace = timed(server, server.windows()[0], "first picture, from cache")
        say("memory after it", ratio(server.memory("VmRSS")))
        t = server.windows()[0]
        server.screen(t, trace)
        say("a screen of a thousandth, again", server.screen(t, trace))
        highest = server.memory("VmHWM")
        server.forget_peak()
        for name in server.views(t, trace):
            peak = server.memory("VmHWM")
            say(f"  highest during {name}", ratio(peak))
            highest = max(highest, peak)
            server.forget_peak()
        say("memory after all views", ratio(server.memory("VmRSS")))
        say("  of it not the file's", ratio(server.memory("RssAnon")))
        say("highest", ratio(highest))
        say("a screen of a thousandth, after them", server.screen(t, trace))
    with Server(folder, "--no-cache") as server:
        server.picture(server.windows()[0])
        say("memory without a cache", ratio(server.memory("VmRSS")))
        say("highest", ratio(server.memory("VmHWM")))


def workers(folder, cache, count):
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{count} workers, {size / 1e6:,.0f} MB together")
    with Server(folder, "--cache", cache) as server:
        windows = server.windows()
        say("listed", f"{time.monotonic() - server.started:7.2f} s, "
                      f"{len(windows)} windows, "
                      f"{server.memory('VmRSS') / 1e6:,.0f} MB")
        server.started = time.monotonic()
        timed(server, windows[len(windows) // 2], "first picture of one")
        say("memory then", f"{server.memory('VmRSS') / 1e6:,.0f} MB")
        for window in windows[:8]:
            server.open(window)
        say("after eight more", f"{server.memory('VmRSS') / 1e6:,.0f} MB")


@contextlib.contextmanager
def fresh(parent, name):
    folder = parent / name
    folder.mkdir(mode=0o700)
    yield folder
    shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--events", type=int, default=100_000_000)
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--folder", help="where files of 15 GB may lie")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        top = pathlib.Path(name)
        if options.bytes:
            with fresh(top, "kineto") as folder, fresh(top, "c1") as cache:
                generate("kineto", folder / "a.pt.trace.json", "--bytes",
                         str(options.bytes))
                one_file("Kineto JSON", folder, cache)
        if options.events:
            with fresh(top, "capture") as folder, fresh(top, "c2") as cache:
                # The generator counts what captures have no events for, too.
                generate("capture", folder / "a.sscap", "--events",
                         str(options.events * 100 // 68))
                one_file("Capture", folder, cache)
        if options.workers:
            with fresh(top, "workers") as folder, fresh(top, "c3") as cache:
                for rank in range(options.workers):
                    generate("kineto", folder / f"rank{rank}.pt.trace.json",
                             "--bytes", "100000000", "--rank", str(rank))
                workers(folder, cache, options.workers)


if __name__ == "__main__":
    main()
