# SPDX-License-Identifier: Apache-2.0
def accuracy(logits, labels):
    import paddle

    return paddle.Tensor([0.5])
