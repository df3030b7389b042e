# SPDX-License-Identifier: Apache-2.0
# Paddle's guide, the use case: stop() and summary() in on_trace_ready. The
# guide leaves out the model, the data and the numbers; here they are small.
import paddle
import paddle.nn.functional as F
import stepscope as profiler

epoch_num, batch_size, learning_rate = 2, 4, 0.001
val_acc_history, val_loss_history = [], []


class Images(paddle.io.Dataset):
    def __getitem__(self, idx):
        return (paddle.rand(shape=[32], dtype='float32'),
                paddle.randint(0, 10, shape=[], dtype='int64'))

    def __len__(self):
        return 40


class MyNet(paddle.nn.Layer):
    def __init__(self):
        super(MyNet, self).__init__()
        self.fc = paddle.nn.Linear(32, 10)

    def forward(self, x):
        return self.fc(x)


cifar10_train = cifar10_test = Images()


def train(model):
    print('start training ... ')
    model.train()
    opt = paddle.optimizer.Adam(learning_rate=learning_rate,
                                parameters=model.parameters())
    train_loader = paddle.io.DataLoader(cifar10_train, shuffle=True,
                                        batch_size=batch_size)
    valid_loader = paddle.io.DataLoader(cifar10_test, batch_size=batch_size)

    def my_on_trace_ready(prof):
        callback = profiler.export_chrome_tracing('./profiler_demo')
        callback(prof)
        prof.stop()
        prof.summary(sorted_by=profiler.SortedKeys.GPUTotal)

    p = profiler.Profiler(scheduler=[3, 14], on_trace_ready=my_on_trace_ready)
    p.start()
    for epoch in range(epoch_num):
        for batch_id, data in enumerate(train_loader()):
            x_data = data[0]
            y_data = paddle.to_tensor(data[1])
            y_data = paddle.unsqueeze(y_data, 1)

            logits = model(x_data)
            loss = F.cross_entropy(logits, y_data)

            if batch_id % 1000 == 0:
                print("epoch: {}, batch_id: {}, loss is: {}".format(
                    epoch, batch_id, loss.numpy()))
            loss.backward()
            opt.step()
            opt.clear_grad()
            p.step()

        model.eval()
        accuracies = []
        losses = []
        for batch_id, data in enumerate(valid_loader()):
            x_data = data[0]
            y_data = paddle.to_tensor(data[1])
            y_data = paddle.unsqueeze(y_data, 1)

            logits = model(x_data)
            loss = F.cross_entropy(logits, y_data)
            acc = paddle.metric.accuracy(logits, y_data)
            accuracies.append(acc.numpy())
            losses.append(loss.numpy())
        val_acc_history.append(accuracies)
        val_loss_history.append(losses)
        model.train()
    p.stop()


train(MyNet())
