# SPDX-License-Identifier: Apache-2.0
"""For the Trainer of Hugging Face's transformers::

    from stepscope.integrations.transformers import StepscopeCallback

    trainer = Trainer(..., callbacks=[StepscopeCallback(scheduler=(10, 20))])
    trainer.train()

Then ``stepscope summary stepscope_log``. A step is an optimizer step. With
gradient accumulation each batch is a range "Micro-step". Evaluation and saving
are ranges of their own, "Evaluation" and "Checkpoint", and in no step.
"""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from ._loop import CHECKPOINT, EVALUATION, MICRO_STEP, OUT, Loop, length

__all__ = ["StepscopeCallback"]


class StepscopeCallback(TrainerCallback):
    """Records ``train()`` of a Trainer. ``out`` is the folder of captures; all
    other options are those of :class:`stepscope.Profiler`, such as
    ``scheduler`` and ``record_shapes``."""

    def __init__(self, out: Any = OUT, **options: Any) -> None:
        super().__init__()
        self.loop = Loop(out, options)
        self._batches = 0  # of this epoch
        self._evaluated = 0  # batches of this evaluation

    def on_train_begin(self, args: Any, state: Any, control: Any,
                       **kwargs: Any) -> None:
        self.loop.start()

    def on_epoch_begin(self, args: Any, state: Any, control: Any,
                       **kwargs: Any) -> None:
        self._batches = 0
        self.loop.enter_step()

    def on_step_begin(self, args: Any, state: Any, control: Any,
                      **kwargs: Any) -> None:
        self.loop.enter_step()
        if _accumulates(args) and not self.loop.has(MICRO_STEP):
            self.loop.begin(MICRO_STEP)

    def on_substep_end(self, args: Any, state: Any, control: Any,
                       **kwargs: Any) -> None:
        self._batches += 1
        self.loop.end(MICRO_STEP)
        # The next one begins here: no call tells when its batch is there.
        if self._batches != length(kwargs.get("train_dataloader")):
            self.loop.begin(MICRO_STEP)

    def on_step_end(self, args: Any, state: Any, control: Any,
                    **kwargs: Any) -> None:
        self._batches += 1
        self.loop.end(MICRO_STEP)
        self.loop.end_step()
        if (control.should_training_stop
                or 0 < state.max_steps <= state.global_step):
            self.loop.leave_step()
        self._begin_what_follows(control)

    def on_epoch_end(self, args: Any, state: Any, control: Any,
                     **kwargs: Any) -> None:
        self.loop.leave_step()
        self._begin_what_follows(control)

    def _begin_what_follows(self, control: Any) -> None:
        """The Trainer has no call for the begin of either. It does first the
        one, then the other, and what another callback wants later than this
        one is seen by its first batch."""
        if control.should_evaluate:
            self._evaluated = 0
            self.loop.begin_part(EVALUATION)
        elif control.should_save:
            self.loop.begin_part(CHECKPOINT)

    def on_prediction_step(self, args: Any, state: Any, control: Any,
                           **kwargs: Any) -> None:
        if not self.loop.has(EVALUATION):
            self.loop.end(CHECKPOINT)
            self._evaluated = 0
            self.loop.begin_part(EVALUATION)
        self._evaluated += 1

    def on_evaluate(self, args: Any, state: Any, control: Any,
                    **kwargs: Any) -> None:
        self.loop.end(EVALUATION, batches=self._evaluated)
        if control.should_save:
            self.loop.begin_part(CHECKPOINT)
        else:
            self._go_on(state)

    def on_save(self, args: Any, state: Any, control: Any,
                **kwargs: Any) -> None:
        self.loop.end(CHECKPOINT)
        self._go_on(state)

    def _go_on(self, state: Any) -> None:
        """The next batch is waited for, if there is to be one."""
        if not 0 < state.max_steps <= state.global_step:
            self.loop.enter_step()

    def on_train_end(self, args: Any, state: Any, control: Any,
                     **kwargs: Any) -> None:
        self.loop.stop()


def _accumulates(args: Any) -> bool:
    return getattr(args, "gradient_accumulation_steps", 1) > 1
