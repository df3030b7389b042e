#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server with continuous batching on a GPU, whose truth is known.

usage: toy_server.py ARM MODE OUT      (started by serving_check.py)

ARM is `torch` (marked as vLLM marks, under torch.profiler), `marks` (the same,
for `stepscope run`) or `requests` (marked by stepscope.request() and
stepscope.iteration()). MODE is `eager` or `graph`: then tokens are made by a
captured graph and the host works one iteration ahead. 14 requests arrive over
time; each iteration ends with 1 to 7 kernels that do nothing but spin, so that
its kernels can be told from its neighbours'. OUT.truth.json says what happened.
"""

import contextlib
import json
import sys
import time

import torch
import torch.nn.functional as functional

ARM, MODE, OUT = sys.argv[1:4]
AHEAD = int(MODE == "graph")
WIDTH, HEADS, SLOTS, LONGEST, BUDGET = 1024, 16, 8, 1024, 256
if ARM == "requests":
    import stepscope

device = "cuda"
torch.manual_seed(0)


def parameter(*shape):
    return torch.randn(*shape, device=device, dtype=torch.bfloat16) * 0.02


embedding = parameter(8192, WIDTH)
layers = [(parameter(WIDTH, 3 * WIDTH), parameter(WIDTH, WIDTH),
           parameter(WIDTH, 4 * WIDTH), parameter(4 * WIDTH, WIDTH),
           parameter(SLOTS + 1, HEADS, LONGEST, 64),
           parameter(SLOTS + 1, HEADS, LONGEST, 64)) for _ in range(4)]
positions = torch.arange(LONGEST, device=device)
last_token = torch.zeros(SLOTS + 1, dtype=torch.long, device=device)


def forward(tokens, slots, at, slot=0, end=0):
    """Reads `tokens`: `end` of them of one slot, or, 0, one of each slot."""
    x = embedding[tokens]
    count = len(tokens)
    for qkv, out, up, down, keys, values in layers:
        q, k, v = (functional.rms_norm(x, (WIDTH,)) @ qkv).view(
            count, 3, HEADS, 64).unbind(1)
        keys[slots, :, at], values[slots, :, at] = k, v
        if end:
            y = functional.scaled_dot_product_attention(
                q.transpose(0, 1)[None], keys[slot:slot + 1, :, :end],
                values[slot:slot + 1, :, :end],
                attn_mask=at[:, None] >= positions[:end])[0].transpose(0, 1)
        else:
            y = functional.scaled_dot_product_attention(
                q[:, :, None], keys[slots], values[slots],
                attn_mask=(at[:, None] >= positions)[:, None, None])
        x = x + y.reshape(count, WIDTH) @ out
        x = x + functional.silu(functional.rms_norm(x, (WIDTH,)) @ up) @ down
    return x


def decode(slots, at):
    last_token[slots] = (
        forward(last_token[slots], slots, at) @ embedding.T).argmax(-1)


graph_slots = torch.full((SLOTS,), SLOTS, device=device)
graph_at = torch.zeros(SLOTS, dtype=torch.long, device=device)
decode(graph_slots, graph_at)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    decode(graph_slots, graph_at)
answers = torch.zeros(2, SLOTS + 1, dtype=torch.long, pin_memory=True)
answered = [torch.cuda.Event() for _ in range(2)]


class Job:
    def __init__(self, number, prompt, wanted):
        self.id, self.prompt, self.wanted = f"r{number}", prompt, wanted
        self.done = 0  # positions that are in the cache
        self.request = None


def marked(name, members):
    if ARM == "warm":
        return contextlib.nullcontext()
    if ARM != "requests":
        return torch.profiler.record_function(name)
    return stepscope.iteration([
        (id, "prefill" if kind == "ctx" else "decode", tokens)
        for id, kind, tokens in members])


def serve():
    arriving = [(r * 3, Job(r, 40 + r * 53 % 400, 4 + r * 5 % 17))
                for r in range(14)]
    active, truth, turn = {}, [], 0
    while arriving or active:
        begin = time.time_ns()
        while arriving and arriving[0][0] <= turn and len(active) < SLOTS:
            job = arriving.pop(0)[1]
            active[min(set(range(SLOTS)) - set(active))] = job
            if ARM == "requests":
                job.request = stepscope.request(job.id, tokens=job.prompt)
        making = [s for s, job in active.items() if job.done >= job.prompt]
        budget, reading = BUDGET - len(making), []
        for slot, job in active.items():
            count = min(budget, job.prompt - job.done)
            if count > 0:
                reading.append((slot, count))
                budget -= count
        name = "execute_context_%d(%d)_generation_%d(%d)" % (
            len(reading), sum(count for _, count in reading),
            len(making), len(making))
        members = ([[active[s].id, "ctx", n] for s, n in reading] +
                   [[active[s].id, "gen", 1] for s in making])
        ends, spins = [], turn % 7 + 1
        with marked(name, members):
            for slot, count in reading:
                at = active[slot].done
                ends.append((slot, forward(
                    positions[:count], positions[:count] * 0 + slot,
                    positions[at:at + count], slot, at + count)[-1:]))
            if making:
                pad = (SLOTS - len(making)) * AHEAD
                slots, at = [
                    torch.tensor(values).pin_memory().to(
                        device, non_blocking=True)
                    for values in (making + [SLOTS] * pad,
                                   [active[s].done for s in making] +
                                   [0] * pad)]
                if AHEAD:
                    graph_slots.copy_(slots)
                    graph_at.copy_(at)
                    graph.replay()
                else:
                    decode(slots, at)
        with (torch.profiler.record_function("sample")
              if ARM != "requests" else contextlib.nullcontext()):
            for slot, x in ends:
                last_token[slot] = (x @ embedding.T).argmax(-1)[0]
            for _ in range(spins):
                torch.cuda._sleep(20000)
            answers[turn % 2].copy_(last_token, non_blocking=True)
            answered[turn % 2].record()
            answered[(turn - AHEAD) % 2].synchronize()
        truth.append({"name": name, "spins": spins, "members": members,
                      "ns": time.time_ns() - begin})
        for slot, count in reading:
            job = active[slot]
            job.done += count
            if job.request is not None and job.done == job.prompt:
                job.request.token()
        for slot in making:
            job = active[slot]
            job.done += 1
            job.wanted -= 1
            if job.request is not None:
                job.request.token()
            if job.wanted == 0:
                if job.request is not None:
                    job.request.end()
                del active[slot]
        turn += 1
    torch.cuda.synchronize()
    return truth


def settle():
    """Allocates what the loop needs, before anything is looked at."""
    global ARM
    arm, ARM = ARM, "warm"
    serve()
    unprofiled = serve()
    ARM = arm
    return unprofiled


def main():
    plain = settle()
    if ARM == "torch":
        with torch.profiler.profile() as profiler:
            truth = serve()
        profiler.export_chrome_trace(OUT + ".json.gz")
    else:
        with torch.profiler.record_function("toy: the loop begins"):
            torch.cuda.synchronize()
        truth = serve()
    with open(OUT + ".truth.json", "w", encoding="utf-8") as file:
        json.dump([truth, plain], file)


if __name__ == "__main__":
    main()
