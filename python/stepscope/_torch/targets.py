# SPDX-License-Identifier: Apache-2.0
"""Which functions of torch are the stages of a training step.

The same names in torch 1.12 to 2.15. A function that a later torch has no more
is left out: its stage is then missing, and nothing else happens.
"""

import sys
import types

# enum StageKind of src/python/stages.h
DATALOADER, FORWARD, BACKWARD, OPTIMIZATION = range(4)


def _attribute(module, *path):
    found = sys.modules.get(module)
    for name in path:
        found = getattr(found, name, None)
    return found


def owners():
    """(kind, object, name of its attribute) of each function that can be
    found, but the steps of optimizers."""
    wanted = (
        (DATALOADER, _attribute("torch.utils.data.dataloader",
                                "_BaseDataLoaderIter"), "__next__"),
        (FORWARD, _attribute("torch.nn.modules.module", "Module"), "__call__"),
        (BACKWARD, _attribute("torch.autograd"), "backward"),
        (BACKWARD, _attribute("torch.autograd"), "grad"),
    )
    return [(kind, owner, name) for kind, owner, name in wanted
            if owner is not None and hasattr(owner, name)]


def optimizer():
    """The class of which all optimizers are."""
    return _attribute("torch.optim.optimizer", "Optimizer")


def _inner_code(code, name):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name == name:
            return constant
    return None


def codes():
    """(kind, code object) of each. Optimizers share the code of the wrapper
    that profile_hook_step puts around their step."""
    found = []
    for kind, owner, name in owners():
        code = getattr(getattr(owner, name), "__code__", None)
        if code is not None:
            found.append((kind, code))
    for maker in ("profile_hook_step", "_hook_for_profile"):
        code = getattr(getattr(optimizer(), maker, None), "__code__", None)
        if code is None:
            continue
        if maker == "_hook_for_profile":  # torch 1.x
            code = _inner_code(code, "profile_hook_step")
        wrapper = code and _inner_code(code, "wrapper")
        if wrapper:
            found.append((OPTIMIZATION, wrapper))
            break
    return found
