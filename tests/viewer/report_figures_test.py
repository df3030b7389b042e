# SPDX-License-Identifier: Apache-2.0
"""Reports of all real traces: every number in one is a number that
`stepscope summary --format json` prints of the same steps, and a redacted one
has no name, host or path of its trace.

usage: report_figures_test.py STEPSCOPE
"""
import gzip
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT.parent / "shared" / "traces"
STEPSCOPE = ""


# Folders of traces that other tools wrote and that are not all read yet.
NOT_YET = {"peer", "serving", "memory"}


def traces():
    found = [path for path in sorted(TRACES.rglob("*"))
             if not NOT_YET & set(path.relative_to(TRACES).parts)
             and path.name.endswith((".json.gz", ".pb"))]
    return found


def run(*args):
    return subprocess.run([STEPSCOPE, *map(str, args)], check=True,
                          capture_output=True, text=True).stdout


class Page(html.parser.HTMLParser):
    """Rows of the tables by their card, and all text and attributes."""

    def __init__(self, text):
        super().__init__()
        self.rows = {}
        self.texts = []
        self.figures = []
        self._card = ""
        self._body = False
        self._figure = False
        self._hidden = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.texts += [value for key, value in attrs.items()
                       if value and key in ("title", "aria-label", "href")]
        if tag == "section":
            self._card = attrs.get("id", "")
        elif tag == "h3":
            self._card = ""  # rows inside rows follow
        elif tag == "tr":
            self._body = False  # a head, until a cell comes
        elif tag == "td" and self._card:
            if not self._body:
                self.rows.setdefault(self._card, []).append([])
                self._body = True
            if attrs.get("data-v"):  # empty: not known
                self.rows[self._card][-1].append(float(attrs["data-v"]))
        self._figure = tag == "div" and attrs.get("class") == "value"
        self._hidden = tag in ("script", "style")

    def handle_data(self, data):
        if self._hidden:
            return
        self.texts.append(data)
        if self._figure:
            self.figures.append(data)
            self._figure = False


def numbers(value):
    """All numbers of a JSON value, but not those of rows inside it."""
    if isinstance(value, bool):
        return []
    if isinstance(value, (int, float)):
        return [float(value)]
    if isinstance(value, dict):
        return [n for inner in value.values() for n in numbers(inner)]
    return []


def moments(row):
    """What says when, on the clock of the trace."""
    return [value for key, value in row.items()
            if re.search(r"(^|_)(start|end|at)_ns$", key)
            and value is not None]


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, trace, *options):
        out = self.folder / "out.html"
        run("report", trace, "-o", out, *options)
        return out.read_text(encoding="utf-8")

    def check_rows(self, key, shown, printed):
        self.assertEqual(len(shown), len(printed), key)
        for seen, row in zip(shown, printed):
            known = numbers(row)
            for value in seen:
                if any(abs(value - one) <= 1e-6 * max(1, abs(one))
                       for one in known):
                    continue
                # Moments count from the start of the trace: from one time.
                starts = {at - int(value) for at in moments(row)}
                self.starts = starts & (self.starts or starts)
                self.assertTrue(
                    self.starts,
                    f"{key}: {value} is not in {str(row)[:200]}")

    def test_every_number_is_one_that_the_command_prints(self):
        for trace in traces():
            with self.subTest(trace.name):
                self.starts = None
                page = Page(self.report(trace, "--top", "0"))
                doc = json.loads(run("summary", trace, "--format", "json",
                                     "--steps", "settled"))
                checked = 0
                for card, rows in page.rows.items():
                    key = card.removeprefix("t-")
                    printed = doc.get(key)
                    if card == "waterfall":
                        rows = [row for row in rows if row]
                        parts = [part["time_ns"]
                                 for part in printed["parts"]]
                        self.assertTrue({row[0] for row in rows} <= {
                            float(ns) for ns in
                            parts + [printed["step_ns"]]}, rows)
                    elif isinstance(printed, list) and key != "memory":
                        self.check_rows(key, rows, printed)
                    elif isinstance(printed, dict) and key in (
                            "distribution", "step_time"):
                        for row in rows:
                            self.check_rows(key, [row], [printed])
                    else:
                        continue
                    checked += len(rows)
                self.assertGreater(checked, 0)

    def names_of(self, trace):
        """Texts that the trace's file has, in the words of its export."""
        out = self.folder / "names.json.gz"
        run("convert", trace, "-o", out)
        with gzip.open(out, "rt", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        names = {trace.name, str(trace.parent), str(TRACES)}
        for event in events:
            if event.get("ph") in ("X", "B", "b", "i"):
                names.add(str(event.get("name", "")))
            elif event.get("ph") == "M":
                names.update(str(value)
                             for value in event.get("args", {}).values())
        # Numbers of processes and threads are no names.
        return {name for name in names
                if len(name) > 3 and not re.fullmatch(r"-?\d+", name)}

    def test_a_redacted_report_has_no_name_of_its_trace(self):
        for trace in traces():
            with self.subTest(trace.name):
                names = self.names_of(trace)
                self.assertGreater(len(names), 3)
                plain = Page(self.report(trace))
                text = "\n".join(plain.texts)
                self.assertTrue(any(name in text for name in names))
                hidden = Page(self.report(trace, "--redact"))
                # A name that is one of our own words says nothing.
                ours = "\n".join(Page(self.report(self.empty())).texts) + OURS
                words = "\n".join(hidden.texts)
                left = sorted(
                    name for name in names
                    if re.search(r"(?<!\w)" + re.escape(name) + r"(?!\w)",
                                 words) and name not in ours)
                self.assertEqual(left, [])

    def empty(self):
        path = self.folder / "empty.json"
        path.write_text('{"traceEvents":[{"ph":"X","name":"q","pid":1,'
                        '"tid":1,"ts":0,"dur":1}]}', encoding="utf-8")
        return path


# Kinds of events and of tracks, which the tables name whatever was recorded.
OURS = """
ProfileStep Forward Backward Optimization Dataloader Operator Kernel Memcpy
Memset CudaRuntime Communication UserDefined PythonFunction PythonUserDefined
Step thread stream process
"""


if __name__ == "__main__":
    STEPSCOPE = sys.argv.pop(1)
    if not TRACES.is_dir():
        print(f"skipped: no real traces in {TRACES}")
        sys.exit(SKIPPED)
    unittest.main()
