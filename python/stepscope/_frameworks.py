# SPDX-License-Identifier: Apache-2.0
"""What is recorded of frameworks by itself, while a Profiler runs.

Frameworks are never imported here. A Profiler calls ``start()`` and ``stop()``,
and ``look()`` at each step, which looks again when something was imported.
"""

import sys

from . import _paddle, _torch

_seen = 0  # modules when we last looked

# Frameworks whose own ranges become events: the module that has them.
_RANGES = ("jax", "paddle", "tensorflow")
_patched = set()


def start(shapes=False, modules=False, operators=True, memory=False,
          values=False):
    global _seen
    _seen = len(sys.modules)
    _torch.start(shapes, modules, operators, memory, values)
    _paddle.start()
    _patch_ranges()


def start_for(profiler, operators=True):
    """As a Profiler was asked to. Without operators, their memory is not
    recorded either."""
    start(profiler.record_shapes, profiler.with_modules, operators,
          profiler.profile_memory and operators, profiler._record_values)


def stop():
    _torch.stop()
    _paddle.stop()


def look():
    global _seen
    if len(sys.modules) == _seen:
        return
    _seen = len(sys.modules)
    _torch.look()
    _paddle.look()
    _patch_ranges()


def install():
    """For programs without a Profiler: whenever the collector records."""
    from ._imports import after_import

    _torch.install()
    _patch_ranges()
    for name in _RANGES:
        if name not in sys.modules:
            after_import(name, _patch_ranges)


def _patch_ranges():
    for name in _RANGES:
        if name not in sys.modules or name in _patched:
            continue
        from . import _ranges

        if _ranges.patch(name):
            _patched.add(name)
