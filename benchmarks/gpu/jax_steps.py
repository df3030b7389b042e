# SPDX-License-Identifier: Apache-2.0
"""A JAX training script that knows nothing of stepscope. tools/gpu_check runs
it under `stepscope run`.

usage: jax_steps.py STEPS
"""

import sys

import jax
import jax.numpy as jnp


def loss(weights, inputs, targets):
    hidden = jnp.tanh(inputs @ weights["in"])
    return jnp.mean((hidden @ weights["out"] - targets) ** 2)


@jax.jit
def step(weights, inputs, targets):
    value, slope = jax.value_and_grad(loss)(weights, inputs, targets)
    weights = jax.tree.map(lambda w, g: w - 0.1 * g, weights, slope)
    return weights, value


def main():
    if jax.default_backend() != "gpu":
        sys.exit("jax_steps: JAX sees no GPU")
    keys = jax.random.split(jax.random.key(0), 4)
    weights = {"in": jax.random.normal(keys[0], (512, 1024)) * 0.05,
               "out": jax.random.normal(keys[1], (1024, 16)) * 0.05}
    inputs = jax.random.normal(keys[2], (256, 512))
    targets = jax.random.normal(keys[3], (256, 16))
    first = last = None
    for _ in range(int(sys.argv[1])):
        weights, value = step(weights, inputs, targets)
        last = float(value)
        first = last if first is None else first
    print(f"loss {first:.4f} -> {last:.4f}")
    sys.exit(0 if last < first else 1)


main()
