# SPDX-License-Identifier: Apache-2.0
"""For the Trainer of Lightning, as package ``lightning`` or
``pytorch_lightning``::

    from stepscope.integrations.lightning import StepscopeProfiler

    trainer = Trainer(..., profiler=StepscopeProfiler(scheduler=(10, 20)))
    trainer.fit(model)

Then ``stepscope summary stepscope_log``. A step is an optimizer step; with
``accumulate_grad_batches`` each batch is a range "Micro-step". Validation, test
and prediction are ranges of their own with a range for each batch, saving is a
range "Checkpoint", and all of these are in no step.
"""

from __future__ import annotations

import sys
from typing import Any, List, Optional

from .. import TracerEventType
from ._loop import CHECKPOINT, EVALUATION, MICRO_STEP, OUT, PREDICTION, Loop

__all__ = ["StepscopeProfiler"]

_BATCH = "run_training_batch"
_PARTS = {"validation": EVALUATION, "test": "Test", "predict": PREDICTION}
# What a strategy does for the model, as a stage. Its optimizer step is none:
# it contains the other two.
_STAGES = {"training_step": TracerEventType.Forward,
           "backward": TracerEventType.Backward}


def _profiler_class() -> Any:
    """That of the package which the program has loaded."""
    for name in ("lightning.pytorch.profilers", "pytorch_lightning.profilers"):
        if name in sys.modules:
            return sys.modules[name].Profiler
    try:
        from lightning.pytorch.profilers import Profiler
    except ImportError:
        from pytorch_lightning.profilers import Profiler
    return Profiler


class StepscopeProfiler(_profiler_class()):  # type: ignore[misc]
    """Records ``fit()``, ``validate()``, ``test()`` or ``predict()`` of a
    Trainer. ``out`` is the folder of captures; all other options are those of
    :class:`stepscope.Profiler`, such as ``scheduler`` and ``record_shapes``."""

    def __init__(self, out: Any = OUT, **options: Any) -> None:
        super().__init__(dirpath=None, filename=None)
        self.loop = Loop(out, options)
        self._actions: List[str] = []  # open, the innermost last
        self._saving: Optional[str] = None  # the action that saves
        self._stepped = False  # the optimizer, in this batch
        self._in_epoch = False  # of training
        self._handled: Optional[BaseException] = None  # when the batch began

    def setup(self, stage: Any, local_rank: Optional[int] = None,
              log_dir: Any = None) -> None:
        super().setup(stage, local_rank, log_dir)
        self._actions.clear()
        self._saving = None
        self._stepped = self._in_epoch = False
        self.loop.start()

    def teardown(self, stage: Any) -> None:
        super().teardown(stage)
        if hasattr(self, "loop"):  # also called when a Profiler is deleted
            self.loop.stop()

    # -- what Lightning tells -------------------------------------------------

    def start(self, action_name: str) -> None:
        """Called by Lightning."""
        owner, hook = _split(action_name)
        self._actions.append(action_name)
        if hook == "train_dataloader_next":
            self.loop.begin(hook, TracerEventType.Dataloader)
        elif hook == _BATCH:
            self._in_epoch = True
            self._handled = sys.exc_info()[1]
            self._go_on()
            if self._accumulates():
                self.loop.begin(MICRO_STEP)
        elif owner == "Strategy" and hook in _STAGES:
            self.loop.begin(hook, _STAGES[hook])
        elif hook == "on_save_checkpoint":
            self._start_of_saving()
        else:
            self._start_of_part(hook)

    def stop(self, action_name: str) -> None:
        """Called by Lightning."""
        owner, hook = _split(action_name)
        if action_name in self._actions:
            del self._actions[_last(self._actions, action_name):]
        if hook == "train_dataloader_next":
            self.loop.end(hook)
        elif hook == "optimizer_step":
            self._stepped = True
        elif hook == _BATCH:
            self.loop.end(MICRO_STEP)
            stepped, self._stepped = self._stepped, False
            # An exception ends it, too; then it was no step.
            if stepped and sys.exc_info()[1] is self._handled:
                self.loop.end_step()
        elif owner == "Strategy" and hook in _STAGES:
            self.loop.end(hook)
        elif hook == "on_train_epoch_start" and owner == "LightningModule":
            self._in_epoch = True
            self._go_on()
        elif action_name == self._saving:
            self._saving = None
            self.loop.end(CHECKPOINT)
            self._go_on()
        else:
            self._end_of_part(owner, hook)

    def summary(self) -> str:
        """Nothing: ``stepscope summary`` has it."""
        return ""

    # -- inside ---------------------------------------------------------------

    def _go_on(self) -> None:
        if self._in_epoch:
            self.loop.enter_step()

    def _start_of_saving(self) -> None:
        """The call in which a callback saves: it writes the file after this
        hook, and then ends."""
        around = self._actions[-2:-1]
        if self._saving is None and around and around[0].startswith(
                "[Callback]"):
            self._saving = around[0]
            self.loop.begin_part(CHECKPOINT)

    def _start_of_part(self, hook: str) -> None:
        for word, part in self._parts():
            if hook == f"on_{word}_start" and not self.loop.has(part):
                self.loop.begin_part(part)
            elif (hook == f"on_{word}_batch_start"
                    and not self.loop.has(f"{part} batch")):
                self.loop.begin(f"{part} batch")
        if hook in ("on_train_epoch_end", "on_train_end"):
            self._in_epoch = False
            self.loop.leave_step()

    def _end_of_part(self, owner: str, hook: str) -> None:
        """Callbacks come first, then the module, then the strategy."""
        for word, part in self._parts():
            if hook == f"on_{word}_batch_end" and owner == "LightningModule":
                self.loop.end(f"{part} batch")
            elif hook == f"on_{word}_end" and owner == "Strategy":
                self.loop.end(part)
                self._go_on()

    def _parts(self) -> Any:
        if self._trainer_says("sanity_checking", False):
            return [("validation", "Sanity check")]
        return _PARTS.items()

    def _accumulates(self) -> bool:
        return self._trainer_says("accumulate_grad_batches", 1) > 1

    def _trainer_says(self, name: str, otherwise: Any) -> Any:
        try:
            return getattr(self._lightning_module.trainer, name)
        except Exception:  # set by the Trainer, and not documented
            return otherwise


def _split(action: str) -> Any:
    """"[Strategy]SingleDeviceStrategy.backward": "Strategy", "backward"."""
    owner = ""
    if action.startswith("["):
        owner = action[1:action.find("]")]
    return owner, action.rsplit(".", 1)[-1]


def _last(items: List[str], item: str) -> int:
    return len(items) - 1 - items[::-1].index(item)
