# SPDX-License-Identifier: Apache-2.0
"""For the tests of view(): questions to a server, and stand-ins for a kernel
and for Jupyter's server."""

import contextlib
import http.client
import http.server
import json
import os
import sys
import threading
import types
import unittest.mock
from urllib.parse import urlsplit


def get(url, headers=None, method="GET", host=None):
    """(status, headers, body) of a request; the fragment's token is sent."""
    parts = urlsplit(url)
    sent = dict(headers or {})
    if parts.fragment.startswith("token="):
        sent["Authorization"] = "Bearer " + parts.fragment[len("token="):]
    if host is not None:
        sent["Host"] = host
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    try:
        connection.request(method, parts.path, headers=sent)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def api(url, request, **how):
    """The answer of the viewer's API as an object."""
    page, fragment = url.split("#")
    status, _, body = get(f"{page}api/v1/{request}#{fragment}", **how)
    assert status == 200, (status, body)
    return json.loads(body)


def files_of(url):
    """The files that a viewer offers."""
    return sorted(window["file"] for run in api(url, "runs")["runs"]
                  for worker in run["workers"] for window in worker["windows"])


def framers(url):
    """Whose pages may frame it."""
    policy = get(url)[1]["Content-Security-Policy"]
    (directive,) = [part for part in policy.split("; ")
                    if part.startswith("frame-ancestors ")]
    return directive.split()[1:]


class Jupyter:
    """Answers as Jupyter's server does to who is not logged in, or with
    ``open=True`` as one without a login. With ``proxy`` it has
    jupyter-server-proxy: what lies below proxy/PORT/ is that port's."""

    def __init__(self, base="/", proxy=True, open=True, rewrite_host=False):
        outer = self
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(dict(self.headers))
                if not self.path.startswith(base + "proxy/") or not proxy:
                    # First without the slash, then: there is none.
                    if self.path.endswith("/"):
                        return self.end(302, {"Location": self.path[:-1]})
                    return self.end(404, {})
                if not open:
                    return self.end(302, {"Location": base + "login?next=x"})
                port, _, rest = self.path[len(base) + 6:].partition("/")
                sent = {key: value for key, value in self.headers.items()
                        if not (rewrite_host and key == "Host")}
                connection = http.client.HTTPConnection("127.0.0.1", int(port))
                try:
                    connection.request(self.command, "/" + rest, headers=sent)
                    answer = connection.getresponse()
                    body = answer.read()
                finally:
                    connection.close()
                kept = {key: value for key, value in answer.headers.items()
                        if key not in ("Content-Length", "Connection",
                                       "Transfer-Encoding")}
                return self.end(answer.status, kept, body)

            do_POST = do_GET

            def end(self, status, headers, body=b""):
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *what):
                pass

        self.base = base
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def write_runtime_file(self, folder, pid, **more):
        said = {"base_url": self.base, "hostname": "localhost", "pid": pid,
                "port": self.port, "secure": False, "token": "not for us",
                "url": f"http://localhost:{self.port}{self.base}", **more}
        with open(os.path.join(folder, f"jpserver-{pid}.json"), "w",
                  encoding="utf-8") as file:
            json.dump(said, file)


@contextlib.contextmanager
def kernel(folder="", parent="", environment=None):
    """As if this were the kernel of a notebook, whose connection file is in
    ``folder`` and whose server has the process id ``parent``."""
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    connect = types.ModuleType("ipykernel.connect")
    connect.get_connection_file = lambda: os.path.join(folder, "kernel.json")
    modules = {"IPython": ipython, "ipykernel.connect": connect}
    changed = {"JPY_PARENT_PID": str(parent), "JUPYTERHUB_PUBLIC_URL": "",
               **(environment or {})}
    cleared = {key: value for key, value in os.environ.items()
               if not key.startswith("VSCODE_")}
    with unittest.mock.patch.dict(sys.modules, modules), \
            unittest.mock.patch.dict(os.environ, {**cleared, **changed},
                                     clear=True):
        yield
