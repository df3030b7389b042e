# SPDX-License-Identifier: Apache-2.0
"""SGLang: requests and iterations from the scheduler, one process per rank.
Read against the package 0.5.23."""

from .._event import enabled
from . import Requests, require

NAME = "sglang"
_requests = Requests()


def members_of(batch):
    """(id, kind, tokens) of a ScheduleBatch."""
    mode = batch.forward_mode
    if not batch.reqs:
        return None
    if mode.is_decode():
        return [(request.rid, "decode", 1) for request in batch.reqs]
    if mode.is_target_verify():
        return [(request.rid, "verify", 1) for request in batch.reqs]
    if not mode.is_extend():
        return None
    decoding = {id(request) for request in batch.decoding_reqs or ()}
    return [(request.rid, "decode" if id(request) in decoding else "prefill",
             int(tokens))
            for request, tokens in zip(batch.reqs, batch.extend_lens)]


def _batch(module, wrapper):
    require(module.ScheduleBatch, "reqs", "forward_mode", "extend_lens",
            "decoding_reqs")
    require(module.Req, "finished")


def _scheduler(module, wrapper):
    scheduler = module.Scheduler
    require(scheduler, "_add_request_to_queue", "run_batch",
            "process_batch_result")

    def queued(_, self, request, is_retracted=False, *more, **named):
        if not is_retracted:
            _requests.begin(request.rid, len(request.origin_input_ids))
            request._stepscope_tokens = len(request.output_ids)

    def answered(_, self, batch, *more, **named):
        for request in batch.reqs:
            known = _requests.live.get(request.rid)
            if known is None:
                continue
            made = len(request.output_ids)
            known.token(made - request._stepscope_tokens)
            request._stepscope_tokens = made
            if request.finished():
                _requests.end(request.rid)

    wrapper.after(scheduler, "_add_request_to_queue", queued)
    wrapper.around(
        scheduler, "run_batch",
        lambda self, batch, *more, **named:
            members_of(batch) if enabled() else None)
    wrapper.after(scheduler, "process_batch_result", answered)


PLACES = (("sglang.srt.managers.schedule_batch", _batch),
          ("sglang.srt.managers.scheduler", _scheduler))
