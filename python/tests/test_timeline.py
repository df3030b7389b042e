# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's Timeline and Paddle's timeline.py."""

import gzip
import json
import pathlib
import subprocess
import sys
import unittest

import support
from stepscope._step_stats import allocator_maximums
from stepscope.timeline import Timeline

FIXTURES = (pathlib.Path(__file__).resolve().parents[2]
            / "tests/fixtures/tensorflow")


def fixture(name):
    with gzip.open(FIXTURES / name) as file:
        return file.read()


class Message:
    """As much of a protobuf message as is used."""

    def __init__(self, data):
        self.data = data

    def SerializeToString(self):
        return self.data


def field(number, value):
    """Of a message: bytes, or a number."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    size = len(value)
    length = bytes([size]) if size < 128 else bytes([size & 127 | 128,
                                                     size >> 7])
    return bytes([number << 3 | 2]) + length + value


def node(name, start, duration, label, *outputs):
    made = [field(7, field(3, field(4, field(1, size)
                                    + field(3, allocator.encode()))))
            for allocator, size in outputs]
    return b"".join((field(1, name.encode()), field(2, start),
                     field(5, duration), field(8, label.encode()), *made))


class TimelineTest(support.InOwnFolder):
    def test_sample(self):
        # https://github.com/tensorflow/tensorflow/issues/1824
        run_metadata = Message(fixture("run_metadata_0.pb.gz"))
        run_metadata.step_stats = Message(fixture("step_stats_0.pb.gz"))

        trace = Timeline(step_stats=run_metadata.step_stats)
        trace_file = open("timeline.ctf.json", "w")
        trace_file.write(trace.generate_chrome_trace_format())
        trace_file.close()

        events = support.read_events("timeline.ctf.json")
        with gzip.open(FIXTURES / "timeline_0.json.gz") as file:
            of_tensorflow = [event for event
                             in json.load(file)["traceEvents"]
                             if event["ph"] == "X"]
        # What TensorFlow itself made of the same bytes; the step is ours.
        self.assertEqual(
            {**support.count(of_tensorflow), "ProfileStep#0": 1},
            support.count(events))
        self.assertNotIn("tensorflow", sys.modules)

    def test_inputs(self):
        data = fixture("step_stats_0.pb.gz")
        pathlib.Path("stats.pb").write_bytes(data)
        texts = [Timeline(one).generate_chrome_trace_format()
                 for one in (Message(data), data, bytearray(data), "stats.pb",
                             pathlib.Path("stats.pb"))]
        slices = [[event for event in json.loads(text)["traceEvents"]
                   if event.get("ph") == "X"] for text in texts]
        self.assertGreater(len(slices[0]), 0)
        for one in slices[1:]:
            self.assertEqual(one, slices[0])
        self.assertGreater(len(support.count(slices[0])), 1)

    def phases(self, **options):
        trace = Timeline(fixture("run_metadata_0.pb.gz"), graph=object())
        events = json.loads(trace.generate_chrome_trace_format(**options))
        return {event.get("ph") for event in events["traceEvents"]}

    def test_options(self):
        arrows = {"s", "f"}
        self.assertLessEqual(arrows, self.phases())
        self.assertFalse(arrows & self.phases(show_dataflow=False))
        plain = Timeline(fixture("run_metadata_0.pb.gz"))
        self.assertGreater(
            len(plain.generate_chrome_trace_format(show_memory=True)),
            len(plain.generate_chrome_trace_format()))

    def test_analysis(self):
        for name in ("step_stats_0.pb.gz", "run_metadata_0.pb.gz"):
            with self.subTest(name=name):
                trace = Timeline(fixture(name))
                analysis = trace.analyze_step_stats()
                text = analysis.chrome_trace.format_to_string()
                self.assertEqual(
                    json.loads(text), json.loads(
                        analysis.chrome_trace.format_to_string(pretty=True)))
                self.assertEqual(
                    support.count(json.loads(text)["traceEvents"]),
                    support.count(json.loads(trace.generate_chrome_trace_format(
                        show_memory=True))["traceEvents"]))
                # What TensorFlow 2.21 answers.
                self.assertEqual(analysis.allocator_maximums, {
                    "": (0, 0, set()),
                    "mklcpu": (1794725249941644, 65540, {
                        "GradientDescent/learning_rate/replicate/_0",
                        "_arg_x_0_0", "act", "gradients/act_grad/ReluGrad",
                        "gradients/logits_grad/MatMul", "w"})})
                self.assertEqual(trace.analyze_step_stats(
                    show_memory=False).allocator_maximums, {})

    def test_allocations(self):
        """a [10, 20), 8 bytes, is read by c until 34; b [20, 25) has 4; c
        [30, 35) has two outputs, 16 and 2 bytes; d is of another allocator."""
        nodes = (node("a", 10, 10, "a = Const()", ("cpu", 8)),
                 node("b", 20, 5, "b = Const()", ("cpu", 4)),
                 node("c", 30, 5, "c = Split(a/_7, gone)", ("cpu", 16),
                      ("cpu", 2)),
                 node("d", 30, 5, "d = Abs(c:1)", ("gpu", 64)))
        stats = field(1, field(1, b"/job:x/cpu:0")
                      + b"".join(field(2, one) for one in nodes))
        for data in (stats, field(1, stats)):
            most = allocator_maximums(data)
            self.assertEqual(most, {
                "cpu": (30, 26, {"a", "c", "c:1"}), "gpu": (30, 64, {"d"})})

    def test_op_time(self):
        trace = Timeline(fixture("step_stats_0.pb.gz"))
        for op_time in ("gpu", "all"):
            (said,) = self.warned(lambda: trace.generate_chrome_trace_format(
                op_time=op_time))
            self.assertIn("when they were scheduled", said)
        with self.assertRaises(ValueError):
            trace.analyze_step_stats(op_time="never")

    def test_bad_input(self):
        for wrong in (5, None, [b"x"]):
            with self.assertRaises(TypeError):
                Timeline(wrong)
        with self.assertRaises(FileNotFoundError):
            Timeline("missing.pb")
        for wrong in (b"", b"no protobuf at all"):
            with self.assertRaises(ValueError):
                Timeline(wrong).generate_chrome_trace_format()

    def test_tool_has_the_flags_of_the_original(self):
        pathlib.Path("profile").write_bytes(gzip.decompress(
            (FIXTURES.parent / "fluid/profile.pb.gz").read_bytes()))
        subprocess.run([sys.executable, "-m", "stepscope.tools.timeline",
                        "--profile_path=profile", "--timeline_path=timeline"],
                       check=True)
        names = {event["args"]["name"]
                 for event in json.loads(pathlib.Path("timeline").read_text(
                     encoding="utf-8"))["traceEvents"]
                 if event["name"] == "process_name"}
        self.assertIn("trainer:cpu:block:0", names)
        result = subprocess.run(
            [sys.executable, "-m", "stepscope.tools.timeline", "--no_flag"],
            check=False, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
