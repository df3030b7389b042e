# SPDX-License-Identifier: Apache-2.0
# Paddle's guide, 4 and 5: on_trace_ready of one's own, and a RecordEvent. The
# guide's fifth sample uses the callback of the fourth without repeating it.
import paddle
import stepscope as profiler


def my_on_trace_ready(prof):
    callback = profiler.export_chrome_tracing('./profiler_demo')
    callback(prof)
    prof.summary()


linear = paddle.nn.Linear(13, 5)
momentum = paddle.optimizer.Momentum(learning_rate=1e-4,
                                     parameters=linear.parameters())
prof = profiler.Profiler(
    targets=[profiler.ProfilerTarget.CPU, profiler.ProfilerTarget.GPU],
    scheduler=(2, 10),
    on_trace_ready=my_on_trace_ready)
prof.start()
for i in range(30):
    with profiler.RecordEvent("DataPrepare"):
        data = paddle.randn(shape=[26])
        data = paddle.reshape(data, [2, 13])
    out = linear(data)
    out.backward()
    momentum.step()
    momentum.clear_grad()
    prof.step()
prof.stop()
prof.summary()
