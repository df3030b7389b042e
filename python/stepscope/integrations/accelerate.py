# SPDX-License-Identifier: Apache-2.0
"""For training loops with Hugging Face Accelerate::

    from stepscope.integrations.accelerate import profile

    with profile(accelerator, scheduler=(10, 20)) as prof:
        for batch in loader:
            with accelerator.accumulate(model):
                ...
        with prof.evaluation():
            ...

Then ``stepscope summary stepscope_log``. A step ends when ``accumulate()`` ends
with an optimizer step; with gradient accumulation each batch is a range
"Micro-step". ``save_state()`` and ``save_model()`` are ranges "Checkpoint" and
in no step, and so is what ``evaluation()`` contains. A loop without
``accumulate()`` calls ``prof.step()``.

accelerate itself is not imported here.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, Optional

from ._loop import CHECKPOINT, EVALUATION, MICRO_STEP, OUT, Loop

__all__ = ["profile"]

_SAVING = ("save_state", "save_model")


class profile:  # noqa: N801  a context, as torch.profiler.profile
    """Records a loop. ``out`` is the folder of captures; all other options are
    those of :class:`stepscope.Profiler`."""

    def __init__(self, accelerator: Any, out: Any = OUT,
                 **options: Any) -> None:
        self.loop = Loop(out, options)
        self._accelerator = accelerator
        self._before: Dict[str, Any] = {}  # what the instance itself had

    def __enter__(self) -> profile:
        self.loop.start()
        if hasattr(self._accelerator, "accumulate"):
            self._replace("accumulate", self._accumulate)
        else:
            self.loop.tell("this Accelerator has no accumulate(); call step() "
                           "after each step")
        for name in _SAVING:
            if hasattr(self._accelerator, name):
                self._replace(name, self._save)
        self.loop.enter_step()
        return self

    def __exit__(self, *error: object) -> None:
        for name, before in self._before.items():
            if before is None:
                self._accelerator.__dict__.pop(name, None)
            else:
                setattr(self._accelerator, name, before)
        self._before.clear()
        self.loop.stop()

    def step(self, num_samples: Optional[int] = None) -> None:
        """Ends a step, in a loop without ``accumulate()``."""
        self.loop.end_step(num_samples)

    @contextlib.contextmanager
    def evaluation(self) -> Iterator[None]:
        """What is in this context is in no step."""
        self.loop.begin_part(EVALUATION)
        try:
            yield
        finally:
            self.loop.end(EVALUATION)
            self.loop.enter_step()

    def _replace(self, name: str, wrap: Callable[[Any], Any]) -> None:
        function = getattr(self._accelerator, name)
        self._before[name] = self._accelerator.__dict__.get(name)
        setattr(self._accelerator, name,
                functools.wraps(function)(wrap(function)))

    def _accumulate(self, function: Any) -> Any:
        @contextlib.contextmanager
        def accumulate(*args: Any, **kwargs: Any) -> Iterator[Any]:
            with function(*args, **kwargs) as value:
                self.loop.enter_step()
                if self._accelerator.gradient_accumulation_steps > 1:
                    self.loop.begin(MICRO_STEP)
                try:
                    yield value
                finally:
                    self.loop.end(MICRO_STEP)
            if self._accelerator.sync_gradients:
                self.loop.end_step()

        return accumulate

    def _save(self, function: Any) -> Any:
        def save(*args: Any, **kwargs: Any) -> Any:
            self.loop.begin_part(CHECKPOINT)
            try:
                return function(*args, **kwargs)
            finally:
                self.loop.end(CHECKPOINT)
                self.loop.enter_step()

        return save
