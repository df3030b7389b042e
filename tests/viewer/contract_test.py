#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks `stepscope view` for everything and compares each answer, field by
field, with the types that the page is compiled with. Faults are planted into
the answers first, each of which must be named.

usage: contract_test.py PROGRAM ANSWERS.ts SERVING_TRACE SERVING [TRACE...]

SERVING_TRACE makes a capture of a server of SERVING.json.gz and its truth.
"""

import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

PROGRAM, ANSWERS, SERVING_TRACE, SERVING = sys.argv[1:5]
TRACES = [path for path in sys.argv[5:] if pathlib.Path(path).exists()]
NOT_ASKED = {"cancel"}  # answers as `open`, and would stop what is asked about
TABLES = []
PRIMITIVES = {"string": str, "number": (int, float), "boolean": bool}


class Contract:
    def __init__(self, text):
        self.alias, self.fields, self.open = {}, {}, set()
        for name, kinds in re.findall(r"^export type (\w+) = ([^;]*);$", text,
                                      re.M):
            self.alias[name] = " ".join(kinds.split())
        for name, more, body in re.findall(
                r"^export interface (\w+) \{(  // and more)?\n(.*?)^\}", text,
                re.M | re.S):
            self.fields[name] = {
                key: (kind, bool(optional)) for key, optional, kind
                in re.findall(r"^  (\w+)(\??): (.*);$", body, re.M)}
            if more:
                self.open.add(name)

    def problems(self, value, kind, where):
        """What of `value` is not of the type `kind`."""
        kind = self.alias.get(kind, kind)
        if " | " in kind and not kind.endswith(")[]"):
            found = [self.problems(value, one, where)
                     for one in kind.split(" | ")]
            return [] if [] in found else found[0]
        if kind == "unknown" or kind == json.dumps(value):
            return []
        if kind.endswith("[]"):
            inner = kind[:-2].strip("()")
            if not isinstance(value, list):
                return [f"{where}: {value!r} is no list"]
            if inner.startswith("["):
                parts = inner[1:-1].split(", ")
                wrong = [one for one in value if not isinstance(one, list)
                         or len(one) != len(parts)]
                return [f"{where}: {one!r} is no {inner}" for one in wrong] or [
                    said for one in value for cell, part in zip(one, parts)
                    for said in self.problems(cell, part, where)]
            return [said for i, one in enumerate(value)
                    for said in self.problems(one, inner, f"{where}[{i}]")]
        if kind.startswith("Record<"):
            return [] if isinstance(value, dict) else [f"{where}: no object"]
        if kind in PRIMITIVES:
            right = isinstance(value, PRIMITIVES[kind]) and (
                kind == "boolean" or not isinstance(value, bool))
            return [] if right else [f"{where}: {value!r} is no {kind}"]
        if kind not in self.fields:
            return [f"{where}: {value!r} is no {kind}"]
        return self.object_problems(value, kind, where)

    def object_problems(self, value, kind, where):
        if not isinstance(value, dict):
            return [f"{where}: {value!r} is no {kind}"]
        found = []
        for key, (inner, optional) in self.fields[kind].items():
            if key in value:
                found += self.problems(value[key], inner, f"{where}.{key}")
            elif not optional:
                found.append(f"{where}.{key}: missing in {kind}")
        if kind not in self.open:
            found += [f"{where}.{key}: not declared in {kind}"
                      for key in value if key not in self.fields[kind]]
        return found


class Server:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [PROGRAM, "view", folder, "--no-browser", "--port", "0"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = ""
        for line in self.process.stdout:
            said += line
            if match := re.search(r"(http://\S+/)#token=(\S+)", line):
                self.base, self.token = match.groups()
                return
        raise RuntimeError(f"no address: {said}")

    def ask(self, path, method="GET", body=None, **params):
        query = urllib.parse.urlencode(
            {key: value for key, value in params.items() if value is not None},
            doseq=True)
        request = urllib.request.Request(
            f"{self.base}api/v1/{path}?{query}", method=method, data=body,
            headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read().decode()

    def get(self, path, **params):
        return json.loads(self.ask(path, **params))


def small_trace():
    """Steps, operators, launches, kernels, copies, memory and a counter."""
    events = []

    def add(name, start, length, tid=1, cat="cpu_op", **args):
        events.append({"ph": "X", "name": name, "cat": cat, "pid": 7,
                       "tid": tid, "ts": start, "dur": length, "args": args})

    for step in range(8):
        at = 1000 * step
        add(f"ProfilerStep#{step}", at, 990, cat="user_annotation")
        add("enumerate(DataLoader)#_SingleProcess.__next__", at + 5, 90)
        add("aten::linear", at + 100, 500)
        add("aten::addmm", at + 110, 400)
        add("cudaLaunchKernel", at + 150, 20, cat="cuda_runtime",
            correlation=step + 1)
        add("void gemm<float>(float*)", at + 300, 200, tid=20, cat="kernel",
            correlation=step + 1, device=0, stream=20, grid=[8, 1, 1],
            block=[128, 1, 1])
        add("cudaDeviceSynchronize", at + 620, 50, cat="cuda_runtime")
        events.append({"ph": "i", "name": "[memory]",
                       "cat": "cpu_instant_event", "pid": 7, "tid": 1, "ts": at + 120, "s": "t", "args": {
                           "Bytes": 512, "Total Allocated": 512 * (step + 1),
                           "Total Reserved": 8192, "Device Id": 0,
                           "Device Type": 1, "Addr": 4096 + step}})
        events.append({"ph": "C", "name": "loss", "pid": 7, "tid": 1,
                       "ts": at, "args": {"loss": step}})
    return {"schemaVersion": 1, "traceEvents": events,
            "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 8}]}


def answers_about(server, window):
    """(request, answer) of everything about one trace."""
    t = window["t"]
    yield "open", json.loads(server.ask("open", method="POST", t=t))
    lines = [json.loads(line)
             for line in server.ask("progress", t=t).splitlines()]
    yield from (("progress", line) for line in lines)
    if lines[-1]["state"] != "ready":
        return

    def asked(path, **params):
        return path, server.get(path, t=t, **params)

    _, trace = asked("trace")
    yield "trace", trace
    yield asked("names")
    span = trace["span_ns"]
    boxes = [one["id"] for one in trace["tracks"] if one["events"] > 0]
    for row in sorted({min(trace["events"] - 1, i * trace["events"] // 40)
                       for i in range(40)}):
        yield asked("event", row=row)
    for text in ("gemm", "aten", "launch"):
        found = asked("find", q=text)
        if found[1]["count"] > 0:
            yield found
            yield asked("locate", table="advice", name=found[1]["name"])
            yield asked("hits", q=text)
    yield asked("select", t0=0, t1=span, tracks=",".join(map(str, boxes)))
    for track in boxes:
        yield asked("mark", track=track, depth=0, t0=0, t1=span)
    for one in trace["tracks"]:
        if one["kind"] == "stream":
            yield asked("idle", track=one["id"])
        elif one["id"] not in boxes:
            yield asked("counter", track=one["id"])
    yield asked("host_busy")
    yield asked("flame", by="host")
    yield asked("flame", by="device", inverted=1)
    yield asked("memory")
    for place in server.get("memory", t=t)["places"]:
        for by in ("operator", "module", "line", "category"):
            yield asked("memory_area", place=place["id"], by=by, px=50)
        yield asked("memory_box", place=place["id"], id=0)
        yield asked("memory_held", place=place["id"])
        yield asked("memory_held", place=place["id"], at=span,
                    other_event=place["peak_event"])
    yield asked("serves")
    if server.get("serves", t=t)["requests"] > 1:
        for path, params in (
                ("serving", {}), ("requests", {}), ("iterations", {}),
                ("iterations", {"t0": 0, "t1": span, "px": 7, "request": 1}),
                ("iteration", {"index": 0}), ("request", {"index": 1}),
                ("iteration_work", {"request": 1})):
            yield asked(path, **params)
    for path, params in (
            ("critical", {}), ("summary", {}), ("advise", {}),
            ("whatif", {"change": ["no_sync", "graph"]}),
            ("compare", {"a": t, "b": t}),
            *(("table", {"name": name}) for name in TABLES)):
        try:
            yield asked(path, **params)
            if path == "table":
                table = server.get(path, t=t, **params)
                keys = [column["key"] for column in table["columns"]]
                yield from ((params["name"], dict(zip(keys, row)))
                            for row in table["rows"])
        except urllib.error.HTTPError as error:
            if error.code >= 500:
                raise


def answers_about_jobs(server, runs):
    """(request, answer) of the list of traces, and of a run's ranks."""
    yield "traces", server.get("traces")
    for run in runs["runs"]:
        if not run["all"]:
            continue
        t = run["all"]["t"]
        yield "read", json.loads(server.ask("read", method="POST", t=t))
        while True:
            job = server.get("job", t=t)
            yield "job", job
            if job["state"] == "ready":
                break
        yield "job_steps", server.get("job_steps", t=t)
        yield "heat", server.get("heat", t=t, measure="step_ns")
    yield "traces", server.get("traces")


