#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stepscope report` in a real browser, from disk.

usage: report_test.py STEPSCOPE

Exit status 77 means skipped: no browser.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import browser

SKIPPED = 77
EVIL = [
    "</td><script>window.broken=1</script>",
    "<img src=x onerror=window.broken=1>",
    "\" onmouseover=\"window.broken=1",
    "</title></svg><svg onload=window.broken=1>",
    "</style><style>main{display:none}</style>",
    "<iframe src=javascript:window.broken=1>",
]
PROBLEMS = ("Log.entryAdded", "Runtime.exceptionThrown",
            "Runtime.consoleAPICalled")


def trace_events():
    """Eight steps whose operators, kernels and threads have evil names."""
    yield {"ph": "M", "name": "process_name", "pid": 5, "tid": 0,
           "args": {"name": EVIL[0]}}
    yield {"ph": "M", "name": "thread_name", "pid": 5, "tid": 9,
           "args": {"name": EVIL[3]}}

    def event(name, start, length, tid=9, category="cpu_op", **args):
        return {"ph": "X", "name": name, "cat": category, "pid": 5,
                "tid": tid, "ts": start, "dur": length, "args": args}
    for step in range(8):
        at = 1000 * step
        yield event(f"ProfilerStep#{step}", at, 990,
                    category="user_annotation")
        for i, evil in enumerate(EVIL):
            link = 100 * step + i + 1
            yield event(f"{evil} {i}", at + 10 + 100 * i, 80 - 5 * i)
            yield event("cudaLaunchKernel", at + 20 + 100 * i, 10,
                        category="cuda_runtime", correlation=link)
            yield event(f"k{i} {evil}", at + 40 + 100 * i, 50, tid=7,
                        category="kernel", correlation=link, stream=7,
                        device=0)


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.files.cleanup)
        cls.folder = pathlib.Path(cls.files.name)
        cls.trace = cls.folder / "trace.json"
        cls.trace.write_text(json.dumps({"traceEvents": list(trace_events())}))
        cls.page = cls.write("report.html")
        cls.browser = cls.enterClassContext(browser.Browser(PROGRAM))
        cls.browser.call("Log.enable")

    @classmethod
    def write(cls, name, *options):
        path = cls.folder / name
        subprocess.run([STEPSCOPE, "report", cls.trace, "-o", path, *options],
                       check=True)
        return path

    def open(self, page):
        del self.browser.events[:]
        self.browser.open(page.as_uri())

    def problems(self):
        self.browser.evaluate("1")  # what was said before has arrived
        return [e for e in self.browser.events if e["method"] in PROBLEMS]

    def ask(self, script):
        return self.browser.evaluate(script)

    def test_opens_from_disk_without_complaint(self):
        for scheme in ("light", "dark"):
            self.browser.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}])
            self.open(self.page)
            self.assertEqual(self.problems(), [])
            self.assertEqual(self.ask("typeof window.broken"), "undefined")
            self.assertEqual(
                self.ask("document.querySelectorAll('.figure').length"), 5)
            self.assertGreater(self.ask(
                "document.querySelector('main').offsetHeight"), 500)
            dark = self.ask("getComputedStyle(document.body).backgroundColor")
            self.assertEqual(dark == "rgb(14, 17, 22)", scheme == "dark")

    def test_names_are_text(self):
        self.open(self.page)
        names = self.ask("[...document.querySelectorAll("
                         "'#t-operator td.name')].map(x => x.textContent)")
        for i, evil in enumerate(EVIL):
            self.assertIn(f"{evil} {i}", names)
        self.assertEqual(
            self.ask("document.querySelectorAll('img,iframe').length"), 0)

    def test_policy_stops_what_is_not_ours(self):
        self.open(self.page)
        self.ask("new Promise(done => {"
                 " document.addEventListener('securitypolicyviolation',"
                 "  e => done(e.violatedDirective));"
                 " const s = document.createElement('style');"
                 " s.textContent = 'main{display:none}';"
                 " document.head.append(s); })")
        self.assertEqual(self.ask(
            "getComputedStyle(document.querySelector('main')).display"),
            "block")

    def test_tables_sort_and_filter(self):
        self.open(self.page)
        calls = ("[...document.querySelectorAll('#t-kernel tbody td.name')]"
                 ".filter(x => !x.parentNode.hidden).map(x => x.textContent)")
        button = "document.querySelector('#t-kernel th button')"
        self.ask(f"{button}.click()")
        first = self.ask(calls)
        self.assertEqual([n[:2] for n in first], [f"k{i}" for i in range(6)])
        self.ask(f"{button}.click()")
        self.assertEqual(self.ask(calls), first[::-1])
        field = "document.querySelector('#t-steps input.filter')"
        self.ask(f"{field}.value = 'no such row';"
                 f"{field}.dispatchEvent(new Event('input'))")
        self.assertEqual(self.ask(
            "[...document.querySelectorAll('#t-steps tbody tr')]"
            ".filter(x => !x.hidden).length"), 0)
        self.assertEqual(self.problems(), [])

    def test_readable_without_scripts(self):
        call = self.browser.call
        call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            call("Page.navigate", url=self.page.as_uri())
            # The last element; if it never comes, the test's timeout ends it.
            while not self.find("footer"):
                time.sleep(0.1)
            self.assertTrue(self.find("#t-kernel td.name"))
            # No control that would do nothing.
            self.assertFalse(self.find("input, button"))
        finally:
            call("Emulation.setScriptExecutionDisabled", value=False)

    def find(self, selector):
        """Whether there is such an element; runs no script in the page."""
        root = self.browser.call("DOM.getDocument")["root"]["nodeId"]
        try:
            found = self.browser.call("DOM.querySelector", nodeId=root,
                                      selector=selector)
        except browser.BrowserError:  # the page before was left meanwhile
            return False
        return found["nodeId"] != 0

    def test_redacted_page_works_alike(self):
        self.open(self.write("redacted.html", "--redact"))
        self.assertEqual(self.problems(), [])
        text = self.ask("document.documentElement.outerHTML")
        for hidden in ("onerror", "onload", "iframe", "cudaLaunchKernel",
                       self.trace.name, str(self.folder)):
            self.assertNotIn(hidden, text)


if __name__ == "__main__":
    STEPSCOPE = sys.argv.pop(1)
    PROGRAM = browser.find()
    if PROGRAM is None:
        print("skipped: no browser (Debian: chromium-headless-shell)")
        sys.exit(SKIPPED)
    unittest.main()
