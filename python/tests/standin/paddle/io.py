# SPDX-License-Identifier: Apache-2.0
class Dataset:
    pass


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False, num_workers=0):
        self.dataset = dataset
        self.batch_size = batch_size

    def __call__(self):
        return iter(self)

    def __iter__(self):
        import paddle

        for first in range(0, len(self.dataset), self.batch_size):
            items = [self.dataset[i] for i in
                     range(first, min(first + self.batch_size,
                                      len(self.dataset)))]
            yield [paddle.Tensor(x for item in items for x in item[part])
                   for part in range(2)]
