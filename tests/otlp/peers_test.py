#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's own package reads what is written and what is sent, its
Collector takes both over HTTP, and Prometheus's own package reads the figures.
Skipped where they are not there.

usage: peers_test.py STEPSCOPE SERVE PACKAGES COLLECTOR
"""

import base64
import contextlib
import json
import pathlib
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

from support import LIMIT_S, OtlpTestCase, decode, spans_of

SKIPPED = 77
PACKAGES, COLLECTOR = map(pathlib.Path, sys.argv[3:5])
if not PACKAGES.is_dir():
    print(f"no {PACKAGES}; tools/bootstrap peers fetches it")
    sys.exit(SKIPPED)
sys.path.insert(0, str(PACKAGES))
# pylint: disable=wrong-import-position
from google.protobuf import json_format  # noqa: E402
from opentelemetry.proto.collector.trace.v1 import (  # noqa: E402
    trace_service_pb2)
from prometheus_client.parser import (  # noqa: E402
    text_string_to_metric_families)

Request = trace_service_pb2.ExportTraceServiceRequest
Response = trace_service_pb2.ExportTraceServiceResponse


def with_base64_ids(value):
    """OTLP's JSON as protobuf's own mapping has it: ids in base64."""
    if isinstance(value, list):
        return [with_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: base64.b64encode(bytes.fromhex(item)).decode()
            if key in ("traceId", "spanId", "parentSpanId")
            else with_base64_ids(item) for key, item in value.items()}


def spans_in(message):
    return [span for process in message.resource_spans
            for scope in process.scope_spans for span in scope.spans]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@contextlib.contextmanager
def collector(folder, target):
    """OpenTelemetry's Collector (tests/otlp/collector.yaml) as users run it:
    it takes spans at the address that this gives, and sends them on to
    `target`. All are there at the end."""
    port = free_port()
    config = folder / "collector.json"  # JSON is YAML
    config.write_text(json.dumps({
        "receivers": {"otlp": {"protocols": {"http": {
            "endpoint": f"127.0.0.1:{port}"}}}},
        "exporters": {"otlp_http": {
            "endpoint": target, "compression": "none",
            "sending_queue": {"enabled": False},
            "retry_on_failure": {"enabled": False}}},
        "service": {
            "telemetry": {"metrics": {"level": "none"}},
            "pipelines": {"traces": {"receivers": ["otlp"],
                                     "exporters": ["otlp_http"]}}}}))
    log = folder / "collector.log"
    with log.open("wb") as out, subprocess.Popen(
            [COLLECTOR, "--config", config], stdout=out, stderr=out,
            cwd=folder) as process:
        try:
            deadline = time.monotonic() + LIMIT_S
            while True:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                assert (process.poll() is None and
                        time.monotonic() < deadline), log.read_text()
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGINT)
            code = process.wait(LIMIT_S)
    assert code == 0, log.read_text()


class Peers(OtlpTestCase):

    def check(self, message, spans):
        """No field is unknown to it, and it is whole."""
        self.assertEqual(message.FromString(message.SerializeToString()),
                         message)
        theirs = spans_in(message)
        self.assertEqual([span.span_id.hex() for span in theirs],
                         [span["spanId"] for span in spans])
        for span in theirs:
            self.assertLessEqual(span.start_time_unix_nano,
                                 span.end_time_unix_nano)

    def test_files(self):
        self.run_it([])
        self.convert(self.out, self.folder / "a.pb")
        self.convert(self.out, self.folder / "a.json")
        data = (self.folder / "a.pb").read_bytes()
        text = json.loads((self.folder / "a.json").read_text("utf-8"))
        message = Request.FromString(data)
        self.check(message, spans_of(text))
        # Strict: an unknown field of the JSON is an error.
        self.assertEqual(
            json_format.ParseDict(with_base64_ids(text), Request()), message)

    def test_what_is_sent(self):
        receiver = self.receiver()
        self.run_it(["--otlp", receiver.url])
        self.assertTrue(receiver.bodies)
        for _, body in receiver.bodies:
            self.check(Request.FromString(body), spans_of(decode(body)))

    @unittest.skipUnless(COLLECTOR.exists(),
                         f"no {COLLECTOR}; tools/bootstrap peers builds it")
    def test_the_collector_takes_files(self):
        """As curl sends them. It passes on what it has understood."""
        self.run_it([])
        self.convert(self.out, self.folder / "a.pb")
        self.convert(self.out, self.folder / "a.json")
        receiver = self.receiver()
        with collector(self.folder, receiver.url) as url:
            for name, kind in (("a.pb", "application/x-protobuf"),
                               ("a.json", "application/json")):
                with urllib.request.urlopen(urllib.request.Request(
                        url + "/v1/traces", (self.folder / name).read_bytes(),
                        {"Content-Type": kind}), timeout=LIMIT_S) as answer:
                    self.assertEqual(answer.status, 200)
                    said = answer.read()
                read = (Response.FromString(said) if name == "a.pb" else
                        json_format.Parse(said, Response()))
                self.assertEqual(read.partial_success.rejected_spans, 0)
        wanted = Request.FromString((self.folder / "a.pb").read_bytes())
        self.assertGreaterEqual(len(spans_of(decode(
            (self.folder / "a.pb").read_bytes()))), 6)
        self.assertEqual(len(receiver.bodies), 2)
        for _, body in receiver.bodies:
            passed_on = Request.FromString(body)
            # It writes a status that was not set as one that is empty.
            for span in spans_in(passed_on):
                if span.status == type(span.status)():
                    span.ClearField("status")
            self.assertEqual(passed_on, wanted)

    @unittest.skipUnless(COLLECTOR.exists(),
                         f"no {COLLECTOR}; tools/bootstrap peers builds it")
    def test_the_collector_takes_what_is_sent(self):
        receiver = self.receiver()
        with collector(self.folder, receiver.url) as url:
            said = self.run_it(["--otlp", url])
        self.assertIn("sent 6 requests to ", said)
        spans = [span for _, body in receiver.bodies
                 for span in spans_in(Request.FromString(body))]
        self.assertEqual(len({span.span_id for span in spans}), len(spans))
        ids = {pair.value.string_value for span in spans
               for pair in span.attributes
               if pair.key == "stepscope.request.id"}
        self.assertEqual(ids, {f"req-{i}" for i in range(6)})

    def test_prometheus(self):
        file = self.folder / "figures.prom"
        self.run_it(["--always", "--prometheus", str(file)])
        families = {family.name: family for family in
                    text_string_to_metric_families(file.read_text("utf-8"))}
        self.assertEqual(families["stepscope_recording"].type, "gauge")
        self.assertEqual(families["stepscope_reader_cpu_seconds"].type,
                         "counter")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
