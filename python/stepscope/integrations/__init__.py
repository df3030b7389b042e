# SPDX-License-Identifier: Apache-2.0
"""Profiling where a framework has the training loop: one module for each.

* :mod:`stepscope.integrations.transformers`: Hugging Face Trainer
* :mod:`stepscope.integrations.accelerate`: loops with Hugging Face Accelerate
* :mod:`stepscope.integrations.lightning`: Lightning
* :mod:`stepscope.integrations.keras`: Keras 3 and tf.keras

A module loads the package that it is for, and no other. A fault in it
is said once, and the program goes on.
"""
