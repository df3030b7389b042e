# SPDX-License-Identifier: Apache-2.0
"""Who calls whom in a piece of code: as Python's own profile function sees it,
and as stepscope recorded it. Functions of the calling file only."""

import collections
import sys

import stepscope
import support


def first_mark():
    pass


def last_mark():
    pass


def call(case):
    case()


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)


def expected(case):
    """{(caller, function): calls}. None: called by what surrounds the case."""
    file = case.__code__.co_filename
    edges = collections.Counter()

    def profile(frame, event, argument):
        del argument
        if event != "call" or frame.f_code.co_filename != file:
            return
        caller = frame.f_back
        while caller is not None and caller.f_code.co_filename != file:
            if caller.f_code is call.__code__:
                caller = None
                break
            caller = caller.f_back
        edges[caller and name_of(caller.f_code), name_of(frame.f_code)] += 1

    sys.setprofile(profile)
    try:
        call(case)
    finally:
        sys.setprofile(None)
    return edges


class Nested:
    """An event with the events inside it."""

    def __init__(self, event):
        self.name, _, where = event["name"].partition(" (")
        self.file = where.rpartition(":")[0]
        self.begin = event["ts"]
        self.end = event["ts"] + event["dur"]


def record_functions(work, **options):
    """Events of the Python functions that a call of `work` records."""
    prof = stepscope.Profiler(
        targets=[stepscope.ProfilerTarget.CPU], with_python=options or True,
        on_trace_ready=lambda p: p.export("trace.json"))
    with support.quiet_stdout(), prof:
        work()
    return [event for event in support.read_events("trace.json")
            if " (" in event["name"]]


def recorded(test, case):
    """The same as expected(), from a capture. Fails the test if events overlap
    or the marks around the case are not on one level."""
    def work():
        first_mark()
        call(case)
        last_mark()

    events = [Nested(event) for event in record_functions(work)]
    file = case.__code__.co_filename
    edges = collections.Counter()
    marks = {}
    stack = []
    for event in sorted(events, key=lambda event: (event.begin, -event.end)):
        while stack and stack[-1].end <= event.begin:
            stack.pop()
        if stack:
            test.assertLessEqual(event.end, stack[-1].end + 1e-3,
                                 f"{event.name} overlaps {stack[-1].name}")
        if event.name.endswith("_mark"):
            marks[event.name] = [around.name for around in stack]
        inside = any(around.name == "call" for around in stack)
        if inside and event.file == file:
            caller = [around.name for around in stack if around.file == file
                      and around.begin > marks_end(events)]
            edges[caller[-1] if caller else None, event.name] += 1
        stack.append(event)
    test.assertEqual(marks["first_mark"], marks["last_mark"])
    return edges


def marks_end(events):
    return next(event.end for event in events if event.name == "first_mark")
