# SPDX-License-Identifier: Apache-2.0
"""vLLM V1: requests from the scheduler, iterations from the worker, which may
be another process. Read against the packages 0.11.1 and 0.33.0."""

from .._event import batch, enabled
from . import Requests, require

NAME = "vllm"
_requests = Requests()


def _traceparent(headers):
    return (headers or {}).get("traceparent")


def _scheduler(module, wrapper):
    scheduler = module.Scheduler
    require(scheduler, "add_request", "update_from_output", "finish_requests")

    def added(_, self, request, *more):
        _requests.begin(request.request_id, request.num_prompt_tokens,
                        _traceparent(getattr(request, "trace_headers", None)))

    def updated(outputs, self, *more, **named):
        for of_client in outputs.values():
            _requests.answered(of_client.outputs, "request_id",
                               "new_token_ids", "finish_reason")

    wrapper.after(scheduler, "add_request", added)
    wrapper.after(scheduler, "update_from_output", updated)
    # What was not answered by then was given up.
    wrapper.after(scheduler, "finish_requests",
                  lambda _, self, ids, *more, **named: _end_all(ids))


def _end_all(ids):
    if ids is None:
        return
    for id in [ids] if isinstance(ids, str) else list(ids):
        _requests.end(id, "abort")


def iteration_of(output):
    """What a SchedulerOutput schedules."""
    scheduled = output.num_scheduled_tokens
    if not scheduled:
        return None
    cached = output.scheduled_cached_reqs
    kinds = dict.fromkeys(output.scheduled_spec_decode_tokens, "verify")
    for new in output.scheduled_new_reqs:
        kinds[new.req_id] = "prefill"
    if 0 in cached.num_output_tokens:  # a prompt that is read in pieces
        for id, made in zip(cached.req_ids, cached.num_output_tokens):
            if made == 0:
                kinds[id] = "prefill"
    for id in cached.resumed_req_ids:
        kinds[id] = "prefill"
    return batch(scheduled, None, scheduled.values(), kinds, "decode")


def _worker(module, wrapper):
    require(module.Worker, "execute_model")
    wrapper.around(
        module.Worker, "execute_model",
        lambda self, output, *more:
            iteration_of(output) if enabled() else None)


def _output(module, wrapper):
    require(module.SchedulerOutput, "num_scheduled_tokens",
            "scheduled_new_reqs", "scheduled_cached_reqs",
            "scheduled_spec_decode_tokens")
    require(module.NewRequestData, "req_id")
    require(module.CachedRequestData, "req_ids", "num_output_tokens",
            "resumed_req_ids")


PLACES = (("vllm.v1.core.sched.output", _output),
          ("vllm.v1.core.sched.scheduler", _scheduler),
          ("vllm.v1.worker.gpu_worker", _worker))
