# SPDX-License-Identifier: Apache-2.0
"""Stages by replaced functions, before CPython 3.12 or where other tools have
taken all of sys.monitoring.

They are replaced once and stay: taking them out again could break what was
compiled meanwhile. While no Profiler runs a call costs about 10 ns more.
"""

import functools
import sys
import warnings

from .. import _stages
from .targets import FORWARD, OPTIMIZATION, optimizer, owners


def _wrap(function, kind):
    return functools.update_wrapper(_stages.StageFunction(function, kind),
                                    function)


class _Wrappers:
    NUMBER = 2  # for _stages

    def __init__(self):
        self._warned = False

    def find(self):
        self.replace()
        module = sys.modules.get("torch.nn.modules.module")
        if module is None or self._warned or _is_ours(module.Module.__call__):
            return
        self._warned = True
        if sys.version_info >= (3, 12):
            why = ("other tools use all ids of sys.monitoring; stop one of "
                   "them")
        else:
            why = ("torch._dynamo was imported before stepscope; import "
                   "stepscope first")
        what = "Forward is not recorded"
        if not hasattr(_stages, "StageFunction"):
            what = "the stages of torch are not recorded"
        warnings.warn(f"stepscope: {what}, because {why}", stacklevel=2)

    def replace(self):
        """Replaces what is imported by now and was not replaced yet."""
        if not hasattr(_stages, "StageFunction"):  # only the stable ABI
            return
        for kind, owner, name in owners():
            function = getattr(owner, name)
            if _is_ours(function):
                continue
            if kind == FORWARD and "torch._dynamo" in sys.modules:
                continue  # it compares with what it found when it was imported
            setattr(owner, name, _wrap(function, kind))
        base = optimizer()
        if base is not None:
            _replace_steps(base)

    def leave(self):
        """They stay."""


def _is_ours(function):
    return isinstance(function, getattr(_stages, "StageFunction", ()))


def _wrap_step(step):
    timed = _wrap(step, OPTIMIZATION)
    compiler = sys.modules.get("torch.compiler")
    is_compiling = getattr(compiler, "is_compiling", None)
    if is_compiling is None:
        timed._stepscope = True
        return timed

    @functools.wraps(step)
    def stepped(*args, **kwargs):
        # torch.compile can look into this function, but not into the other.
        if is_compiling():
            return step(*args, **kwargs)
        return timed(*args, **kwargs)

    stepped._stepscope = True
    return stepped


def _replace_step(kind):
    step = kind.__dict__.get("step")
    if getattr(step, "hooked", False) and not hasattr(step, "_stepscope"):
        kind.step = _wrap_step(step)


def _replace_steps(base):
    """torch itself replaces the step of each class of optimizers when the
    first object of it is made; ours comes around that."""
    makers = [name for name in ("_patch_step_function", "_hook_for_profile")
              if name in base.__dict__]
    for name in makers[:1]:
        maker = base.__dict__[name]
        if hasattr(maker, "_stepscope"):
            continue

        @functools.wraps(maker)
        def hook(self, maker=maker):
            maker(self)
            for kind in type(self).__mro__:
                _replace_step(kind)

        hook._stepscope = True
        setattr(base, name, hook)
    classes = [base]
    while classes:
        kind = classes.pop()
        _replace_step(kind)
        classes.extend(kind.__subclasses__())


WRAPPERS = _Wrappers()
