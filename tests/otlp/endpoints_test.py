#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run --otlp against receivers that are good, slow, absent and hostile. The
program's output and exit code are the same each time; what is not sent is
counted in a line.

usage: endpoints_test.py STEPSCOPE SERVE
"""

import socket
import sys
import threading
import unittest

from support import OtlpTestCase, attributes, decode, requests_in

NOT_SENT = "6 requests were not sent to "


class RawServer:
    """Takes connections and gives each to `talk` on a thread of its own."""

    def __init__(self, talk):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.over = threading.Event()
        self.talk = talk
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(connection,),
                             daemon=True).start()

    def one(self, connection):
        try:
            with connection:
                self.talk(connection, self.over)
        except OSError:
            pass  # the other side had enough

    def close(self):
        self.over.set()
        self.socket.close()


def forever(data, pause=0.0):
    def talk(connection, over):
        while not over.wait(pause) if pause else not over.is_set():
            connection.sendall(data)
    return talk


def after_head(data, then=b""):
    """Once the request came; and closes only when the other side has."""
    def talk(connection, over):
        connection.recv(1 << 20)
        connection.sendall(data)
        while then and not over.is_set():
            connection.sendall(then)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 20):
            pass
    return talk


OK = b"HTTP/1.1 200 OK\r\n"
HOSTILE = {
    "never reads": lambda connection, over: over.wait(),
    "closes at once": lambda connection, over: None,
    "garbage": after_head(bytes(range(256)) * 64),
    "a line without end": forever(b"x" * 65536),
    "a long line": after_head(b"HTTP/1.1 200 " + b"x" * (4 << 20) + b"\r\n"),
    "headers without end": after_head(OK, b"X-Header: 1\r\n" * 1000),
    "a byte now and then": forever(b"H", pause=0.05),
    "absurd numbers": after_head(
        b"HTTP/1.1 999999999999 OK\r\nContent-Length: -1\r\n\r\n"),
}
# What counts is the status, whatever follows it.
FINE = {
    "a body without end": after_head(OK + b"\r\n", b"x" * 65536),
    "an absurd length": after_head(
        OK + b"Content-Length: 99999999999999999999\r\n\r\n"),
    "no message in the body": after_head(
        OK + b"Content-Length: 4\r\n\r\n\xff\xff\xff\xff"),
}


class Endpoints(OtlpTestCase):

    def raw(self, talk):
        server = RawServer(talk)
        self.addCleanup(server.close)
        return server.url

    def send(self, url, **variables):
        variables.setdefault("OTEL_EXPORTER_OTLP_TIMEOUT", "25000")
        self.out = self.folder / f"out_{len(list(self.folder.iterdir()))}"
        return self.run_it(["--otlp", url], **variables)

    def test_a_good_one_gets_all(self):
        receiver = self.receiver()
        said = self.send(receiver.url)
        self.assertIn(f"sent 6 requests to {receiver.url}/v1/traces", said)
        self.assertNotIn("not sent", said)
        self.assertEqual(len(requests_in(receiver.taken())), 6)
        path, headers = receiver.heads[0]
        self.assertEqual(path, "/v1/traces")
        self.assertEqual(headers["Content-Type"], "application/x-protobuf")

    def test_path_headers_and_service_are_the_users(self):
        receiver = self.receiver()
        said = self.send(
            receiver.url + "/custom", OTEL_SERVICE_NAME="chat",
            OTEL_EXPORTER_OTLP_HEADERS=(
                "x-key=a%20b, Authorization=Bearer c,evil=a%0d%0aX-Evil: 1"))
        path, headers = receiver.heads[0]
        self.assertEqual(path, "/custom")
        self.assertEqual(headers["x-key"], "a b")
        self.assertEqual(headers["Authorization"], "Bearer c")
        self.assertNotIn("X-Evil", headers)
        self.assertIn("left out evil", said)
        self.assertNotIn("Bearer", said)
        process = decode(receiver.bodies[0][1])["resourceSpans"][0]
        self.assertEqual(attributes(process["resource"])["service.name"],
                         "chat")

    def test_hostile_ones_cost_a_line(self):
        for name, talk in HOSTILE.items():
            with self.subTest(name):
                said = self.send(self.raw(talk),
                                 OTEL_EXPORTER_OTLP_TIMEOUT="1500")
                self.assertEqual(said.count(NOT_SENT), 1, said)

    def test_what_follows_the_status_does_not_matter(self):
        for name, talk in FINE.items():
            with self.subTest(name):
                said = self.send(self.raw(talk))
                self.assertIn("sent 6 requests to ", said)

    def test_nobody_there(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        said = self.send(f"http://127.0.0.1:{port}")
        self.assertEqual(said.count(NOT_SENT), 1, said)
        self.assertIn("cannot connect", said)

    def test_statuses(self):
        for status in (400, 401, 404, 500, 503):
            with self.subTest(status):
                receiver = self.receiver(status=status)
                said = self.send(receiver.url)
                self.assertIn(NOT_SENT, said)
                self.assertIn(f"HTTP status {status}", said)

    def test_what_may_be_tried_again_is(self):
        answers = iter([503, 429])
        receiver = self.receiver(status=lambda: next(answers, 200))
        said = self.send(receiver.url)
        self.assertIn("sent 6 requests to ", said)
        self.assertEqual(len(requests_in(receiver.taken())), 6)

    def test_a_redirect_is_not_followed(self):
        other = self.receiver()
        receiver = self.receiver(
            status=307, headers=[("Location", other.url + "/v1/traces")])
        said = self.send(receiver.url)
        self.assertIn(NOT_SENT, said)
        self.assertIn(f"a redirect, which is not followed, to {other.url}",
                      said)
        self.assertEqual(other.bodies, [])

    def test_rejected_spans_are_counted(self):
        # partial_success {rejected_spans: 2, error_message: "too old"}
        receiver = self.receiver(body=b"\x0a\x0b\x08\x02\x12\x07too old")
        said = self.send(receiver.url)
        self.assertIn("the receiver rejected 2 spans: too old", said)

    def test_terminals_are_not_written_to(self):
        said = self.send(self.raw(after_head(
            b"HTTP/1.1 302 Found\r\nLocation: http://a/\x1b[2J\r\n"
            b"Content-Length: 0\r\n\r\n")))
        self.assertNotIn("\x1b", said)

    def test_faults_of_the_address(self):
        for url, words in (
                ("ftp://a", "expected http or https"), ("http://", "form"),
                ("http://a:0", "port"), ("a:b:c", "brackets"),
                ("http://[::1", "form"), ("http://a b", "form"),
                ("http://user:secret@a", "OTEL_EXPORTER_OTLP_HEADERS")):
            said = self.run_it(["--otlp", url], code=2)
            self.assertIn(words, said)
            self.assertNotIn("secret", said)
            self.assertEqual(said.count("\n"), 1, said)
        said = self.run_it(["--otlp", "a", "--always"], code=2)
        self.assertIn("--always", said)

    def test_quiet_says_nothing_of_success(self):
        receiver = self.receiver()
        said = self.run_it(["--otlp", receiver.url, "--quiet"])
        self.assertNotIn("sent 6", said)
        self.assertEqual(len(requests_in(receiver.taken())), 6)

    def test_the_rule_of_bills_is_asked_for(self):
        receiver = self.receiver()
        self.run_it(["--otlp", receiver.url, "--bill", "decode-first"])
        sent = requests_in(receiver.taken()).values()
        self.assertEqual({attributes(span)["stepscope.bill"] for span in sent},
                         {"decode-first"})
        for flags, words in ((["--bill", "requests"], "add --otlp"),
                             (["--otlp", receiver.url, "--bill", "tenants"],
                              "decode-first")):
            said = self.run_it(flags, code=2)
            self.assertIn("--bill", said)
            self.assertIn(words, said)

    def test_a_program_without_requests(self):
        receiver = self.receiver()
        said = self.run_it(["--otlp", receiver.url], serve=(0,))
        self.assertIn("nothing was sent: ", said)
        self.assertEqual(receiver.bodies, [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
