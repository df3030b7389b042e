# SPDX-License-Identifier: Apache-2.0
"""Hooks beside stand-ins of the engines."""

import contextlib
import io
import os
import sys
import types
import unittest

import support
import stepscope
from engines import (
    CachedRequestData, NewRequestData, Req, ScheduleBatch, SchedulerOutput,
    answer, make_sglang, make_trtllm, make_vllm)
from stepscope import _hooks
from test_requests import Recorded


class HooksTest(support.InOwnFolder):
    def setUp(self):
        super().setUp()
        before = dict(sys.modules)
        variable = os.environ.pop("STEPSCOPE_HOOK", None)

        def restore():
            for name in set(sys.modules) - set(before):
                if name.split(".")[0] in ("vllm", "sglang", "tensorrt_llm"):
                    del sys.modules[name]
            _hooks._installed.clear()
            os.environ.pop("STEPSCOPE_HOOK", None)
            if variable is not None:
                os.environ["STEPSCOPE_HOOK"] = variable

        self.addCleanup(restore)

    def record(self, work):
        return Recorded(support.record(work))

    def test_vllm(self):
        scheduler, worker = make_vllm()
        stepscope.hook("vllm")
        stepscope.hook("vllm")  # once is enough

        def request(id, prompt):
            return types.SimpleNamespace(
                request_id=id, num_prompt_tokens=prompt,
                trace_headers={"traceparent": "00-a"} if id == "a" else None)

        def run(new, cached, tokens, spec=(), resumed=()):
            made = SchedulerOutput(
                [NewRequestData(id) for id in new],
                CachedRequestData([id for id, _ in cached], set(resumed),
                                  [0] * len(cached), [n for _, n in cached]),
                tokens, {id: [1] for id in spec})
            self.assertEqual(worker.execute_model(made), "ran")
            return made

        def work():
            scheduler.add_request(request("a", 30))
            scheduler.add_request(request("b", 4))
            scheduler.add_request(request("c", 4))
            made = run(["a", "b"], [], {"a": 20, "b": 4})
            scheduler.update_from_output(made, [answer("b", [7])])
            # "a" is still read; "b" decodes two proposed tokens
            made = run([], [("a", 0), ("b", 1)], {"a": 10, "b": 3},
                       spec=["b"])
            scheduler.update_from_output(
                made, [answer("a", [8]), answer("b", [8, 9], "stop")])
            run([], [("a", 1)], {"a": 31}, resumed=["a"])
            run([], [], {})  # nothing to do: no iteration
            scheduler.finish_requests(["c"], None)

        said = self.record(work)
        a, b, c = (said.number(id) for id in "abc")
        self.assertEqual(said.parents[a], "00-a")
        self.assertEqual(said.told[a][0], 30)
        self.assertEqual((said.tokens[a], said.tokens[b]), (1, 3))
        self.assertEqual((said.ends[a], said.ends[b], said.ends[c]), (0, 1, 1))
        self.assertEqual(said.errors[c], "abort")
        self.assertEqual(said.iterations, [
            ("prefill", [(a, 1, 20), (b, 1, 4)]),
            ("mixed", [(a, 1, 10), (b, 3, 3)]),
            ("prefill", [(a, 1, 31)])])

    def test_sglang(self):
        scheduler = make_sglang()
        stepscope.hook("sglang")
        a, b = Req("a", 9, 2), Req("b", 5, 9)

        def step(*batch):
            made = ScheduleBatch(*batch)
            self.assertEqual(scheduler.run_batch(made), "result")
            scheduler.process_batch_result(made, "result")

        def work():
            scheduler._add_request_to_queue(a)
            step("EXTEND", [a], [9])
            scheduler._add_request_to_queue(b)
            step("MIXED", [b, a], [5, 1], [a])
            scheduler._add_request_to_queue(b, is_retracted=True)
            step("DECODE", [b])

        said = self.record(work)
        one, two = said.number("a"), said.number("b")
        self.assertEqual((said.tokens[one], said.tokens[two]), (2, 2))
        self.assertEqual((said.ends[one], said.ends[two]), (1, 0))
        self.assertEqual(said.iterations, [
            ("prefill", [(one, 1, 9)]), ("mixed", [(two, 1, 5), (one, 2, 1)]),
            ("decode", [(two, 2, 1)])])

    def test_trtllm(self):
        def request(id, **more):
            return types.SimpleNamespace(py_request_id=id, **more)

        executor = make_trtllm()
        stepscope.hook("trtllm")

        def work():
            executor._forward_step(types.SimpleNamespace(
                context_requests=[request(1, context_chunk_size=64)],
                generation_requests=[request(2, py_draft_tokens=[]),
                                     request(3, py_draft_tokens=[8, 9]),
                                     request(4)]))
            executor._forward_step(types.SimpleNamespace(
                context_requests=[], generation_requests=[]))

        said = self.record(work)
        one, two, three, four = (said.number(id) for id in "1234")
        self.assertEqual(said.iterations, [
            ("mixed", [(one, 1, 64), (two, 2, 1), (three, 3, 3),
                       (four, 2, 1)])])

    def test_two_engines_in_one_process(self):
        scheduler, worker = make_vllm()
        other = make_sglang()
        stepscope.hook("vllm")
        stepscope.hook("sglang")
        request = Req("same", 9, 1)

        def work():
            scheduler.add_request(types.SimpleNamespace(
                request_id="mine", num_prompt_tokens=4))
            other._add_request_to_queue(request)
            worker.execute_model(SchedulerOutput(
                [NewRequestData("mine")], CachedRequestData([], set(), [], []),
                {"mine": 4}, {}))
            other.run_batch(ScheduleBatch("EXTEND", [request], [9]))
            scheduler.update_from_output(None, [answer("mine", [1], "stop")])
            other.process_batch_result(
                ScheduleBatch("EXTEND", [request], [9]), None)

        said = self.record(work)
        mine, same = said.number("mine"), said.number("same")
        self.assertEqual(said.iterations, [
            ("prefill", [(mine, 1, 4)]), ("prefill", [(same, 1, 9)])])
        self.assertEqual((said.tokens[mine], said.tokens[same]), (1, 1))
        self.assertEqual((said.ends[mine], said.ends[same]), (1, 1))

    def test_a_batch_is_one_event(self):
        scheduler, _ = make_vllm()
        stepscope.hook("vllm")
        ids = [f"r{i}" for i in range(450)]

        def work():
            for id in ids:
                scheduler.add_request(types.SimpleNamespace(
                    request_id=id, num_prompt_tokens=4))
            scheduler.update_from_output(None, [
                *(answer(id, [1] * (i % 3), "stop" if i == 7 else None)
                  for i, id in enumerate(ids)), answer("stranger", [1])])

        events = support.record(work)
        said = Recorded(events)
        self.assertEqual([said.tokens[said.number(id)] for id in ids],
                         [i % 3 for i in range(450)])
        self.assertEqual(sum(said.ends.values()), 1)
        # A list has 400 values at most; a third had no token.
        self.assertEqual(support.count(events)["request token"], 2)

    def test_a_surprise_in_a_batch_keeps_what_came_before(self):
        scheduler, _ = make_vllm()
        stepscope.hook("vllm")
        said = io.StringIO()

        def work():
            for id in "ab":
                scheduler.add_request(types.SimpleNamespace(
                    request_id=id, num_prompt_tokens=4))
            with contextlib.redirect_stderr(said):
                scheduler.update_from_output(None, [
                    answer("a", [1]),
                    answer("b", 7)])

        recorded = self.record(work)
        self.assertEqual(sum(recorded.tokens.values()), 1)
        self.assertIn("TypeError", said.getvalue())
        self.assertEqual(said.getvalue().count("\n"), 1)

    def test_a_surprise_in_an_iteration(self):
        scheduler = make_sglang()
        stepscope.hook("sglang")
        said = io.StringIO()

        def work():
            with contextlib.redirect_stderr(said):
                for lens in ([5], [5, -1]):
                    self.assertEqual(scheduler.run_batch(ScheduleBatch(
                        "EXTEND", [Req("a", 5, 1), Req("b", 5, 1)], lens)),
                        "result")

        self.assertEqual(self.record(work).iterations, [])
        self.assertIn("fewer counts than items", said.getvalue())
        self.assertEqual(said.getvalue().count("\n"), 1)

    def test_an_unknown_version_is_one_line(self):
        scheduler, worker = make_vllm()
        sys.modules["vllm"].__version__ = "9.0"
        del type(scheduler).add_request
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            stepscope.hook("vllm")
        self.assertEqual(said.getvalue().count("\n"), 1)
        self.assertIn("vllm 9.0", said.getvalue())
        self.assertIn("Scheduler has no add_request", said.getvalue())

    def test_a_surprise_stops_it_and_not_the_engine(self):
        _, worker = make_vllm()
        stepscope.hook("vllm")
        said = io.StringIO()

        def work():
            with contextlib.redirect_stderr(said):
                for _ in range(3):
                    self.assertEqual(worker.execute_model(object()), "ran")

        self.assertEqual(self.record(work).iterations, [])
        self.assertEqual(said.getvalue().count("\n"), 1)

    def test_an_unknown_engine(self):
        with self.assertRaisesRegex(ValueError, "vllm, sglang, trtllm"):
            stepscope.hook("llama")

    def test_what_an_engine_drops_is_forgotten(self):
        requests = _hooks.Requests()
        requests.MOST = 3
        for i in range(10):
            requests.begin(f"dropped {i}")
        self.assertEqual(list(requests.live),
                         [f"dropped {i}" for i in (7, 8, 9)])

    def test_children_are_told(self):
        stepscope.hook("vllm")
        stepscope.hook("sglang")
        self.assertEqual(os.environ["STEPSCOPE_HOOK"], "vllm,sglang")


if __name__ == "__main__":
    unittest.main()
