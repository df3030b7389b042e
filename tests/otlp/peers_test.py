#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's own package reads what is written and what is sent, and
Prometheus's own reads the figures. Skipped where they are not there.

usage: peers_test.py STEPSCOPE SERVE PACKAGES
"""

import base64
import json
import pathlib
import sys
import unittest

from support import OtlpTestCase, decode, spans_of

SKIPPED = 77
PACKAGES = pathlib.Path(sys.argv[3])
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


def with_base64_ids(value):
    """OTLP's JSON as protobuf's own mapping has it: ids in base64."""
    if isinstance(value, list):
        return [with_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: base64.b64encode(bytes.fromhex(item)).decode()
            if key in ("traceId", "spanId", "parentSpanId")
            else with_base64_ids(item) for key, item in value.items()}


class Peers(OtlpTestCase):

    def check(self, message, spans):
        """No field is unknown to it, and it is whole."""
        self.assertEqual(message.FromString(message.SerializeToString()),
                         message)
        theirs = [span for process in message.resource_spans
                  for scope in process.scope_spans for span in scope.spans]
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
