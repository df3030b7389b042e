# SPDX-License-Identifier: Apache-2.0
"""SGLang: requests and iterations from the scheduler, one process per rank.
Read against the package 0.5.23."""

from .._event import batch, enabled
from . import Requests, require

NAME = "sglang"
_requests = Requests()


def iteration_of(scheduled):
    """A ScheduleBatch."""
    mode = scheduled.forward_mode
    if not scheduled.reqs:
        return None
    if mode.is_decode():
        return batch(scheduled.reqs, "rid", 1, None, "decode")
    if mode.is_target_verify():
        return batch(scheduled.reqs, "rid", 1, None, "verify")
    if not mode.is_extend():
        return None
    decoding = {request.rid: "decode"
                for request in scheduled.decoding_reqs or ()}
    return batch(scheduled.reqs, "rid", scheduled.extend_lens, decoding,
                 "prefill")


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
            _requests.live[request.rid]._made = len(request.output_ids)

    def answered(_, self, scheduled, *more, **named):
        _requests.answered(scheduled.reqs, "rid", "output_ids",
                           "finished_reason", total=True)

    wrapper.after(scheduler, "_add_request_to_queue", queued)
    wrapper.around(
        scheduler, "run_batch",
        lambda self, scheduled, *more, **named:
            iteration_of(scheduled) if enabled() else None)
    wrapper.after(scheduler, "process_batch_result", answered)


PLACES = (("sglang.srt.managers.schedule_batch", _batch),
          ("sglang.srt.managers.scheduler", _scheduler))
