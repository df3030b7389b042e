# SPDX-License-Identifier: Apache-2.0
"""What Python executes at its start under `stepscope run`, which puts the
folder of this file in front of PYTHONPATH.

Starts stepscope inside the program and then executes the sitecustomize that
would have been found without this one. Any Python may find this file, 2.7 too:
for those that stepscope has no modules for, it only does the latter.
"""

import os
import sys


_starting = [True]  # empty afterwards


def _prepare_package(folder):
    """Makes the stepscope that the command line program belongs to the one
    that `import stepscope` finds, whatever else is on the path of this Python.
    Its modules can be imported at once. The package itself, which takes longer,
    is executed when the program uses it."""
    import _frozen_importlib
    import _frozen_importlib_external
    import _thread

    spec = _frozen_importlib_external.spec_from_file_location(
        "stepscope", os.path.join(folder, "stepscope", "__init__.py"))
    module = _frozen_importlib.module_from_spec(spec)
    lock = _thread.RLock()
    executed = []

    def get_attribute(name):
        private = name.startswith("__") and name not in ("__all__",
                                                         "__version__")
        with lock:
            if not private and not executed and not _starting:
                executed.append(True)
                spec.loader.exec_module(module)
            if name in module.__dict__:
                return module.__dict__[name]
        raise AttributeError("module 'stepscope' has no attribute '%s'" % name)

    module.__getattr__ = get_attribute
    sys.modules["stepscope"] = module


def _forget_package():
    for name in list(sys.modules):
        if name.partition(".")[0] == "stepscope":
            del sys.modules[name]


def _start():
    if sys.version_info < (3, 9):
        raise ImportError("this is Python %d.%d, at least 3.9 is needed"
                          % sys.version_info[:2])
    folder = os.environ.get("STEPSCOPE_PYTHON_PACKAGE")
    if folder:
        _prepare_package(folder)
    try:
        import stepscope._startup

        stepscope._startup.begin()
    except BaseException:
        _forget_package()
        raise
    finally:
        del _starting[:]


def _start_or_complain():
    # Without --python nobody asked for it, and nothing is missed.
    quiet = os.environ.get("STEPSCOPE_PYTHON") != "1"
    try:
        _start()
    except Exception as error:
        # In further interpreters of a process; the first one records.
        quiet = quiet or "interpreter" in str(error)
        if not quiet:
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
