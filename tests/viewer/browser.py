# SPDX-License-Identifier: Apache-2.0
"""Drives a headless Chromium through its debugging pipe, without libraries."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser",
            "google-chrome", "google-chrome-stable"]
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-dev-shm-usage",
    "--disable-component-update", "--disable-sync", "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--hide-scrollbars", "--force-device-scale-factor=1",
]


class BrowserError(Exception):
    pass


def find():
    """The browser's path, or None. STEPSCOPE_BROWSER names another one."""
    wanted = os.environ.get("STEPSCOPE_BROWSER")
    for program in [wanted] if wanted else PROGRAMS:
        path = shutil.which(program)
        if path:
            return path
    return None


class Browser:
    """One browser with one page. Use as a context manager."""

    def __init__(self, program, width=1280, height=720, timeout=120):
        self.deadline = time.monotonic() + timeout
        self.events = []
        self._sequence = 0
        self._session = None
        self._unread = b""
        self._profile = tempfile.mkdtemp()
        # The browser reads commands from descriptor 3, answers on 4.
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        shell = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", str(theirs_in), str(theirs_out),
             program, *FLAGS, f"--window-size={width},{height}",
             "--remote-debugging-pipe",
             f"--user-data-dir={self._profile}", "about:blank"],
            pass_fds=[theirs_in, theirs_out], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)

    def __enter__(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        pages = [t for t in targets if t["type"] == "page"]
        page = pages[0]["targetId"] if pages else self.call(
            "Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=page,
                                  flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        # Its children may still be writing there.
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method, **params):
        self._sequence += 1
        message = {"id": self._sequence, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self._to, data):]
        except BrokenPipeError as error:
            raise BrowserError("the browser ended") from error
        while True:
            answer = self._receive()
            if answer.get("id") == self._sequence:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, script):
        """The value of a JavaScript expression; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=script,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(
                details.get("exception", {}).get("description") or
                details["text"])
        return result["result"].get("value")

    def wait_for(self, script, what):
        """Until the expression is true; its value."""
        while True:
            value = self.evaluate(script)
            if value:
                return value
            if time.monotonic() > self.deadline:
                raise BrowserError(f"timed out waiting for {what}")
            time.sleep(0.1)

    def open(self, url):
        result = self.call("Page.navigate", url=url)
        if result.get("errorText"):
            raise BrowserError(f"{url}: {result['errorText']}")
        self.wait_for("document.readyState == 'complete'", url)

    def screenshot(self, path, **clip):
        params = {"format": "png"}
        if clip:
            params["clip"] = {"scale": 1, **clip}
        data = self.call("Page.captureScreenshot", **params)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def _receive(self):
        while b"\0" not in self._unread:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise BrowserError("timed out")
            data = os.read(self._from, 1 << 20)
            if not data:
                raise BrowserError("the browser ended")
            self._unread += data
        message, self._unread = self._unread.split(b"\0", 1)
        return json.loads(message)
