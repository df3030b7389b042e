# SPDX-License-Identifier: Apache-2.0
"""Programs under `stepscope run`, receivers on loopback, and a reader of OTLP's
protobuf that shares no line with the writer."""

import http.server
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

STEPSCOPE, SERVE = sys.argv[1:3]
LIMIT_S = 300  # only a defect takes so long

# message: {field: (name, kind, repeated)}; a kind that is a message is its name
SCHEMA = {
    "Request": {1: ("resourceSpans", "ResourceSpans", True)},
    "ResourceSpans": {1: ("resource", "Resource", False),
                      2: ("scopeSpans", "ScopeSpans", True)},
    "Resource": {1: ("attributes", "KeyValue", True)},
    "ScopeSpans": {1: ("scope", "Scope", False), 2: ("spans", "Span", True)},
    "Scope": {1: ("name", "text", False), 2: ("version", "text", False)},
    "Span": {1: ("traceId", "id", False), 2: ("spanId", "id", False),
             4: ("parentSpanId", "id", False), 5: ("name", "text", False),
             6: ("kind", "number", False),
             7: ("startTimeUnixNano", "fixed64", False),
             8: ("endTimeUnixNano", "fixed64", False),
             9: ("attributes", "KeyValue", True),
             11: ("events", "Event", True), 13: ("links", "Link", True),
             14: ("droppedLinksCount", "number", False),
             15: ("status", "Status", False), 16: ("flags", "fixed32", False)},
    "Event": {1: ("timeUnixNano", "fixed64", False),
              2: ("name", "text", False)},
    "Link": {1: ("traceId", "id", False), 2: ("spanId", "id", False),
             4: ("attributes", "KeyValue", True)},
    "Status": {3: ("code", "number", False)},
    "KeyValue": {1: ("key", "text", False), 2: ("value", "AnyValue", False)},
    "AnyValue": {1: ("stringValue", "text", False),
                 2: ("boolValue", "bool", False),
                 3: ("intValue", "int64", False),
                 4: ("doubleValue", "double", False)},
}
WIRE = {"text": 2, "id": 2, "number": 0, "bool": 0, "int64": 0, "fixed64": 1,
        "double": 1, "fixed32": 5}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def scalar(kind, raw):
    """As OTLP's JSON has it."""
    if kind == "text":
        return raw.decode("utf-8")
    if kind == "id":
        return raw.hex()
    if kind == "bool":
        return raw != 0
    if kind == "int64":
        return str(raw - (1 << 64) if raw >> 63 else raw)
    if kind == "fixed64":
        return str(struct.unpack("<Q", raw)[0])
    if kind == "double":
        return struct.unpack("<d", raw)[0]
    if kind == "fixed32":
        return struct.unpack("<I", raw)[0]
    return raw


def decode(data, message="Request"):
    """Protobuf as the object that OTLP's JSON has for it. An unknown field or
    a wrong wire type fails."""
    out, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind, repeated = SCHEMA[message][tag >> 3]
        assert tag & 7 == WIRE.get(kind, 2), (message, name)
        if tag & 7 == 0:
            raw, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(tag & 7)
            if size is None:
                size, at = varint(data, at)
            raw = data[at:at + size]
            assert len(raw) == size, (message, name)
            at += size
        value = decode(raw, kind) if kind in SCHEMA else scalar(kind, raw)
        if repeated:
            out.setdefault(name, []).append(value)
        else:
            assert name not in out, (message, name)
            out[name] = value
    return out


def spans_of(request):
    return [span for process in request["resourceSpans"]
            for scope in process["scopeSpans"] for span in scope["spans"]]


def attributes(span):
    return {pair["key"]: next(iter(pair["value"].values()))
            for pair in span.get("attributes", [])}


def requests_in(spans):
    return {attributes(span)["stepscope.request.id"]: span for span in spans
            if span["kind"] == 2}


class Receiver:
    """A receiver that takes all it gets and answers with `status`."""

    def __init__(self, status=200, headers=(), body=b""):
        receiver = self
        self.bodies, self.heads = [], []
        self.came = threading.Condition()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body_in = self.rfile.read(int(self.headers["Content-Length"]))
                answer = status() if callable(status) else status
                # First, or who was answered would be looked at too early.
                with receiver.came:
                    receiver.heads.append((self.path, dict(self.headers)))
                    receiver.bodies.append((answer, body_in))
                    receiver.came.notify_all()
                self.send_response(answer)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def taken(self):
        """The spans of requests that are answered with 200."""
        with self.came:
            return [span for answer, body in self.bodies if answer == 200
                    for span in spans_of(decode(body))]


class OtlpTestCase(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def receiver(self, *arguments, **named):
        receiver = Receiver(*arguments, **named)
        self.addCleanup(receiver.close)
        return receiver

    def command(self, flags, serve):
        return [STEPSCOPE, "run", "--out", str(self.out), *flags, "--", SERVE,
                *map(str, serve)]

    def environment(self, **variables):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith("OTEL_")}
        return dict(env, **variables)

    def run_it(self, flags, serve=(6,), code=3, **variables):
        """Fails unless the exit code is the program's. Returns what `run`
        said."""
        done = subprocess.run(self.command(flags, serve), text=True,
                              capture_output=True, timeout=LIMIT_S,
                              check=False, cwd=self.folder,
                              env=self.environment(**variables),
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code == 3:
            self.assertEqual(done.stdout, "served\n")
        return done.stderr

    def convert(self, source, target, code=0, flags=("--to", "otlp"),
                **variables):
        done = subprocess.run(
            [STEPSCOPE, "convert", str(source), "-o", str(target), *flags],
            text=True, capture_output=True, timeout=LIMIT_S, check=False,
            env=self.environment(**variables))
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr
