# SPDX-License-Identifier: Apache-2.0
# Paddle's guide, 1: the batches [2, 10), with a context manager. The guide
# writes ProfilerTarget without the module.
import paddle
import stepscope as profiler

linear = paddle.nn.Linear(13, 5)
momentum = paddle.optimizer.Momentum(learning_rate=1e-4,
                                     parameters=linear.parameters())
with profiler.Profiler(
        targets=[profiler.ProfilerTarget.CPU, profiler.ProfilerTarget.GPU],
        scheduler=(2, 10),
        on_trace_ready=profiler.export_chrome_tracing('./profiler_demo'),
) as prof:
    for i in range(30):
        data = paddle.randn(shape=[26])
        data = paddle.reshape(data, [2, 13])
        out = linear(data)
        out.backward()
        momentum.step()
        momentum.clear_grad()
        prof.step()
prof.summary()
