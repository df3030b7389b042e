# SPDX-License-Identifier: Apache-2.0
"""stepscope.integrations.accelerate with the real Accelerator, on the CPU."""

import os
import unittest

import support
from loop_support import Recorded, without

os.environ.update(ACCELERATE_USE_CPU="true", CUDA_VISIBLE_DEVICES="")
try:
    import accelerate
    import torch
except ImportError as error:
    without(error)
from stepscope.integrations.accelerate import profile


def loader(batches):
    return torch.utils.data.DataLoader(torch.randn(batches * 2, 4),
                                       batch_size=2)


def train(accumulate, batches, epochs=1, save=False, **options):
    accelerator = accelerate.Accelerator(
        cpu=True, gradient_accumulation_steps=accumulate)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model, optimizer, data, evaluated = accelerator.prepare(
        model, optimizer, loader(batches), loader(5))
    with profile(accelerator, **options) as prof:
        for _ in range(epochs):
            for batch in data:
                with accelerator.accumulate(model):
                    accelerator.backward(model(batch).mean())
                    optimizer.step()
                    optimizer.zero_grad()
            with prof.evaluation(), torch.no_grad():
                for batch in evaluated:
                    model(batch)
            if save:
                accelerator.save_state("state")
    return accelerator


class AccelerateTest(support.InOwnFolder):
    def test_accumulation_evaluation_and_saving(self):
        accelerator = train(3, 6, epochs=2, save=True)
        self.assertTrue(os.path.isdir("state"))
        self.assertNotIn("accumulate", vars(accelerator))
        seen = Recorded()
        self.assertEqual(len(seen.steps), 4)
        self.assertEqual(seen.by_step("Micro-step"), [3] * 4)
        self.assertEqual(seen.outside("Evaluation"), 2)
        self.assertEqual(seen.outside("Checkpoint"), 2)
        self.assertEqual(seen.in_and_out("Forward"), (12, 10))
        self.assertEqual(seen.in_and_out("Backward"), (12, 0))

    def test_data_that_ends_within_an_accumulation(self):
        # Accelerate does an optimizer step at the end of the data.
        train(3, 4)
        self.assertEqual(Recorded().by_step("Micro-step"), [3, 1])

    def test_without_accumulation(self):
        train(1, 5)
        seen = Recorded()
        self.assertEqual(seen.by_step("Forward"), [1] * 5)
        self.assertEqual(seen.named("Micro-step"), [])


if __name__ == "__main__":
    unittest.main()
