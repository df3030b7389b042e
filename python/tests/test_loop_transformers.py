# SPDX-License-Identifier: Apache-2.0
"""stepscope.integrations.transformers with the real Trainer, on the CPU. The
model is a tiny one with random weights; nothing is fetched."""

import os
import unittest

import support
from loop_support import Recorded, without

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1",
                  WANDB_DISABLED="true", CUDA_VISIBLE_DEVICES="")
try:
    import torch
    import transformers
    from stepscope.integrations.transformers import StepscopeCallback
except ImportError as error:
    without(error)

BATCH = 2


class Texts(torch.utils.data.Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        tokens = torch.arange(8) % 7 + index % 3
        return {"input_ids": tokens, "labels": torch.tensor(index % 2)}


def tiny_model():
    return transformers.BertForSequenceClassification(
        transformers.BertConfig(
            vocab_size=16, hidden_size=8, num_hidden_layers=1,
            num_attention_heads=2, intermediate_size=8,
            max_position_embeddings=16))


def evaluate_every(steps):
    """The option has another name since 4.46."""
    named = "evaluation_strategy"
    if "eval_strategy" in transformers.TrainingArguments.__dataclass_fields__:
        named = "eval_strategy"
    return {named: "steps", "eval_steps": steps}


def train(batches, accumulate, evaluated=5, **arguments):
    options = arguments.pop("options", {})
    others = arguments.pop("callbacks", [])
    arguments = {"save_strategy": "no", "num_train_epochs": 1, **arguments}
    trainer = transformers.Trainer(
        model=tiny_model(),
        args=transformers.TrainingArguments(
            output_dir="out", per_device_train_batch_size=BATCH,
            per_device_eval_batch_size=BATCH,
            gradient_accumulation_steps=accumulate, report_to=[],
            disable_tqdm=True, **arguments),
        train_dataset=Texts(batches * BATCH),
        eval_dataset=Texts(evaluated * BATCH),
        callbacks=[StepscopeCallback(**options), *others])
    trainer.train()
    return trainer


class TransformersTest(support.InOwnFolder):
    def test_accumulation_evaluation_and_saving(self):
        train(12, 3, **evaluate_every(2), save_strategy="steps",
              save_steps=2)
        seen = Recorded()
        self.assertEqual(len(seen.steps), 4)
        self.assertEqual(seen.by_step("Micro-step"), [3, 3, 3, 3])
        self.assertEqual(seen.outside("Evaluation"), 2)
        self.assertEqual(seen.outside("Checkpoint"), 2)
        # As torch tells: 12 batches, each forward and backward, 4 updates.
        self.assertEqual(seen.in_and_out("Forward"), (12, 10))
        self.assertEqual(seen.in_and_out("Backward"), (12, 0))
        self.assertEqual(seen.in_and_out("Optimization"), (4, 0))
        # The Trainer asks for a batch ahead, and so finds the end of the data
        # in the last step.
        self.assertIn(seen.in_and_out("Dataloader")[0], (12, 13))
        self.assertTrue(any(row["name"].startswith("aten::")
                            for row in seen.events))
        summary = str(seen.result.summary())
        self.assertIn("Input stall", summary)
        self.assertEqual(len(seen.result["steps"].to_dicts()), 4)

    def test_epochs_without_accumulation(self):
        train(3, 1, num_train_epochs=2, **{
            key: "epoch" if key.endswith("strategy") else value
            for key, value in evaluate_every(1).items()})
        seen = Recorded()
        self.assertEqual(seen.by_step("Forward"), [1] * 6)
        self.assertEqual(seen.named("Micro-step"), [])
        self.assertEqual(seen.outside("Evaluation"), 2)

    def test_another_callback_that_raises(self):
        class Mine(transformers.TrainerCallback):
            def on_step_end(self, args, state, control, **kwargs):
                if state.global_step == 2:
                    raise ValueError("mine")

        with self.assertRaisesRegex(ValueError, "mine"):
            train(6, 1, callbacks=[Mine()], options={"out": "first"})
        train(4, 1, options={"out": "second"})
        self.assertEqual(len(Recorded("second").steps), 4)

    def test_scheduler(self):
        train(8, 1, options={"scheduler": (2, 5), "out": "log"})
        self.assertEqual(len(Recorded("log").steps), 3)

    def test_torch_profiler_beside(self):
        with torch.profiler.profile():
            said = self.warned(lambda: train(2, 1))
        self.assertEqual(sum("torch.profiler records too" in text
                             for text in said), 1, said)
        self.assertEqual(len(Recorded().steps), 2)


if __name__ == "__main__":
    unittest.main()
