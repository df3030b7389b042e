# SPDX-License-Identifier: Apache-2.0
"""Small traces for the tests of load()."""

import json

# Names that must stay text wherever they are shown.
HOSTILE = "</title><script>alert('x')</script><img src=x onerror=y>&amp;\"\n"


def events(steps=4, name="aten::mm"):
    """Steps of 1 ms: operators on a thread, each with a kernel on a stream."""
    out = []
    for step in range(steps):
        start = 1000 * step
        out.append({"ph": "X", "cat": "user_annotation",
                    "name": f"ProfilerStep#{step}", "pid": 1, "tid": 2,
                    "ts": start, "dur": 990})
        for i in range(3):
            launch = 10 * step + i + 1
            out.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1,
                        "tid": 2, "ts": start + 100 * i + 10, "dur": 50})
            out.append({"ph": "X", "cat": "cuda_runtime",
                        "name": "cudaLaunchKernel", "pid": 1, "tid": 2,
                        "ts": start + 100 * i + 20, "dur": 10,
                        "args": {"correlation": launch}})
            out.append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0,
                        "tid": 7, "ts": start + 100 * i + 40, "dur": 30,
                        "args": {"correlation": launch, "device": 0,
                                 "stream": 7}})
    return out


def text(**how):
    return json.dumps({"schemaVersion": 1, "traceEvents": events(**how)})


def write(path, **how):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text(**how))
    return path
