# SPDX-License-Identifier: Apache-2.0
"""What Python executes at its start under `stepscope run`, which puts the folder
of this file in front of PYTHONPATH.

Starts stepscope inside the program and then executes the sitecustomize that
would have been found without this one. Any Python may find this file, 2.7 too:
for those that stepscope has no modules for, it only does the latter.
"""

import os
import sys


def _load_package(folder):
    """Imports the stepscope that the command line program belongs to, whatever
    else is on the path of this Python."""
    if not folder:
        import stepscope

        return stepscope
    import _frozen_importlib
    import _frozen_importlib_external

    spec = _frozen_importlib_external.spec_from_file_location(
        "stepscope", os.path.join(folder, "stepscope", "__init__.py"))
    module = _frozen_importlib.module_from_spec(spec)
    sys.modules["stepscope"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        for name in list(sys.modules):
            if name.partition(".")[0] == "stepscope":
                del sys.modules[name]
        raise
    return module


def _start():
    if sys.version_info < (3, 9):
        raise ImportError("this is Python %d.%d, at least 3.9 is needed"
                          % sys.version_info[:2])
    _load_package(os.environ.get("STEPSCOPE_PYTHON_PACKAGE", ""))
    from stepscope import _startup

    _startup.begin()


def _start_or_complain():
    try:
        _start()
    except Exception as error:
        # Without --python nobody asked for it, and nothing is missed.
        if os.environ.get("STEPSCOPE_PYTHON") == "1":
            sys.stderr.write("stepscope: Python functions are not recorded: "
                             "%s\n" % (error,))


def _execute_next():
    """The sitecustomize behind this one. What it raises, site reports."""
    ours = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if getattr(error, "name", None) not in (None, "sitecustomize"):
            raise
    finally:
        if ours is not None:
            sys.modules.setdefault("sitecustomize", ours)


_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [folder for folder in sys.path if folder != _here]
if os.environ.get("STEPSCOPE_FOLLOW") == "1":
    _start_or_complain()
_execute_next()
