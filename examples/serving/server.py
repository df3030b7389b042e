#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small inference server with continuous batching, without a GPU.

usage: stepscope run --no-gpu -- python server.py [REQUESTS]

Clients are asyncio tasks; the engine is a thread that takes what has arrived,
reads prompts in chunks of 64 tokens beside those that decode, and gives one
token to each request per iteration. The model is a matrix that is multiplied in
plain Python, so that a token costs something and nothing has to be installed.
"""

import asyncio
import random
import sys
import threading

import stepscope

CHUNK = 64
MOST = 8  # requests in a batch


class Work:
    """A request inside the engine."""

    def __init__(self, request, prompt, wanted):
        self.request = request
        self.left = prompt  # tokens of the prompt that were not read
        self.wanted = wanted
        self.loop = asyncio.get_running_loop()
        self.done = self.loop.create_future()

    def finish(self):
        self.loop.call_soon_threadsafe(self.done.set_result, None)


class Engine(threading.Thread):
    def __init__(self):
        super().__init__(name="engine", daemon=True)
        self.waiting = []
        self.arrived = threading.Condition()

    def add(self, work):
        with self.arrived:
            self.waiting.append(work)
            self.arrived.notify()

    def schedule(self, running):
        """What the next iteration does for whom: (work, kind, tokens)."""
        with self.arrived:
            if not running:
                self.arrived.wait_for(lambda: self.waiting)
            while self.waiting and len(running) < MOST:
                running.append(self.waiting.pop(0))
        budget = CHUNK
        batch = []
        for work in running:
            if work.left == 0:
                batch.append((work, "decode", 1))
            elif budget > 0:
                tokens = min(budget, work.left)
                batch.append((work, "prefill", tokens))
                budget -= tokens
        return batch

    def run(self):
        running = []
        while True:
            batch = self.schedule(running)
            with stepscope.iteration([(work.request.id, kind, tokens)
                                      for work, kind, tokens in batch]):
                model(sum(tokens for _, _, tokens in batch))
            for work, kind, tokens in batch:
                if kind == "prefill":
                    work.left -= tokens
                    if work.left > 0:
                        continue
                work.request.token()
                work.wanted -= 1
                if work.wanted == 0:
                    running.remove(work)
                    work.finish()


WEIGHTS = [[random.random() for _ in range(16)] for _ in range(16)]


def model(tokens):
    row = [1.0] * 16
    for _ in range(tokens):
        row = [sum(a * b for a, b in zip(row, weights)) % 1.0
               for weights in WEIGHTS]
    return row


async def client(engine, number):
    await asyncio.sleep(number * 0.002)
    prompt = 20 + number * 53 % 200
    with stepscope.request(f"request-{number}", tokens=prompt) as request:
        work = Work(request, prompt, wanted=4 + number % 13)
        engine.add(work)
        await work.done


async def main(requests):
    engine = Engine()
    engine.start()
    await asyncio.gather(*[client(engine, i) for i in range(requests)])


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40))
