# SPDX-License-Identifier: Apache-2.0
"""The JSON file of get_profiler()."""

import importlib
import json
from typing import Any, Dict

from .._enums import ProfilerTarget


def _call(description: Dict[str, Any]) -> Any:
    """What {"module", "use_direct", "args", "kwargs"} under the name of a
    function stands for: the function, or what it returns."""
    (name, how), = description.items()
    function = getattr(importlib.import_module(how["module"]), name)
    if how.get("use_direct", False):
        return function
    return function(*how.get("args", []), **how.get("kwargs", {}))


def _targets(value: Any) -> Any:
    names = {target.name.lower(): target for target in ProfilerTarget}
    return [names[str(name).lower()] for name in value]


def _scheduler(value: Any) -> Any:
    return _call(value) if isinstance(value, dict) else tuple(value)


def _timer_only(value: Any) -> Any:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is not true or false")
    return value


_KEYS = {
    "targets": _targets,
    "scheduler": _scheduler,
    "on_trace_ready": _call,
    "timer_only": _timer_only,
}


def read_config(path: str) -> Dict[str, Any]:
    """The arguments of Profiler. What cannot be used is named on standard
    output, and its default is taken."""
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
        items = dict(config).items()
    except Exception as error:
        print(f"Load config file for profiler error: {error}")
        print("Use default parameters instead.")
        return {}
    arguments = {}
    for key, value in items:
        try:
            arguments[key] = _KEYS[key](value)
        except KeyError as error:
            print(f"Set {key} for profiler error: {error} is not known. "
                  "Use default parameter instead.")
        except Exception as error:
            print(f"Set {key} for profiler error: {error}. "
                  "Use default parameter instead.")
    return arguments