def answers_about_sql(server, t):
    """(request, answer) of SQL, where DuckDB is there."""
    schema = server.get("sql_schema")
    yield "sql_schema", schema
    if schema["available"]:
        yield "sql", server.get("sql", t=t, q="SELECT * FROM events LIMIT 3",
                                id="1")
    else:
        NOT_ASKED.add("sql")
    yield "sql_stop", json.loads(server.ask("sql_stop", method="POST", id="1"))


def answer_to_a_dropped_file(server):
    text = json.dumps(small_trace()).encode()
    return "drop", json.loads(server.ask(
        "drop", method="POST", body=text, name="dropped.json",
        bytes=len(text), at=0))


def all_answers(folder):
    server = Server(folder)
    try:
        runs = server.get("runs")
        yield "runs", runs
        yield "tables", server.get("tables")
        yield "changes", server.get("changes")
        for run in runs["runs"]:
            for worker in run["workers"]:
                for window in worker["windows"]:
                    yield from answers_about(server, window)
                    yield "live", server.get("live", t=window["t"])
            if run["all"]:
                yield from answers_about(server, run["all"])
        t = runs["runs"][0]["workers"][0]["windows"][0]["t"]
        server.ask("open", method="POST", t=t)
        server.ask("progress", t=t)
        yield from answers_about_sql(server, t)
        yield answer_to_a_dropped_file(server)
        yield from answers_about_jobs(server, runs)
        yield "runs", server.get("runs")
    finally:
        server.process.terminate()
        server.process.wait()


