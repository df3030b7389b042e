# SPDX-License-Identifier: Apache-2.0
# Paddle's guide, 1: all batches, into ./profiler_log.
import paddle
import stepscope as profiler

linear = paddle.nn.Linear(13, 5)
momentum = paddle.optimizer.Momentum(learning_rate=1e-4,
                                     parameters=linear.parameters())
with profiler.Profiler() as prof:
    for i in range(20):
        data = paddle.randn(shape=[26])
        data = paddle.reshape(data, [2, 13])
        out = linear(data)
        out.backward()
        momentum.step()
        momentum.clear_grad()
        prof.step()
prof.summary()
