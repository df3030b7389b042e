# SPDX-License-Identifier: Apache-2.0
"""Layers that multiply a little."""

from . import functional


class Layer:
    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def parameters(self):
        return []

    def clear_gradients(self):
        pass

    def train(self):
        pass

    def eval(self):
        pass


class Linear(Layer):
    def __init__(self, inputs, outputs):
        self.outputs = outputs

    def forward(self, data):
        import paddle

        return paddle.Tensor(sum(data) * i for i in range(self.outputs))
