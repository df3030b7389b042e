# SPDX-License-Identifier: Apache-2.0
"""The ranges of JAX, Paddle and TensorFlow: with the framework where it is
installed, else with a stand-in that has the same class."""

import importlib.util
import os

import support

# What is written of a package that is not installed: path and text.
STANDINS = {
    "jax": {
        "jax/__init__.py": "from jax import profiler\n",
        "jax/profiler.py": """
class TraceAnnotation:
    def __init__(self, name, **kwargs):
        self.entered = 0
    def __enter__(self):
        self.entered += 1
        return self
    def __exit__(self, kind, error, traceback):
        assert self.entered == 1

class StepTraceAnnotation(TraceAnnotation):
    def __init__(self, name, **kwargs):
        super().__init__(name, _r=1, **kwargs)
""",
    },
    "tensorflow": {
        "tensorflow/__init__.py": """
from types import SimpleNamespace
from tensorflow.python.profiler.trace import Trace
profiler = SimpleNamespace(experimental=SimpleNamespace(Trace=Trace))
""",
        "tensorflow/python/__init__.py": "",
        "tensorflow/python/profiler/__init__.py": "",
        "tensorflow/python/profiler/trace.py": """
class Trace:
    def __init__(self, name, **kwargs):
        pass
    def __enter__(self):
        return self
    def set_metadata(self, **kwargs):
        pass
    def __exit__(self, kind, error, traceback):
        pass
""",
    },
    "paddle": {
        "paddle/__init__.py": "from paddle import profiler\n",
        "paddle/profiler.py": """
import enum
class TracerEventType(enum.Enum):
    Forward = 9
    PythonUserDefined = 14
class RecordEvent:
    def __init__(self, name, event_type=TracerEventType.PythonUserDefined):
        self.name, self.event_type = name, event_type
    def begin(self):
        pass
    def end(self):
        pass
    def __enter__(self):
        self.begin()
        return self
    def __exit__(self, kind, error, traceback):
        self.end()
""",
    },
}

RECORDING = """
import stepscope
prof = stepscope.Profiler(targets=[stepscope.ProfilerTarget.CPU],
                          on_trace_ready=lambda p: p.export("t.json"))
%s
prof.start()
%s
prof.stop()
loop()  # no longer recorded, and no error
"""


class RangesTest(support.InOwnFolder):
    def record(self, framework, imported, late=False):
        """The events of a program that uses ``framework``."""
        paths = [os.environ.get("PYTHONPATH", "")]
        if importlib.util.find_spec(framework) is None:
            for path, text in STANDINS[framework].items():
                path = os.path.join("standin", path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            paths.append(os.path.abspath("standin"))
        if late:
            text = RECORDING % ("", imported + "\nprof.step()\nloop()")
        else:
            text = RECORDING % (imported, "loop()")
        support.run_script(text, env={
            "PYTHONPATH": os.pathsep.join(filter(None, paths))})
        return {event["name"]: event
                for event in support.read_events("t.json")}

    def test_jax(self):
        imported = """
import jax
def loop():
    with jax.profiler.StepTraceAnnotation("train", step_num=3):
        with jax.profiler.TraceAnnotation("inner", rows=4):
            pass
"""
        for late in (False, True):
            with self.subTest(late=late):
                seen = self.record("jax", imported, late)
                self.assertEqual(seen["train"]["args"]["step_num"], 3)
                self.assertNotIn("_r", seen["train"]["args"])
                self.assertEqual(seen["inner"]["args"]["rows"], 4)

    def test_tensorflow(self):
        seen = self.record("tensorflow", """
import tensorflow as tf
def loop():
    with tf.profiler.experimental.Trace("Train", step_num=2, _r=1) as trace:
        trace.set_metadata(hit=1)
""")
        self.assertEqual(seen["Train"]["args"]["step_num"], 2)
        self.assertEqual(seen["Train"]["args"]["hit"], 1)

    def test_paddle(self):
        seen = self.record("paddle", """
import paddle
from paddle.profiler import RecordEvent, TracerEventType
def loop():
    with RecordEvent("mine"):
        event = RecordEvent("net", TracerEventType.Forward)
        event.begin()
        event.end()
""")
        self.assertEqual(seen["mine"]["cat"], "PythonUserDefined")
        self.assertEqual(seen["net"]["cat"], "Forward")
