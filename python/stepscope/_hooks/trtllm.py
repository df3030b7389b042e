# SPDX-License-Identifier: Apache-2.0
"""TensorRT-LLM's executor for PyTorch: iterations and their requests, which
tell everything but when a request arrived. Read against its public source."""

import operator

from .._event import batch, enabled
from . import require

NAME = "tensorrt_llm"


_draft_tokens = operator.attrgetter("py_draft_tokens")


def _have_drafts(requests):
    try:
        return any(map(_draft_tokens, requests))
    except AttributeError:  # some have not
        return True


def iteration_of(scheduled):
    """ScheduledRequests."""
    prompts, others = scheduled.context_requests, scheduled.generation_requests
    if not prompts and not others:
        return None
    kinds = {request.py_request_id: "prefill" for request in prompts}
    counts = [request.context_chunk_size for request in prompts]
    counts += [1] * len(others)
    if _have_drafts(others):
        for at, request in enumerate(others, len(prompts)):
            drafts = getattr(request, "py_draft_tokens", None)
            if drafts:
                kinds[request.py_request_id] = "verify"
                counts[at] += len(drafts)
    return batch([*prompts, *others], "py_request_id", counts, kinds, "decode")


def _executor(module, wrapper):
    require(module.PyExecutor, "_forward_step")
    wrapper.around(
        module.PyExecutor, "_forward_step",
        lambda self, scheduled, *more, **named:
            iteration_of(scheduled) if enabled() else None)


PLACES = (("tensorrt_llm._torch.pyexecutor.py_executor", _executor),)