def planted(contract, kind, answer):
    """Faults in an answer that the contract does not name."""
    first = next(key for key, (_, optional) in contract.fields[kind].items()
                 if not optional and key in answer)
    faults = []
    for what, change in (
            ("missing", lambda a: a.pop(first)),
            ("is no", lambda a: a.update({first: [[]]})),
            *([] if kind in contract.open else
              [("not declared", lambda a: a.update(planted=1))])):
        wrong = copy.deepcopy(answer)
        change(wrong)
        if not any(what in said for said in
                   contract.problems(wrong, kind, kind)):
            faults.append(f"{kind}: planted, and not caught: {what}")
    return faults


def main():
    contract = Contract(pathlib.Path(ANSWERS).read_text())
    answers = contract.fields["Answers"] | contract.fields["TableRows"]
    TABLES.extend(contract.fields["TableRows"])
    failures, seen = [], {}
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "small.json").write_text(
            json.dumps(small_trace()))
        serving = pathlib.Path(folder) / "serving"
        serving.mkdir()
        subprocess.run([SERVING_TRACE, f"{SERVING}.json.gz",
                        f"{SERVING}.truth.json",
                        serving / "server.sscap"], check=True)
        for trace in TRACES:  # ranks of one job are one run
            run = pathlib.Path(folder) / re.sub(r"(_rank.*)?\..*", "",
                                                pathlib.Path(trace).name)
            run.mkdir(exist_ok=True)
            shutil.copy(trace, run)
        for request, answer in all_answers(folder):
            kind, _ = answers[request]
            found = contract.problems(answer, kind, request)
            if found:
                failures += found[:5]
            elif request not in seen:
                failures += planted(contract, kind, answer)
            seen[request] = seen.get(request, 0) + 1
    failures = sorted(set(re.sub(r"\[\d+\]", "[]", one) for one in failures))
    failures += [f"{request}: never asked for"
                 for request in answers.keys() - seen
                 if request not in NOT_ASKED]
    print("\n".join(failures))
    print(f"contract: {sum(seen.values())} answers to {len(seen)} requests, "
          f"{len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
