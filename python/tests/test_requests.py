# SPDX-License-Identifier: Apache-2.0
"""request() and iteration(): what is recorded, and for whom."""

import asyncio
import collections
import contextvars
import gc
import pathlib
import random
import threading
import types
import unittest

import guide_blocks
import support
import stepscope

KEY = "stepscope.request"
MEMBERS = "stepscope.members"
GUIDE = (pathlib.Path(__file__).resolve().parents[2] /
         "docs/guide/serving.md")


def numbers(value):
    """A list of integers in a Chrome trace, however it is written there."""
    if isinstance(value, str):
        value = value.strip("[] ").replace(",", " ").split()
    if isinstance(value, int):
        value = [value]
    return [int(number) for number in value]


class Recorded:
    """The requests of a recording, by number."""

    def __init__(self, events):
        self.ids, self.told, self.tokens = {}, {}, collections.Counter()
        self.ends, self.iterations = collections.Counter(), []
        self.errors, self.parents = {}, {}
        for event in events:
            args = event.get("args", {})
            if event["name"].startswith("iteration["):
                flat = numbers(args.get(MEMBERS, []))
                self.iterations.append((event["name"][10:-1], [
                    (flat[i] // 8, flat[i] % 8, flat[i + 1])
                    for i in range(0, len(flat), 2)]))
            if KEY not in args:
                continue
            said = numbers(args[KEY])
            if event["name"] == "request":
                assert said[0] not in self.ids, "announced twice"
                self.ids[said[0]] = args["id"]
                self.told[said[0]] = said[1:]
                self.parents[said[0]] = args.get("traceparent")
            elif event["name"] == "request token":
                for number, count in zip(said[::2], said[1::2]):
                    self.tokens[number] += count
            elif event["name"] == "request end":
                self.ends[said[0]] += 1
                self.errors[said[0]] = args.get("error")

    def number(self, id):
        found = [number for number, known in self.ids.items() if known == id]
        assert len(found) == 1, (id, found)
        return found[0]


class RequestsTest(support.InOwnFolder):
    def record(self, work):
        return Recorded(support.record(work))

    def test_a_request(self):
        def work():
            with stepscope.request("a", tokens=12,
                                   traceparent="00-1-2-01") as request:
                self.assertEqual(request.id, "a")
                self.assertIs(stepscope.current_request(), request)
                request.first_token()
                request.first_token()  # it was there
                request.token()
                request.token(3)
            self.assertTrue(request.ended)
            self.assertIsNone(stepscope.current_request())
            request.token()
            request.end()

        said = self.record(work)
        number = said.number("a")
        self.assertEqual(said.told[number], [12, 0, 0])
        self.assertEqual(said.parents[number], "00-1-2-01")
        self.assertEqual(said.tokens[number], 5)
        self.assertEqual(said.ends[number], 1)
        self.assertIsNone(said.errors[number])

    def test_one_that_fails(self):
        def work():
            with self.assertRaises(KeyError):
                with stepscope.request(7):
                    raise KeyError("no such model")
            stepscope.request("refused").end("Overloaded")

        said = self.record(work)
        self.assertEqual(said.errors[said.number("7")], "KeyError")
        self.assertEqual(said.errors[said.number("refused")], "Overloaded")

    def test_a_thousand_interleaved(self):
        wrong = []

        async def handle(i):
            id = f"request-{i}"
            random.seed(i)
            with stepscope.request(id, tokens=i + 1) as request:
                for _ in range(i % 7):
                    await asyncio.sleep(random.random() / 100)
                    if stepscope.current_request() is not request:
                        wrong.append(id)
                    # Code that was not handed the request.
                    stepscope.current_request().token()
            if stepscope.current_request() is not None:
                wrong.append(id)

        async def serve():
            await asyncio.gather(*[handle(i) for i in range(1000)])

        said = self.record(lambda: asyncio.run(serve()))
        self.assertEqual(wrong, [])
        self.assertEqual(len(said.ids), 1000)
        for number, id in said.ids.items():
            i = int(id.split("-")[1])
            self.assertEqual(said.told[number][0], i + 1)
            self.assertEqual(said.tokens[number], i % 7)
            self.assertEqual(said.ends[number], 1)
        self.assertIsNone(stepscope.current_request())

    def test_what_the_guide_shows(self):
        if not GUIDE.exists():
            self.skipTest(f"no {GUIDE}: the tests run outside a checkout")
        batches = [[types.SimpleNamespace(id="a", kind="prefill", tokens=9)],
                   [types.SimpleNamespace(id="a", kind="decode", tokens=1)]]

        class NothingLeft(Exception):
            pass

        def schedule():
            if not batches:
                raise NothingLeft
            return batches.pop(0)

        class Engine:
            async def generate(self, id, prompt):
                with unittest.TestCase().assertRaises(NothingLeft):
                    shown["engine_loop"]()
                for word in prompt.split():
                    yield word

        shown = {"engine": Engine(), "new_id": lambda: "a",
                 "schedule": schedule, "model": lambda batch: None}
        where, source = next(guide_blocks.blocks_of(str(GUIDE)))
        exec(compile(source, f"{GUIDE}, {where}", "exec"), shown)

        async def ask():
            return [token async for token in shown["handle"](
                "two words", {"traceparent": "00-1-2-01"})]

        said = self.record(
            lambda: self.assertEqual(asyncio.run(ask()), ["two", "words"]))
        number = said.number("a")
        self.assertEqual(said.told[number][0], 9)
        self.assertEqual(said.parents[number], "00-1-2-01")
        self.assertEqual(said.tokens[number], 2)
        self.assertEqual(said.ends[number], 1)
        self.assertEqual(said.iterations, [("prefill", [(number, 1, 9)]),
                                           ("decode", [(number, 2, 1)])])

    def test_threads_and_contexts_of_their_own(self):
        seen = {}

        def thread(i):
            with stepscope.request(f"thread-{i}") as request:
                request.token()
                seen[i] = stepscope.current_request().id

        def work():
            with stepscope.request("main") as request:
                threads = [threading.Thread(target=thread, args=(i,))
                           for i in range(8)]
                for one in threads:
                    one.start()
                for one in threads:
                    one.join()
                self.assertIs(stepscope.current_request(), request)
                left = contextvars.copy_context()
            # It ended: nobody's, also where the context was kept.
            self.assertIsNone(left.run(stepscope.current_request))

        said = self.record(work)
        self.assertEqual(seen, {i: f"thread-{i}" for i in range(8)})
        self.assertEqual(sum(said.tokens.values()), 8)

    def test_nested_in_one_context(self):
        def work():
            with stepscope.request("outer") as outer:
                with stepscope.request("inner"):
                    self.assertEqual(stepscope.current_request().id, "inner")
                self.assertIs(stepscope.current_request(), outer)

        said = self.record(work)
        self.assertEqual(sorted(said.ids.values()), ["inner", "outer"])

    def test_iterations_name_their_requests(self):
        def work():
            known = stepscope.request("known", tokens=5)
            with stepscope.iteration([("known", "prefill", 5)]):
                pass
            with stepscope.iteration([(known, "decode", 1),
                                      ("stranger", "prefill", 3)]):
                pass
            with stepscope.iteration([("stranger", "decode", 1)]):
                pass
            with stepscope.iteration([]):
                pass

        said = self.record(work)
        known, stranger = said.number("known"), said.number("stranger")
        self.assertEqual(said.told[known][2], 0)
        self.assertEqual(said.told[stranger][2], 1)  # named, never told
        self.assertEqual(said.iterations, [
            ("prefill", [(known, 1, 5)]),
            ("mixed", [(known, 2, 1), (stranger, 1, 3)]),
            ("decode", [(stranger, 2, 1)]),
            ("idle", [])])

    def test_ids_that_come_again(self):
        def work():
            for _ in range(3):
                with stepscope.request("again"):
                    with stepscope.iteration([("again", "decode", 1)]):
                        pass

        said = self.record(work)
        self.assertEqual(list(said.ids.values()), ["again"] * 3)
        self.assertEqual([members[0][0] for _, members in said.iterations],
                         sorted(said.ids))

    def test_one_that_began_before_the_recording(self):
        request = stepscope.request("early", tokens=3)
        request.token()
        said = self.record(request.token)
        number = said.number("early")
        self.assertEqual(said.tokens[number], 1)
        self.assertGreater(said.told[number][1], 0)  # its age
        again = self.record(request.end)  # each recording is told
        self.assertEqual(again.ends[again.number("early")], 1)

    def test_what_makes_no_sense(self):
        for bad in (dict(tokens=-1), dict(tokens="7"), dict(traceparent=3),
                    dict(unknown=1)):
            with self.assertRaises((TypeError, ValueError)):
                stepscope.request("a", **bad)
        with self.assertRaises(TypeError):
            stepscope.request()

        def work():
            for members in (None, 3, [None], [("a",)], [("a", "dream", 1)],
                            [("a", "decode", -1)], [("a", "decode", 1 << 80)],
                            [("good", "decode", 1), "bad"]):
                with stepscope.iteration(members):
                    pass

        said = []
        warned = self.warned(lambda: said.append(self.record(work)))
        self.assertLessEqual(len([text for text in warned
                                  if "stepscope.iteration" in text]), 1)
        self.assertIn("good", said[0].ids.values())
        self.assertNotIn("bad", said[0].ids.values())

    def test_any_text_is_an_id(self):
        ids = ["", "\ud800", "ü" * 50, 'a"b\\c\n', "x" * 5000]
        said = self.record(lambda: [stepscope.request(id).end() for id in ids])
        self.assertEqual(len(said.ids), len(ids))

    def test_many_members(self):
        ids = [f"m{i}" for i in range(1000)]

        def work():
            with stepscope.iteration([(id, "decode", 1) for id in ids]):
                pass

        self.assertEqual(len(self.record(work).ids), 1000)

    def test_forgets_what_nobody_ends(self):
        def live():
            gc.collect()
            return sum(type(one).__name__ == "Request"
                       for one in gc.get_objects())

        before = live()
        for i in range(40000):
            stepscope.request(f"never ended {i}")
        self.assertLessEqual(live() - before, 2 * 8192 + 1)


if __name__ == "__main__":
    unittest.main()
