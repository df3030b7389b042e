# SPDX-License-Identifier: Apache-2.0
def cross_entropy(logits, labels):
    import paddle

    return paddle.Tensor([sum(logits) - sum(labels)])
