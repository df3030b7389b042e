# SPDX-License-Identifier: Apache-2.0
"""Hooks beside stand-ins that have the structures of the engines' packages:
vLLM 0.11.1 and 0.33.0, SGLang 0.5.23, TensorRT-LLM's public source."""

import contextlib
import dataclasses
import io
import os
import sys
import types
import unittest

import support
import stepscope
from stepscope import _hooks
from test_requests import Recorded


def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    sys.modules[name] = made
    return made


@dataclasses.dataclass
class NewRequestData:
    req_id: str


@dataclasses.dataclass
class CachedRequestData:
    req_ids: list
    resumed_req_ids: set
    num_computed_tokens: list
    num_output_tokens: list


@dataclasses.dataclass
class SchedulerOutput:
    scheduled_new_reqs: list
    scheduled_cached_reqs: CachedRequestData
    num_scheduled_tokens: dict
    scheduled_spec_decode_tokens: dict


def answer(id, tokens, finished=None):
    return types.SimpleNamespace(request_id=id, new_token_ids=tokens,
                                 finish_reason=finished)


def make_vllm():
    class Scheduler:
        def add_request(self, request):
            return None

        def update_from_output(self, scheduler_output, outputs):
            return {0: types.SimpleNamespace(outputs=outputs)}

        def finish_requests(self, request_ids, finished_status):
            return None

    class Worker:
        def execute_model(self, scheduler_output):
            return "ran"

    module("vllm", __version__="0.33.0")
    module("vllm.v1.core.sched.output", SchedulerOutput=SchedulerOutput,
           NewRequestData=NewRequestData, CachedRequestData=CachedRequestData)
    module("vllm.v1.core.sched.scheduler", Scheduler=Scheduler)
    module("vllm.v1.worker.gpu_worker", Worker=Worker)
    return Scheduler(), Worker()


class Mode:
    def __init__(self, name):
        self._name = name

    def is_decode(self):
        return self._name == "DECODE"

    def is_target_verify(self):
        return self._name == "TARGET_VERIFY"

    def is_extend(self):
        return self._name in ("EXTEND", "MIXED", "TARGET_VERIFY")


class Req:
    def __init__(self, rid, prompt, wanted):
        self.rid, self.origin_input_ids = rid, [1] * prompt
        self.output_ids, self.wanted = [], wanted

    def finished(self):
        return len(self.output_ids) >= self.wanted


class ScheduleBatch:
    reqs = forward_mode = extend_lens = decoding_reqs = None

    def __init__(self, mode, reqs, lens=None, decoding=None):
        self.forward_mode, self.reqs = Mode(mode), reqs
        self.extend_lens, self.decoding_reqs = lens, decoding


def make_sglang():
    class Scheduler:
        def _add_request_to_queue(self, req, is_retracted=False):
            return None

        def run_batch(self, batch, pp_proxy_tensors=None):
            return "result"

        def process_batch_result(self, batch, result):
            for req in batch.reqs:
                req.output_ids.append(1)

    module("sglang", __version__="0.5.23")
    module("sglang.srt.managers.schedule_batch", ScheduleBatch=ScheduleBatch,
           Req=Req)
    module("sglang.srt.managers.scheduler", Scheduler=Scheduler)
    return Scheduler()


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
        class PyExecutor:
            def _forward_step(self, scheduled_requests, new_tensors=None):
                return 1

        def request(id, **more):
            return types.SimpleNamespace(py_request_id=id, **more)

        module("tensorrt_llm._torch.pyexecutor.py_executor",
               PyExecutor=PyExecutor)
        stepscope.hook("trtllm")

        def work():
            PyExecutor()._forward_step(types.SimpleNamespace(
                context_requests=[request(1, context_chunk_size=64)],
                generation_requests=[request(2, py_draft_tokens=[])]))

        said = self.record(work)
        self.assertEqual(said.iterations, [
            ("mixed", [(said.number("1"), 1, 64), (said.number("2"), 2, 1)])])

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
