#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What requests, iterations and hooks of engines cost from Python.

usage: request_bench.py [ROUNDS]      with stepscope installed

A request with an id of its own and three tokens, an iteration of 64 requests,
and an engine's turn with 64 requests, which schedules, runs and answers, less
what the same turn takes without the hook; while something records and while
nothing does. The least CPU time of the rounds, beside that of `with` on a lock.
Wanted: at most 2 us a request and 20 us an iteration or a turn. The engines are
the stand-ins of python/tests/engines.py.
"""

import pathlib
import sys
import tempfile
import threading
import time
import types

import stepscope

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] /
                    "python/tests"))
import engines  # noqa: E402

REQUESTS, TURNS, LOCKS = 2000, 100, 20000
IDS = [f"request number {i}" for i in range(64)]


def requests():
    for i in range(REQUESTS):
        with stepscope.request(f"r{i}", tokens=12) as request:
            request.first_token()
            request.token()
            request.token()


def iterations():
    for _ in range(TURNS):
        with stepscope.iteration([(id, "decode", 1) for id in IDS]):
            pass


LOCK = threading.Lock()


def locks():
    for _ in range(LOCKS):
        with LOCK:
            pass


def vllm(reads=0):
    """Turns of a batch in which so many prompts are read, in pieces, and the
    others decode; and what came before them."""
    scheduler, worker = engines.make_vllm()
    outputs = [engines.answer(id, [7]) for id in IDS[reads:]]
    made = engines.SchedulerOutput(
        [], engines.CachedRequestData(
            IDS, set(), [9] * 64, [0] * reads + [3] * (64 - reads)),
        dict.fromkeys(IDS, 1), {})

    def begin():
        for id in IDS:
            scheduler.add_request(types.SimpleNamespace(
                request_id=id, num_prompt_tokens=9))

    def turns():
        for _ in range(TURNS):
            worker.execute_model(made)
            scheduler.update_from_output(made, outputs)

    return begin, turns


def sglang(reads=0):
    scheduler = engines.make_sglang()
    requests = [engines.Req(id, 9, 1 << 40) for id in IDS]
    batch = engines.ScheduleBatch("DECODE", requests) if reads == 0 else (
        engines.ScheduleBatch("MIXED", requests, [1] * 64, requests[reads:]))

    def begin():
        for request in batch.reqs:
            scheduler._add_request_to_queue(request)

    def turns():
        for _ in range(TURNS):
            scheduler.run_batch(batch)
            scheduler.process_batch_result(batch, None)

    return begin, turns


def trtllm():
    executor = engines.make_trtllm()
    scheduled = types.SimpleNamespace(
        context_requests=[],
        generation_requests=[types.SimpleNamespace(
            py_request_id=i, py_draft_tokens=[]) for i in range(64)])

    def turns():
        for _ in range(TURNS):
            executor._forward_step(scheduled)

    return lambda: None, turns


ENGINES = (("vllm", "vllm", vllm),
           ("vllm, one prompt", "vllm", lambda: vllm(1)),
           ("sglang", "sglang", sglang),
           ("sglang, one prompt", "sglang", lambda: sglang(1)),
           ("trtllm", "trtllm", trtllm))


def least(work, count, rounds):
    times = []
    for _ in range(rounds):
        begin = time.thread_time_ns()
        work()
        times.append((time.thread_time_ns() - begin) / count)
    return min(times)


def hooked(rounds):
    """(name, turns, what they take without the hook) of each engine."""
    found = []
    for name, engine, make in ENGINES:
        alone = least(make()[1], TURNS, rounds)
        begin, turns = make()
        stepscope._hooks._installed.discard(engine)
        stepscope.hook(engine)
        found.append((name, begin, turns, alone))
    return found


def show(when, rounds, engine_turns):
    lock = least(locks, LOCKS, rounds)
    works = [("request, three tokens", requests, REQUESTS, 0),
             ("iteration of 64", iterations, TURNS, 0)]
    for name, begin, turns, alone in engine_turns:
        begin()
        works.append((f"hook: {name}", turns, TURNS, alone))
    for name, work, count, alone in works:
        cost = least(work, count, rounds) - alone
        print(f"{name:26}{when:10}{cost / 1e3:8.2f} us {cost / lock:8.1f} x "
              f"a lock ({lock:.0f} ns)")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    engine_turns = hooked(rounds)
    show("off", rounds, engine_turns)
    with tempfile.TemporaryDirectory() as folder:
        with stepscope.Profiler(
                on_trace_ready=stepscope.export_capture(folder)):
            show("recording", rounds, engine_turns)


if __name__ == "__main__":
    main()
