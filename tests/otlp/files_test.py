#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""convert --to otlp: JSON and protobuf say the same, and what is asked of them.

usage: files_test.py STEPSCOPE SERVE
"""

import gzip
import json
import sys
import unittest

from support import OtlpTestCase, attributes, decode, requests_in, spans_of


class Files(OtlpTestCase):

    def setUp(self):
        super().setUp()
        self.run_it([])

    def read(self, name="requests.json", **variables):
        target = self.folder / name
        self.said = self.convert(self.out, target, **variables)
        data = target.read_bytes()
        if name.endswith(".gz"):
            data = gzip.decompress(data)
        return json.loads(data) if ".json" in name else decode(data)

    def test_protobuf_is_what_json_is(self):
        text = self.read()
        self.assertEqual(len(requests_in(spans_of(text))), 6)
        self.assertEqual(self.read("a.pb"), text)
        self.assertEqual(self.read("a.bin"), text)
        self.assertEqual(self.read("a.json.gz"), text)

    def test_a_request_is_below_the_span_of_its_caller(self):
        spans = spans_of(self.read())
        called = requests_in(spans)["req-0"]
        self.assertEqual(called["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736")
        self.assertEqual(called["parentSpanId"], "00f067aa0ba902b7")
        self.assertEqual(called["flags"], 0x301)
        known = attributes(called)
        self.assertEqual(known["gen_ai.operation.name"], "text_completion")
        self.assertEqual(known["gen_ai.usage.input_tokens"], "8")
        self.assertEqual(known["gen_ai.usage.output_tokens"], "3")
        alone = requests_in(spans)["req-1"]
        self.assertNotIn("parentSpanId", alone)
        self.assertNotEqual(alone["traceId"], called["traceId"])

    def test_phases_lie_within_their_request(self):
        spans = spans_of(self.read())
        by_id = {span["spanId"]: span for span in spans}
        self.assertEqual(len(by_id), len(spans))
        phases = [span for span in spans
                  if span["name"] in ("queue", "prefill", "decode")]
        self.assertEqual(len(phases), 18)
        for span in phases:
            whole = by_id[span["parentSpanId"]]
            self.assertEqual(span["traceId"], whole["traceId"])
            self.assertLessEqual(int(whole["startTimeUnixNano"]),
                                 int(span["startTimeUnixNano"]))
            self.assertLessEqual(int(span["endTimeUnixNano"]),
                                 int(whole["endTimeUnixNano"]))

    def test_phases_link_to_the_iterations_that_worked_on_them(self):
        spans = spans_of(self.read())
        by_id = {span["spanId"]: span for span in spans}
        names = {"prefill": ["prefill iteration"],
                 "decode": ["decode iteration"] * 2}
        for request in requests_in(spans).values():
            for phase in (span for span in spans if span["name"] in names and
                          span["parentSpanId"] == request["spanId"]):
                linked = [by_id[link["spanId"]] for link in phase["links"]]
                self.assertEqual([span["name"] for span in linked],
                                 names[phase["name"]])
                for link, span in zip(phase["links"], linked):
                    self.assertEqual(link["traceId"], span["traceId"])
        [loop] = [span for span in spans if span["name"] == "iterations"]
        below = [span for span in spans
                 if span.get("parentSpanId") == loop["spanId"]]
        self.assertEqual(len(below), 18)

    def test_bad_traceparents_are_counted(self):
        self.read()
        self.assertIn("2 requests have a traceparent that is not valid",
                      self.said)

    def test_the_rule_of_bills_is_asked_for(self):
        to_otlp = ("--to", "otlp")
        for flags, rule in ((to_otlp, "tokens"),
                            ((*to_otlp, "--bill", "requests"), "requests")):
            for span in requests_in(spans_of(
                    self.read("a.json", flags=flags))).values():
                self.assertEqual(attributes(span)["stepscope.bill"], rule)
        for flags in ((*to_otlp, "--bill", "tenants"),
                      ("--to", "chrome", "--bill", "tokens")):
            self.assertIn("--bill", self.convert(
                self.out, self.folder / "b.json", 2, flags=flags))

    def test_the_environment_names_the_service(self):
        read = self.read(OTEL_SERVICE_NAME="chat",
                         OTEL_RESOURCE_ATTRIBUTES="deployment=a%20b,bad")
        known = attributes(read["resourceSpans"][0]["resource"])
        self.assertEqual(known["service.name"], "chat")
        self.assertEqual(known["deployment"], "a b")
        self.assertIn("left out text without =", self.said)

    def test_says_what_is_wrong_and_what_to_do(self):
        for name, words in (("a.txt", ".json"), ("a", ".pb")):
            self.assertIn(words, self.convert(self.out, self.folder / name, 2))
        # Times of the day are nowhere in this one.
        bare = self.folder / "bare.json"
        bare.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}),
            encoding="utf-8")
        said = self.convert(bare, self.folder / "b.json", 3)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("no requests were recorded; mark them", said)
        self.assertFalse((self.folder / "b.json").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
