# SPDX-License-Identifier: Apache-2.0
"""The names of modules as ranges: "ResNet.layer1.0.conv1"."""

import weakref

from .. import _stages

_alive = {}  # by address: the weak reference that tells when a module dies


def name_modules(module, is_outermost):
    """Called by _stages for a module that has no name yet. The outermost one
    names all that are in it; others were not found there."""
    name = type(module).__name__
    if not is_outermost:
        _name(module, name)
        return
    for path, part in module.named_modules():
        _name(part, f"{name}.{path}" if path else name)


def _name(module, name):
    address = id(module)

    def forget(reference):
        if _alive.get(address) is reference:
            del _alive[address]
            _stages.forget_module(address)

    _alive[address] = weakref.ref(module, forget)
    _stages.name_module(address, name)
