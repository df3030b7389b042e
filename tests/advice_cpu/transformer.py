# SPDX-License-Identifier: Apache-2.0
"""Trains one layer of a transformer on the CPU. Its feed-forward products are
so large that nothing else can take as long."""
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
layer = torch.nn.TransformerEncoderLayer(64, 2, dim_feedforward=2048,
                                         batch_first=True, dropout=0.0)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
for _ in range(8):
    optimizer.zero_grad()
    layer(torch.randn(4, 16, 64)).pow(2).mean().backward()
    optimizer.step()
