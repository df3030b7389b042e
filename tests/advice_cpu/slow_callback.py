# SPDX-License-Identifier: Apache-2.0
"""Trains a small model; a callback at the end of each step sleeps, which takes
far longer than everything else together."""
import time

import torch


class Log:
    def on_step_end(self, loss):
        self.write("%f" % loss)

    def write(self, text):
        time.sleep(0.05)
        return text


torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.utils.data.TensorDataset(torch.randn(64, 16), torch.randn(64, 1))
callback = Log()
for batch, target in torch.utils.data.DataLoader(data, batch_size=8):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(batch), target)
    loss.backward()
    optimizer.step()
    callback.on_step_end(loss.item())
