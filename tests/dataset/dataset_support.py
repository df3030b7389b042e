# SPDX-License-Identifier: Apache-2.0
"""What the tests of datasets share: made-up ranks, and reading tables."""

import collections
import json
import os
import pathlib
import subprocess
import sys

PROGRAM, TRACES, PYARROW = sys.argv[1:4]
TABLES = ["events", "tracks", "args", "flows", "counters", "memory", "steps",
          "collectives", "ledger", "ranks"]
SKIPPED = 77


def run(*arguments, **more):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True,
                          text=True, check=False, **more)


def convert(dataset, *inputs):
    return run("convert", *inputs, "-o", dataset, "--to", "parquet")


def need():
    """Ends the test, as skipped, where something it needs is missing."""
    if not os.path.isdir(PYARROW):
        print("skipped: no pyarrow (tools/bootstrap test fetches it)")
        sys.exit(SKIPPED)
    sys.path.insert(0, PYARROW)
    probe = run("convert", "/dev/null", "-o", "/dev/null/x", "--to", "parquet")
    if "DuckDB" in probe.stderr:
        print("skipped: " + probe.stderr.strip())
        sys.exit(SKIPPED)


def table(dataset, name):
    """The rows of a table, as any user of pyarrow reads them."""
    import pyarrow.parquet
    return pyarrow.parquet.read_table(f"{dataset}/{name}").to_pylist()


def everything(dataset, but=()):
    """All rows of all tables, in an order of their own."""
    rows = {}
    for name in TABLES:
        rows[name] = sorted(
            json.dumps({key: value for key, value in row.items()
                        if key not in but}, sort_keys=True)
            for row in table(dataset, name))
    return rows


def hidden(dataset):
    """What a writer at work keeps beside the tables."""
    return sorted(path.name for path in pathlib.Path(dataset).iterdir()
                  if path.name.startswith("_"))


SETTLED = ["_lock", "_stepscope_dataset.json"]


def rank_trace(rank, ranks=4, steps=6, skew_us=0.0, pid=None, begin_us=0.0,
               mark="aten::mm", period_us=10000.0):
    """What torch.profiler writes of a rank; times as its clock shows them."""
    events = []

    def add(category, name, thread, start, end, **args):
        events.append({"ph": "X", "cat": category, "name": name,
                       "pid": pid or 500 + rank, "tid": thread,
                       "ts": 1000.0 + begin_us + skew_us + start,
                       "dur": end - start, "args": args})

    for step in range(steps):
        now = step * period_us
        add("user_annotation", f"ProfilerStep#{step}", 1, now, now + 9000)
        add("cpu_op", mark, 1, now + 10, now + 4900 + rank)
        add("cpu_op", "aten::add", 1, now + 20, now + 40)
        add("user_annotation", "gloo:all_reduce", 2, now + 5000 + 40 * rank,
            now + 7000, **{"Input Dims": [[1000]], "Input type": ["float"]})
    return {"schemaVersion": 1, "baseTimeNanoseconds": 1790857026000000000,
            "distributedInfo": {"backend": "gloo", "rank": rank,
                                "world_size": ranks},
            "traceEvents": events}


def write_rank(folder, rank, **options):
    path = pathlib.Path(folder) / f"rank{rank}.json"
    path.write_text(json.dumps(rank_trace(rank, **options)))
    return path


def sums(rows, key="name", value="dur_ns"):
    total = collections.Counter()
    for row in rows:
        total[row[key]] += row[value]
    return dict(total)
