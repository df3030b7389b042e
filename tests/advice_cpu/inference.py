# SPDX-License-Identifier: Apache-2.0
"""Serves batches on the CPU: no loader and no optimizer, so the loop marks its
steps. One product is far larger than everything else."""
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.ReLU(),
                            torch.nn.Linear(1024, 16))
with torch.no_grad():
    for step in range(8):
        with torch.autograd.profiler.record_function(f"ProfileStep#{step}"):
            model(torch.randn(128, 512))
