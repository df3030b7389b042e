# SPDX-License-Identifier: Apache-2.0
"""stepscope.integrations.lightning with the real Trainer, on the CPU.
LIGHTNING_FOR_TESTS names the package: lightning, or pytorch_lightning."""

import importlib
import os
import unittest
import warnings

import support
from loop_support import Recorded, without

PACKAGE = os.environ.get("LIGHTNING_FOR_TESTS", "lightning")
try:
    import torch

    pytorch = importlib.import_module(
        "lightning.pytorch" if PACKAGE == "lightning" else PACKAGE)
    callbacks = importlib.import_module(pytorch.__name__ + ".callbacks")
    profilers = importlib.import_module(pytorch.__name__ + ".profilers")
except ImportError as error:
    without(error)
from stepscope.integrations.lightning import StepscopeProfiler


def loader(batches):
    return torch.utils.data.DataLoader(torch.randn(batches * 2, 4),
                                       batch_size=2)


class Net(pytorch.LightningModule):
    def _register_sharded_tensor_state_dict_hooks_if_available(self):
        """What it would import fails in torch 1.13 beside Python 3.11."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        return self.layer(batch).mean()

    def validation_step(self, batch, index):
        self.log("loss", self.layer(batch).mean())

    def predict_step(self, batch, index):
        return self.layer(batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def trainer(profiler, **options):
    warnings.simplefilter("ignore")
    return pytorch.Trainer(**{
        "profiler": profiler, "accelerator": "cpu", "max_epochs": 1,
        "logger": False, "enable_checkpointing": False,
        "enable_progress_bar": False, "enable_model_summary": False,
        "num_sanity_val_steps": 0, **options})


class LightningTest(support.InOwnFolder):
    def test_is_a_profiler_of_that_package(self):
        self.assertTrue(issubclass(StepscopeProfiler, profilers.Profiler))

    def test_accumulation_and_evaluation(self):
        trainer(StepscopeProfiler(), accumulate_grad_batches=3,
                val_check_interval=6).fit(Net(), loader(12), loader(5))
        seen = Recorded()
        self.assertEqual(len(seen.steps), 4)
        self.assertEqual(seen.by_step("Micro-step"), [3] * 4)
        self.assertEqual(seen.outside("Evaluation"), 2)
        self.assertEqual(seen.outside("Evaluation batch"), 10)
        self.assertEqual(seen.by_step("train_dataloader_next")[1:], [3] * 3)
        self.assertEqual(seen.by_step("training_step"), [3] * 4)
        self.assertEqual(seen.by_step("backward"), [3] * 4)
        model = {row["name"]: row for row in
                 seen.result["model"].to_dicts()}
        # Lightning calls both inside the optimizer's step, where there is one.
        self.assertEqual(model["Forward"]["calls"], 12)
        self.assertEqual(model["Backward"]["calls"], 12)
        self.assertEqual(len(seen.named("Optimization")), 4)
        self.assertEqual(len(seen.result["steps"].to_dicts()), 4)
        self.assertIn("Input stall", str(seen.result.summary()))

    def test_epochs_sanity_check_and_saving(self):
        saving = callbacks.ModelCheckpoint(dirpath="saved", save_top_k=-1)
        trainer(StepscopeProfiler(), max_epochs=2, num_sanity_val_steps=2,
                enable_checkpointing=True, callbacks=[saving]).fit(
            Net(), loader(4), loader(5))
        self.assertEqual(len(os.listdir("saved")), 2)
        seen = Recorded()
        self.assertEqual(len(seen.steps), 8)
        self.assertEqual(seen.by_step("training_step"), [1] * 8)
        self.assertEqual(seen.outside("Sanity check"), 1)
        self.assertEqual(seen.outside("Evaluation"), 2)
        self.assertEqual(seen.outside("Evaluation batch"), 10)
        self.assertEqual(seen.outside("Checkpoint"), 2)

    def test_predict(self):
        trainer(StepscopeProfiler()).predict(Net(), loader(5))
        seen = Recorded()
        self.assertEqual(seen.steps, [])
        self.assertEqual(len(seen.named("Prediction batch")), 5)

    def test_module_that_raises(self):
        class Failing(Net):
            def training_step(self, batch, index):
                if index == 3:
                    raise ValueError("mine")
                return super().training_step(batch, index)

        profiler = StepscopeProfiler()
        with self.assertRaisesRegex(ValueError, "mine"):
            trainer(profiler).fit(Failing(), loader(6))
        profiler.teardown("fit")
        self.assertEqual(Recorded().by_step("training_step"), [1] * 3)


if __name__ == "__main__":
    unittest.main()
