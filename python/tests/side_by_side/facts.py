# SPDX-License-Identifier: Apache-2.0
"""What a user can see of a profiler module, as JSON.

usage: facts.py MODULE        (paddle.profiler or stepscope.profiler)

The same program for both: states, files and what is in them, tables, warnings
and exceptions. Only what does not depend on time. Runs in an empty folder.
"""

import collections
import contextlib
import glob
import importlib
import inspect
import io
import json
import os
import re
import sys
import warnings

profiler = importlib.import_module(sys.argv[1])
CPU = [profiler.ProfilerTarget.CPU]


def said_by(function):
    """Warnings and what was raised, by a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            function()
            raised = None
        except Exception as error:
            raised = [type(error).__name__, str(error)]
    texts = [[warning.category.__name__, " ".join(str(warning.message).split())]
             for warning in caught]
    return {"warnings": texts, "raised": raised}


def work():
    with profiler.RecordEvent("outer"):
        for _ in range(3):
            with profiler.RecordEvent("inner"):
                pass
    event = profiler.RecordEvent("by hand")
    event.begin()
    event.end()


def names():
    out = {"__all__": sorted(profiler.__all__)}
    for name in ("ProfilerState", "ProfilerTarget", "SortedKeys",
                 "SummaryView"):
        out[name] = {key: value.value for key, value
                     in getattr(profiler, name).__members__.items()}
    for owner, name in ((profiler, "make_scheduler"),
                        (profiler, "export_chrome_tracing"),
                        (profiler, "export_protobuf"),
                        (profiler, "load_profiler_result"),
                        (profiler.Profiler, "step"),
                        (profiler.Profiler, "step_info"),
                        (profiler.Profiler, "export"),
                        (profiler.Profiler, "summary")):
        parameters = inspect.signature(getattr(owner, name)).parameters
        out[f"signature of {name}"] = [
            [p.name, p.kind.name, str(p.default)]
            for p in parameters.values()]
    return out


def states():
    out = {}
    for title, arguments in (
            ("repeat", {"closed": 1, "ready": 1, "record": 2, "repeat": 2}),
            ("for ever", {"closed": 1, "ready": 1, "record": 1}),
            ("skip", {"closed": 0, "ready": 2, "record": 2, "repeat": 1,
                      "skip_first": 3})):
        scheduler = profiler.make_scheduler(**arguments)
        out[title] = [scheduler(step).name for step in range(14)]
    for title, scheduler in (("pair", (3, 6)), ("from 0", (0, 2)),
                             ("list", [2, 4])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            prof = profiler.Profiler(targets=CPU, scheduler=scheduler,
                                     on_trace_ready=lambda prof: None)
        seen = [prof.current_state.name]
        prof.start()
        for _ in range(8):
            work()
            prof.step()
            seen.append(prof.current_state.name)
        prof.stop()
        out[title] = [seen, prof.step_num]
        del prof
    return out


def events_of(path):
    """Names and their counts. Paddle adds the duration to the name."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    counts = collections.Counter()
    for event in document["traceEvents"]:
        if event.get("ph") == "X":
            counts[re.sub(r"\[[0-9.]+ (us|ms|s|ns)\]$", "",
                          event["name"])] += 1
    return dict(sorted(counts.items()))


def files():
    out = {}
    for worker in (None, "worker"):
        folder = f"log_{worker}"
        with contextlib.redirect_stdout(io.StringIO()):
            prof = profiler.Profiler(
                targets=CPU,
                scheduler=profiler.make_scheduler(closed=1, ready=1, record=2,
                                                  repeat=2),
                on_trace_ready=profiler.export_chrome_tracing(folder, worker))
            with prof:
                for _ in range(12):
                    work()
                    prof.step()
        paths = sorted(glob.glob(folder + "/*"))
        pattern = (r"host_.+pid_\d+" if worker is None else "worker") + (
            r"_time_\d{4}(_\d\d){5}_\d+\.paddle_trace\.json")
        out[f"names, {worker}"] = [
            bool(re.fullmatch(pattern, os.path.basename(path)))
            for path in paths]
        out[f"events, {worker}"] = [events_of(path) for path in paths]
        del prof
    return out


