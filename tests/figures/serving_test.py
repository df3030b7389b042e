# SPDX-License-Identifier: Apache-2.0
"""Iterations of real servers: marks, counts, and sums without a rest; of a
loop without marks; and none of programs that train.

usage: serving_test.py STEPSCOPE TRACES
"""

import collections
import json
import pathlib
import subprocess
import sys

PROGRAM, TRACES = sys.argv[1], pathlib.Path(sys.argv[2]) / "serving"
FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures/serving"

# Of nobody's loop.
TRAINING = [
    "hta_event_sync.json.gz", "hta_nccl.json.gz", "jax.trace.json.gz",
    "jax.xplane.pb", "kineto_2021_resnet50.pt.trace.json.gz",
    "tf_gpu_worker.xplane.pb", "torch_cnn.json.gz", "torch_cuda_graph.json.gz",
    "torch_ddp_gloo_rank0.json.gz", "torch_resnet50_amp.json.gz",
    "paddle/paddle26_cnn.paddle_trace.json.gz",
    "paddle/paddle33_cnn.paddle_trace.json.gz"]

# Marks, those inside another, iterations by kind.
SEEN = {
    # Nobody marked them, and no shapes were recorded. 12 tokens were made.
    "h200_hf_generate.json.gz": (0, 0, {"unknown": 12}),
    "h200_toy_eager_sync.json.gz":
        (59, 0, {"prefill": 1, "mixed": 18, "decode": 40}),
    # Of its device time, 77 % of a decode runs while the host is in the next
    # iteration: only what launched it tells whose it is.
    "h200_toy_graph_async.json.gz":
        (59, 0, {"prefill": 1, "mixed": 18, "decode": 40}),
    "tracelens_sglang_decode_sglang_Qwen3-8B_decode.json.gz":
        (2, 1, {"decode": 1}),
    "tracelens_vllm_decode_full_graph_execution.json.gz":
        (1, 0, {"decode": 1}),
    "tracelens_vllm_prefilldecode_piecewise_graph_execution.json.gz":
        (1, 0, {"mixed": 1}),
}


def iterations(path):
    done = subprocess.run(
        [PROGRAM, "summary", str(path), "--views", "iterations", "--format",
         "json"], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["iterations"]


def check_sums(table):
    for of in ("kinds", "list"):
        busy = sum(row["gpu_busy_ns"] for row in table[of])
        rest = (table["total_busy_ns"] - busy - table["outside_ns"] -
                table["unknown_ns"])
        assert rest == 0, (of, rest)
    for cause in ("host_inside", "host_between", "queued", "in_graph"):
        assert (sum(row["idle_ns"][cause] for row in table["kinds"]) ==
                sum(row["idle_ns"][cause] for row in table["list"])), cause


def check_truth(table, truth):
    """The server put a known number of kernels more into each iteration, so
    that iterations of one name differ by that alone."""
    assert [row["name"] for row in table["list"]] == [
        one["name"] for one in truth]
    others = collections.defaultdict(set)
    for row, one in zip(table["list"], truth):
        others[row["name"]].add(row["kernels"] - one["spins"])
        context = sum(n for _, kind, n in one["members"] if kind == "ctx")
        generation = sum(n for _, kind, n in one["members"] if kind == "gen")
        assert row["requests"] == len(one["members"]), row
        assert row["tokens_context"] == context, row
        assert row["tokens_generation"] == generation, row
    assert all(len(counts) == 1 for counts in others.values()), others
    # Most names come several times, or this would show nothing.
    assert len(others) * 2 < len(truth), len(others)


def main():
    for name, seen in SEEN.items():
        folder = FIXTURES if (FIXTURES / name).exists() else TRACES
        if not folder.is_dir():
            print(f"skipped: {folder} is not there")
            return 77
        table = iterations(folder / name)
        counts = {row["kind"]: row["count"] for row in table["kinds"]}
        marks = table["marks"]
        assert (marks["seen"], marks["nested"], counts) == seen, (name, marks,
                                                                  counts)
        assert marks["unparsed"] == 0
        for engine in ("SGLang", "vLLM"):
            if f"_{engine.lower()}_" in name:
                assert table["engine"] == engine, (name, table["engine"])
        assert table["rule"].startswith("iterations concluded") == (
            seen[0] == 0), table["rule"]
        check_sums(table)
        truth = folder / name.replace(".json.gz", ".truth.json")
        if truth.exists():
            check_truth(table, json.loads(truth.read_text())[0])
        print(name, "ok")
    for name in TRAINING:
        assert iterations(TRACES.parent / name) is None, name
    return 0


if __name__ == "__main__":
    sys.exit(main())
