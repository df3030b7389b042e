#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""VisualDL's own parser reads every file of `convert --to paddle`.

usage: visualdl_test.py STEPSCOPE GENERATE VISUALDL FIXTURES TRACES

VISUALDL is the folder that the package visualdl was unpacked to. Its parser is
plain Python; the rest of the package is not loaded, so that nothing it depends
on is needed. What VisualDL then shows is compared with what the file was made
from: its events, steps, operators, kernels and memory.
"""

import collections
import contextlib
import importlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

GENERATED = ["capture", "kineto", "paddle-json", "paddle-pb", "fluid",
             "xplane"]
FIXTURES_READ = ["capture/before_lz4.sscap", "fluid/profile.pb.gz",
                 "paddle/small_time_1.paddle_trace.json.gz",
                 "paddle/small_time_1.paddle_trace.pb.gz",
                 "tensorflow/run_metadata_0.pb.gz",
                 "tensorflow/step_stats_0.pb.gz",
                 "tensorflow/timeline_0.json.gz",
                 "xplane/tf_cpu.xplane.pb.gz"]
SUFFIXES = (".json.gz", ".pb", ".sscap", ".sqlite", ".nsys-rep")
# Types that VisualDL knows; it passes over all others.
STAGES = ("Dataloader", "Forward", "Backward", "Optimization")


def load_parser(folder):
    """The modules of VisualDL's profiler without the package around them."""
    base = pathlib.Path(folder)
    for name in ("visualdl", "visualdl.component",
                 "visualdl.component.profiler",
                 "visualdl.component.profiler.parser"):
        module = types.ModuleType(name)
        module.__path__ = [str(base / name.replace(".", "/"))]
        sys.modules[name] = module
    within = "visualdl.component.profiler."
    return (importlib.import_module(within + "parser.event_node"),
            importlib.import_module(within + "profiler_data"))


def walk(node):
    """All host nodes below a root, without recursion."""
    found = []
    stack = list(node.children_node)
    while stack:
        child = stack.pop()
        found.append(child)
        stack.extend(child.children_node)
    return found


class Read:
    """One file as VisualDL has it."""

    def __init__(self, path):
        with contextlib.redirect_stdout(io.StringIO()):
            self.result = EVENT_NODE.load_profiler_json(str(path))
            self.data = PROFILER_DATA.ProfilerData(
                "run", "worker", self.result.get_span_idx(), self.result)
        self.hosts = [node for root in self.result.get_data().values()
                      for node in walk(root)]
        self.types = collections.Counter(node.type for node in self.hosts)


def views_of(data):
    """Every panel of VisualDL that the data has; an exception is a failure."""
    views = data.get_views()
    data.get_device_infos()
    if "Overview" in views:
        data.get_model_perspective("ms")
        for device in ("cpu", "gpu") if data.has_gpu else ("cpu",):
            data.get_model_perspective_perstep(device, "ms")
            data.get_event_type_perspective(device, "ms")
        data.get_event_type_model_perspective("ms")
        data.get_userdefined_perspective("ms")
    if "Operator" in views:
        # Where there is device work and no operator launched any, the pie of
        # VisualDL divides by zero, whoever wrote the file.
        if not data.has_gpu or any(item.general_gpu_time for item in
                                   data.operator_items.values()):
            data.get_operator_pie(10)
        data.get_operator_table("op_name")
    if "GPU Kernel" in views:
        data.get_kernel_pie(10)
        data.get_kernel_table("kernel_name")
        data.get_kernel_tc_pie(10)
    if "Memory" in views:
        for device in data.get_memory_devices():
            data.get_memory_curve(device["device"])
            data.get_memory_events(device["device"])
            data.get_op_memory_events(device["device"])
    data.get_trace_data()
    return views


class VisualDlTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.files.cleanup)
        cls.folder = pathlib.Path(cls.files.name)

    def run_program(self, *args):
        done = subprocess.run([str(arg) for arg in args], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def convert(self, path):
        out = self.folder / "x_time_1.paddle_trace.json"
        self.run_program(STEPSCOPE, "convert", path, "--to", "paddle", "-o",
                         out)
        return out

    def check(self, path):
        with self.subTest(trace=str(path)):
            want = json.loads(self.run_program(STEPSCOPE, "summary", path,
                                               "--format", "json"))
            out = self.convert(path)
            self.check_file(out, want)

    def check_file(self, out, want):
        content = json.loads(out.read_text())
        events = [event for event in content["traceEvents"]
                  if event and event["ph"] in "Xi"]
        read = Read(out)
        self.assertEqual(read.result.get_span_idx(), content["span_indx"])
        self.assertEqual(content["span_indx"], content["span_index"])
        # Events: all of every type that VisualDL knows.
        counts = collections.Counter(event["cat"] for event in events)
        hosts = (EVENT_NODE.host_node_type_map - {"CudaRuntime"})
        for name in hosts:
            self.assertEqual(read.types[name], counts[name], name)
        names = collections.Counter(
            event["name"][:event["name"].rindex("[")]
            for event in events if event["cat"] in hosts)
        self.assertEqual(names,
                         collections.Counter(node.name for node in read.hosts))
        for key in ("Process Cpu Utilization", "System Cpu Utilization"):
            self.assertGreaterEqual(float(read.result.get_extra_info()[key]),
                                    0)
        # The summary structures.
        views = views_of(read.data)
        self.assertIn("Trace", views)
        steps = [node for root in read.result.get_data().values()
                 for node in root.children_node if node.type == "ProfileStep"]
        if any(stage.type == "Forward" for step in steps
               for stage in step.children_node):
            self.assertIn("Overview", views)
        if read.types["Operator"]:
            self.assertIn("Operator", views)
            self.check_operators(read, want)
        # Its trees need steps, directly in a thread, with a number.
        if read.hosts:
            self.assertGreater(len(steps), 0)
            self.assertEqual(read.data.process_id, steps[-1].process_id)
        if counts["Allocate"] + counts["Free"]:
            memory = sum(len(node.mem_node) for node in read.hosts)
            memory += sum(len(root.mem_node)
                          for root in read.result.get_data().values())
            self.assertTrue(read.result.has_memory())
            self.assertGreater(memory, 0)

    def check_operators(self, read, want):
        """Of threads alone: an operator may also be of no thread."""
        items = read.data.operator_items
        for row in want["operator"]:
            name = row["name"]
            if name == "(no launch)":
                continue
            self.assertIn(name, items)
            self.assertGreaterEqual(items[name].call, row["calls"], name)

    def test_generated(self):
        for name in GENERATED:
            path = self.folder / f"generated_{name}"
            self.run_program(GENERATE, name, path, "--events", 2000)
            self.check(path)

    def test_fixtures(self):
        for name in FIXTURES_READ:
            self.check(pathlib.Path(FIXTURES) / name)

    def test_real(self):
        folder = pathlib.Path(TRACES)
        if not folder.is_dir():
            self.skipTest(f"no folder {folder}")
        paths = [path for path in sorted(folder.rglob("*"))
                 if not {"peer", "serving", "memory"} & set(  # not all read yet
                     path.relative_to(folder).parts)
                 and path.name.endswith(SUFFIXES)
                 and "key_averages" not in path.name]
        self.assertGreater(len(paths), 5)
        for path in paths:
            self.check(path)

    def test_odd_names(self):
        path = self.folder / "odd.json"
        events = [{"ph": "X", "name": name, "cat": "Operator", "pid": 1,
                   "tid": -7, "ts": 10 * i, "dur": 5}
                  for i, name in enumerate(
                      ["", "two\nlines", "[x]", "a[1 us]", "\t", "\u00e9"])]
        path.write_text(json.dumps(events))
        out = self.convert(path)
        names = [node.name for node in Read(out).hosts
                 if node.type != "ProfileStep"]
        self.assertEqual(sorted(names),
                         sorted(["(empty name)", "two lines", "[x]", "a[1 us]",
                                 "\t", "\u00e9"]))

    def test_what_visualdl_refuses_is_seen(self):
        """The test must see what VisualDL does not read."""
        path = self.folder / "generated"
        self.run_program(GENERATE, "paddle-json", path, "--events", 500)
        want = json.loads(self.run_program(STEPSCOPE, "summary", path,
                                           "--format", "json"))
        whole = json.loads(self.convert(path).read_text())
        out = self.folder / "broken.json"

        def fails(change, error):
            content = json.loads(json.dumps(whole))
            change(content)
            out.write_text(json.dumps(content))
            with self.assertRaises(error):
                self.check_file(out, want)

        fails(lambda c: c.pop("span_indx"), KeyError)
        fails(lambda c: c["ExtraInfo"].pop("System Cpu Utilization"), KeyError)
        operator = next(i for i, event in enumerate(whole["traceEvents"])
                        if event.get("cat") == "Operator")
        fails(lambda c: c["traceEvents"][operator].update(name="bare"),
              Exception)
        fails(lambda c: c["traceEvents"].pop(operator), AssertionError)


if __name__ == "__main__":
    (STEPSCOPE, GENERATE, VISUALDL, FIXTURES, TRACES) = sys.argv[1:6]
    if not pathlib.Path(VISUALDL).is_dir():
        print(f"skipped: no VisualDL in {VISUALDL}; `tools/bootstrap test` "
              "installs it where there is a network")
        sys.exit(77)
    try:
        EVENT_NODE, PROFILER_DATA = load_parser(VISUALDL)
    except ImportError as error:
        print(f"skipped: VisualDL in {VISUALDL} cannot be imported: {error}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
