#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `stepscope whatif --memory` with what torch's allocator really
reserves under other settings.

usage: settings_runs.py record FOLDER [--at-once N]
       settings_runs.py compare FOLDER [--stepscope PROGRAM]

record   needs an NVIDIA GPU and torch. Trains a small transformer on batches
         of changing length and decodes with it, once with torch's own settings
         and a memory snapshot, then once for each of ten settings, each in a
         process of its own. Takes less than a minute. Leaves base.pickle and
         truth.json in FOLDER.
compare  needs neither: predicts each run from base.pickle, and prints by how
         much it is off. Exit status 1 unless nine in ten are within 2 %.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

SETTINGS = [
    "expandable_segments:True",
    "max_split_size_mb:32",
    "max_split_size_mb:256",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:[64:8,256:4,512:2,>:1]",
    "garbage_collection_threshold:0.5",
    "garbage_collection_threshold:0.7",
    "garbage_collection_threshold:0.6,max_split_size_mb:128",
    "roundup_power2_divisions:8,max_split_size_mb:64",
    "expandable_segments:True,roundup_power2_divisions:4",
]
# What the allocator may reserve. A garbage_collection_threshold is a share of
# it, and has no effect without it.
LIMIT = 10 << 30
LENGTHS = [512, 384, 640, 256, 896, 448, 768, 320]
LARGEST_FILE = 16 << 20
TOLERANCE = 0.02


def run_model(torch):
    """The same calls in the same order, whatever the settings."""
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(
        1024, 16, 4096, dropout=0.1, batch_first=True, device="cuda")
    model = torch.nn.Sequential(
        torch.nn.Embedding(8000, 1024, device="cuda"),
        torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False),
        torch.nn.Linear(1024, 8000, device="cuda"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    kept = []  # Lives over several steps, as logged outputs do.
    for step, length in enumerate(LENGTHS):
        tokens = torch.randint(0, 8000, (8, length), device="cuda")
        logits = model(tokens)
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        kept.append(logits.detach()[:, : 16 * (1 + step % 3)].clone())
        if len(kept) > 3:
            kept.pop(0)
        del logits, loss
    model.eval()
    with torch.no_grad():
        cache = torch.zeros(8, 16, 64, 1024, device="cuda")
        for step in range(48):
            more = torch.ones(8, 16, 8 + step % 5, 1024, device="cuda")
            cache = torch.cat([cache, more], dim=2)
            model(torch.randint(0, 8000, (4, 64 + step), device="cuda"))
    torch.cuda.synchronize()


def child(snapshot):
    """One run: prints what the allocator says, as JSON."""
    import torch

    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(LIMIT / total)
    if snapshot:
        torch.cuda.memory._record_memory_history(
            max_entries=1_000_000, stacks="python")
    error = ""
    try:
        run_model(torch)
    except torch.OutOfMemoryError as out:
        error = str(out).splitlines()[0][:200]
    stats = torch.cuda.memory_stats()
    if snapshot:
        torch.cuda.memory._dump_snapshot(snapshot)
    print(json.dumps({
        "max_memory_reserved": torch.cuda.max_memory_reserved(),
        "max_memory_allocated": torch.cuda.max_memory_allocated(),
        "num_alloc_retries": stats.get("num_alloc_retries", 0),
        "num_ooms": stats.get("num_ooms", 0),
        "error": error,
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(0),
        "limit_bytes": int(LIMIT / total * total),
    }))


def run_child(settings, snapshot=""):
    environment = dict(os.environ)
    # The newer name and the older; only one of them is read.
    for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"):
        environment.pop(name, None)
        if settings:
            environment[name] = settings
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, __file__, "child", snapshot or "-"],
        env=environment, capture_output=True, text=True, timeout=120)
    result = {"settings": settings,
              "seconds": round(time.monotonic() - begun, 1)}
    try:
        result.update(json.loads(done.stdout.strip().splitlines()[-1]))
    except (IndexError, ValueError):
        result["error"] = ("exit status %d: " % done.returncode +
                           done.stderr.strip().rpartition("\n")[2][:200])
    return result


def record(folder, at_once):
    folder.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    snapshot = folder / "base.pickle"
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        base = pool.submit(run_child, "", str(snapshot))
        runs = list(pool.map(run_child, SETTINGS))
        base = base.result()
    if snapshot.exists() and snapshot.stat().st_size > LARGEST_FILE:
        print(f"{snapshot}: larger than {LARGEST_FILE >> 20} MiB; removed")
        snapshot.unlink()
    truth = {"base": base, "runs": runs}
    (folder / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")
    for one in [base, *runs]:
        print("%6.1f s  %14s  %s  %s" % (
            one["seconds"], one.get("max_memory_reserved", "-"),
            one["settings"] or "(defaults)", one.get("error", "")))
    print("%.1f s in all" % (time.monotonic() - begun))
    bad = [one for one in [base, *runs] if "max_memory_reserved" not in one]
    return 1 if bad or not snapshot.exists() else 0


def predict(program, snapshot, settings, limit):
    command = [program, "whatif", "--memory", str(snapshot), "--format", "json",
               "--device-memory", str(limit)]
    for one in settings:
        command += ["--setting", one]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    rows = json.loads(done.stdout)["changes"]
    return {row["change"]: row["peak_reserved_bytes"] for row in rows}


def compare(folder, program):
    truth = json.loads((folder / "truth.json").read_text())
    base = truth["base"]
    if "max_memory_reserved" not in base:
        sys.exit(f"{folder}: the first run failed: " + base["error"])
    runs = [one for one in truth["runs"] if "max_memory_reserved" in one]
    rows = predict(program, next(folder.glob("base.pickle*")),
                   [one["settings"] for one in runs], base["limit_bytes"])
    print("%-55s %14s %14s %8s" % ("settings", "reserved", "predicted", "off"))
    good = 0
    for one in [dict(base, settings="as recorded"), *runs]:
        real = one["max_memory_reserved"]
        off = (rows[one["settings"]] - real) / real
        good += one in runs and abs(off) <= TOLERANCE
        print("%-55s %14d %14d %7.2f%%" % (
            one["settings"], real, rows[one["settings"]], 100 * off))
    print("%d of %d settings within %g %%" % (
        good, len(runs), 100 * TOLERANCE))
    return 0 if runs and good * 10 >= len(runs) * 9 else 1


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "child":
        return child("" if sys.argv[2] == "-" else sys.argv[2])
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--stepscope", default="stepscope")
    arguments = parser.parse_args()
    if arguments.action == "record":
        return record(arguments.folder, arguments.at_once)
    return compare(arguments.folder, arguments.stepscope)


if __name__ == "__main__":
    sys.exit(main())
