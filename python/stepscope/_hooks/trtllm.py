# SPDX-License-Identifier: Apache-2.0
"""TensorRT-LLM's executor for PyTorch: iterations and their requests, which
tell everything but when a request arrived. Read against its public source."""

from .._event import enabled
from . import require

NAME = "tensorrt_llm"


def members_of(scheduled):
    """(id, kind, tokens) of ScheduledRequests."""
    members = [
        (str(request.py_request_id), "prefill", request.context_chunk_size)
        for request in scheduled.context_requests]
    for request in scheduled.generation_requests:
        drafts = len(getattr(request, "py_draft_tokens", None) or ())
        members.append((str(request.py_request_id),
                        "verify" if drafts else "decode", 1 + drafts))
    return members or None


def _executor(module, wrapper):
    require(module.PyExecutor, "_forward_step")
    wrapper.around(
        module.PyExecutor, "_forward_step",
        lambda self, scheduled, *more, **named:
            members_of(scheduled) if enabled() else None)


PLACES = (("tensorrt_llm._torch.pyexecutor.py_executor", _executor),)
