# SPDX-License-Identifier: Apache-2.0
"""stepscope.integrations.keras with the real Keras 3, on the CPU, with the
backend that KERAS_BACKEND names: jax if it is not set."""

import os
import unittest
import warnings

import support
from loop_support import Recorded, without

os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.update(JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="")
try:
    import keras
    import numpy
except ImportError as error:
    without(error)
from stepscope.integrations.keras import StepscopeCallback

BATCH = 2


def numbers(batches):
    count = batches * BATCH
    return (numpy.arange(count * 4, dtype="float32").reshape(count, 4),
            numpy.zeros((count, 1), dtype="float32"))


def compiled(**optimizer):
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(1e-6, **optimizer),
                  loss="mse")
    return model


def fit(model, batches, epochs=1, evaluated=0, **options):
    warnings.simplefilter("ignore")
    callback = StepscopeCallback(**options)
    model.fit(*numbers(batches), batch_size=BATCH, epochs=epochs, verbose=0,
              validation_data=numbers(evaluated) if evaluated else None,
              validation_batch_size=BATCH, callbacks=[callback])
    return callback


class KerasTest(support.InOwnFolder):
    def test_is_a_callback_of_keras(self):
        self.assertTrue(issubclass(StepscopeCallback,
                                   keras.callbacks.Callback))

    def test_epochs_and_evaluation(self):
        fit(compiled(), 6, epochs=2, evaluated=5)
        seen = Recorded()
        self.assertEqual(len(seen.steps), 12)
        self.assertEqual(seen.outside("Evaluation"), 2)
        self.assertEqual(seen.outside("Evaluation batch"), 10)
        self.assertEqual(seen.by_step("Wait for data"), [1] * 12)

    def test_accumulation(self):
        fit(compiled(gradient_accumulation_steps=3), 12)
        seen = Recorded()
        self.assertEqual(len(seen.steps), 4)
        self.assertEqual(seen.by_step("Micro-step"), [3] * 4)
        self.assertEqual(len(seen.result["steps"].to_dicts()), 4)
        self.assertIn("Input stall", str(seen.result.summary()))

    def test_data_of_unknown_length(self):
        def batches():
            for _ in range(9):
                yield numbers(1)

        class Count(keras.callbacks.Callback):
            trained = 0  # Keras takes the first ones to build the model

            def on_train_batch_end(self, batch, logs=None):
                self.trained += 1

        count = Count()
        warnings.simplefilter("ignore")
        compiled().fit(batches(), verbose=0,
                       callbacks=[count, StepscopeCallback()])
        self.assertGreater(count.trained, 4)
        self.assertEqual(len(Recorded().steps), count.trained)

    def test_evaluate_and_predict(self):
        model = compiled()
        model.evaluate(*numbers(3), batch_size=BATCH, verbose=0,
                       callbacks=[StepscopeCallback(out="evaluate")])
        model.predict(numbers(4)[0], batch_size=BATCH, verbose=0,
                      callbacks=[StepscopeCallback(out="predict")])
        self.assertEqual(
            len(Recorded("evaluate").named("Evaluation batch")), 3)
        self.assertEqual(
            len(Recorded("predict").named("Prediction batch")), 4)
        self.assertEqual(Recorded("predict").steps, [])

    def test_scheduler(self):
        fit(compiled(), 8, scheduler=(2, 5))
        self.assertEqual(len(Recorded().steps), 3)

    def test_another_callback_that_raises(self):
        class Mine(keras.callbacks.Callback):
            def on_train_batch_end(self, batch, logs=None):
                raise ValueError("mine")

        callback = StepscopeCallback(out="log")
        with self.assertRaisesRegex(ValueError, "mine"):
            compiled().fit(*numbers(2), batch_size=BATCH, verbose=0,
                           callbacks=[callback, Mine()])
        callback.on_train_end()
        self.assertEqual(len(Recorded("log").steps), 1)


if __name__ == "__main__":
    unittest.main()