def trees():
    with contextlib.redirect_stdout(io.StringIO()):
        with profiler.Profiler(
                targets=CPU,
                on_trace_ready=profiler.export_protobuf("pb")) as prof:
            for _ in range(2):
                work()
                prof.step()
    (path,) = glob.glob("pb/*.pb")
    counts = collections.Counter()

    def walk(node, depth):
        counts[f"{depth} {node.name} {node.type.name}"] += 1
        for child in node.children_node:
            walk(child, depth + 1)

    loaded = profiler.load_profiler_result(path)
    for root in loaded.get_data().values():
        for child in root.children_node:
            walk(child, 0)
    del prof
    return {key: counts[key] for key in sorted(counts)}


def tables():
    prof = profiler.Profiler(targets=CPU, on_trace_ready=lambda prof: None)
    with contextlib.redirect_stdout(io.StringIO()):
        with prof:
            for _ in range(4):
                work()
                prof.step()
    out = {}
    for title, options in (("default", {}), ("by thread", {"thread_sep": True}),
                           ("one view", {"views":
                                         profiler.SummaryView.UDFView}),
                           ("no views", {"views": []})):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            prof.summary(**options)
        lines = text.getvalue().splitlines()
        out[title] = {
            "titles": [line.strip("-") for line in lines
                       if re.fullmatch(r"-+[A-Za-z ]+ Summary-+", line)],
            # A name, then a count; in which order, time decides.
            "rows": sorted(match.groups() for match in map(
                re.compile(r"\s*(\S.*?)\s{2,}(\d+)\s").match, lines)
                if match)}
    del prof
    return out


def odd_calls():
    Profiler, states_ = profiler.Profiler, profiler.ProfilerState
    quiet = {"targets": CPU, "on_trace_ready": lambda prof: None}
    calls = {
        "positional": lambda: Profiler(CPU),
        "target that is not there": lambda: Profiler(
            targets=[profiler.ProfilerTarget.XPU]),
        "target that is none": lambda: Profiler(targets=["cpu"]),
        "targets no list": lambda: Profiler(
            targets=profiler.ProfilerTarget.CPU),
        "pair the wrong way": lambda: Profiler(scheduler=(5, 2), **quiet),
        "triple": lambda: Profiler(scheduler=(1, 2, 3), **quiet),
        "from 0": lambda: Profiler(scheduler=(0, 2), **quiet),
        "scheduler raises": lambda: Profiler(scheduler=lambda step: 1 / 0,
                                             **quiet),
        "record 0": lambda: profiler.make_scheduler(closed=1, ready=1,
                                                    record=0),
        "negative": lambda: profiler.make_scheduler(closed=-1, ready=1,
                                                    record=1),
        "missing": lambda: profiler.make_scheduler(closed=1, ready=1),
        "negative step": lambda: profiler.make_scheduler(
            closed=1, ready=1, record=1)(-1),
        "not ready": lambda: profiler.make_scheduler(closed=1, ready=0,
                                                     record=1),
        "wrong type of event": lambda: profiler.RecordEvent(
            "x", "Kernel").begin(),
        "end before begin": lambda: profiler.RecordEvent("x").end(),
        "folder under a file": lambda: profiler.export_chrome_tracing(
            "plain/sub"),
        "load a number": lambda: profiler.load_profiler_result(5),
        "step before start": lambda: Profiler(**quiet).step(),
        "num_samples": lambda: started(lambda prof: prof.step("a")),
        "unit of step_info": lambda: started(lambda prof: (
            prof.step(1), prof.step_info(7))),
        "views of text": lambda: recorded().summary(views="OverView"),
        "sorted_by of text": lambda: recorded().summary(sorted_by="x"),
        "READY to CLOSED": lambda: started(
            lambda prof: prof.step(),
            scheduler=lambda step: (states_.READY if step == 0
                                    else states_.CLOSED)),
        "stop before start": lambda: Profiler(**quiet).stop(),
    }

    def recorded():
        prof = Profiler(**quiet)
        with contextlib.redirect_stdout(io.StringIO()), prof:
            work()
            prof.step()
        return prof

    def started(then, **options):
        prof = Profiler(**{**quiet, **options})
        prof.start()
        try:
            then(prof)
        finally:
            with contextlib.redirect_stdout(io.StringIO()):
                prof.stop()

    with open("plain", "w", encoding="utf-8"):
        pass
    out = {}
    for title, call in calls.items():
        with contextlib.redirect_stdout(io.StringIO()):
            out[title] = said_by(call)
    return out


def main():
    # Pages of Paddle's own log would stand between the lines.
    os.environ.setdefault("GLOG_minloglevel", "3")
    facts = {function.__name__: function()
             for function in (names, states, files, trees, tables, odd_calls)}
    with open("facts.json", "w", encoding="utf-8") as file:
        json.dump(facts, file, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
