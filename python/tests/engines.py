# SPDX-License-Identifier: Apache-2.0
"""Stand-ins with the structures of the engines' packages: vLLM 0.11.1 and
0.33.0, SGLang 0.5.23, TensorRT-LLM's public source."""

import dataclasses
import sys
import types


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
        self.finished_reason = None

    def finished(self):
        return self.finished_reason is not None


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
                if len(req.output_ids) >= req.wanted:
                    req.finished_reason = "length"

    module("sglang", __version__="0.5.23")
    module("sglang.srt.managers.schedule_batch", ScheduleBatch=ScheduleBatch,
           Req=Req)
    module("sglang.srt.managers.scheduler", Scheduler=Scheduler)
    return Scheduler()


def make_trtllm():
    class PyExecutor:
        def _forward_step(self, scheduled_requests, new_tensors=None):
            return 1

    module("tensorrt_llm._torch.pyexecutor.py_executor",
           PyExecutor=PyExecutor)
    return PyExecutor()
