# SPDX-License-Identifier: Apache-2.0
class Optimizer:
    def __init__(self, learning_rate=0.1, parameters=()):
        pass

    def step(self):
        pass

    def clear_grad(self):
        pass

    def minimize(self, loss):
        pass


class Momentum(Optimizer):
    pass


class SGD(Optimizer):
    pass


class Adam(Optimizer):
    pass
