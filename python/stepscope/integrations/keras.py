# SPDX-License-Identifier: Apache-2.0
"""For Keras 3, with any backend, and for tf.keras::

    from stepscope.integrations.keras import StepscopeCallback

    model.fit(..., callbacks=[StepscopeCallback(scheduler=(10, 20))])

Then ``stepscope summary stepscope_log``. A step is an optimizer step: a batch,
or several where the optimizer accumulates gradients; then each batch is a range
"Micro-step". Validation is a range "Evaluation" with a range for each batch,
and in no step. ``evaluate()`` and ``predict()`` take the callback too.
"""

from __future__ import annotations

import sys
from typing import Any

from ._loop import EVALUATION, MICRO_STEP, OUT, PREDICTION, Loop

__all__ = ["StepscopeCallback"]


def _callback_class() -> Any:
    """That of the Keras which the program has loaded. Any of them calls a
    callback of another: by the names of its methods."""
    for name in ("keras", "tf_keras", "tensorflow.keras",
                 "tensorflow.python.keras"):
        found = getattr(sys.modules.get(name), "callbacks", None)
        if hasattr(found, "Callback"):
            return found.Callback
    from keras.callbacks import Callback

    return Callback


class StepscopeCallback(_callback_class()):  # type: ignore[misc]
    """Records ``fit()``, ``evaluate()`` or ``predict()``. ``out`` is the folder
    of captures; all other options are those of :class:`stepscope.Profiler`,
    such as ``scheduler``."""

    def __init__(self, out: Any = OUT, **options: Any) -> None:
        super().__init__()
        self.loop = Loop(out, options)
        self._training = False
        self._batches = 0  # since the last optimizer step

    # -- training -------------------------------------------------------------

    def on_train_begin(self, logs: Any = None) -> None:
        self._training = True
        self._batches = 0
        self.loop.start()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.loop.enter_step()
        self.loop.begin_wait()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.loop.end_wait()
        self.loop.enter_step()
        if self._accumulated() > 1:
            self.loop.begin(MICRO_STEP)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._batches += 1
        self.loop.end(MICRO_STEP)
        if self._batches >= self._accumulated():
            self._batches = 0
            self.loop.end_step()
        self.loop.begin_wait()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.loop.leave_step()

    def on_train_end(self, logs: Any = None) -> None:
        self._training = False
        self.loop.stop()

    def _accumulated(self) -> int:
        """Batches for each optimizer step."""
        optimizer = getattr(getattr(self, "model", None), "optimizer", None)
        return getattr(optimizer, "gradient_accumulation_steps", None) or 1

    # -- evaluation and prediction --------------------------------------------

    def on_test_begin(self, logs: Any = None) -> None:
        self._begin(EVALUATION)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.loop.begin(EVALUATION + " batch")

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self.loop.end(EVALUATION + " batch")

    def on_test_end(self, logs: Any = None) -> None:
        self._end(EVALUATION)

    def on_predict_begin(self, logs: Any = None) -> None:
        self._begin(PREDICTION)

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.loop.begin(PREDICTION + " batch")

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self.loop.end(PREDICTION + " batch")

    def on_predict_end(self, logs: Any = None) -> None:
        self._end(PREDICTION)

    def _begin(self, part: str) -> None:
        if not self._training:
            self.loop.start()
        self.loop.begin_part(part)

    def _end(self, part: str) -> None:
        self.loop.end(part)
        if not self._training:
            self.loop.stop()

    # Keras 2 asks a callback which hooks it has by comparing with its own base
    # class, which need not be ours.

    def _implements_train_batch_hooks(self) -> bool:
        return True

    def _implements_test_batch_hooks(self) -> bool:
        return True

    def _implements_predict_batch_hooks(self) -> bool:
        return True
