# SPDX-License-Identifier: Apache-2.0
"""What a capture says of a training loop: which steps, and which ranges in
them and outside."""

import collections
import glob
import os
import unittest

import stepscope


def without(error):
    """What a test does without its package; where that was fetched for it,
    there is an error to see."""
    if os.environ.get("LOOPS_FOR_TESTS"):
        raise error
    raise unittest.SkipTest(f"not installed: {error}")


class Recorded:
    """The one capture of a folder."""

    def __init__(self, folder="stepscope_log"):
        paths = sorted(glob.glob(os.path.join(folder, "*.sscap")))
        if len(paths) != 1:
            raise AssertionError(f"{len(paths)} captures in {folder}")
        self.path = paths[0]
        self.result = stepscope.load(self.path)
        self.events = self.result.events.to_dicts()
        self.steps = sorted(
            ((row["start_ns"], row["start_ns"] + row["dur_ns"])
             for row in self.events if row["name"].startswith("ProfileStep")))

    def named(self, name):
        return [row for row in self.events if row["name"] == name]

    def is_in_step(self, row):
        end = row["start_ns"] + row["dur_ns"]
        return any(row["start_ns"] < last and first < end
                   for first, last in self.steps)

    def by_step(self, name):
        """How many ranges of that name each step has."""
        return [sum(first <= row["start_ns"] < last
                    for row in self.named(name))
                for first, last in self.steps]

    def outside(self, name):
        """How many ranges of that name are in no step; an error if one is
        partly in."""
        found = [row for row in self.named(name) if not self.is_in_step(row)]
        if len(found) not in (0, len(self.named(name))):
            raise AssertionError(f"{name}: in a step and in none")
        return len(found)

    def in_and_out(self, name):
        """How many ranges of that name are in steps, and in none."""
        found = collections.Counter(map(self.is_in_step, self.named(name)))
        return found[True], found[False]

    def periods(self):
        """Of the steps, in their order, in nanoseconds."""
        return [row["period_ns"] for row in self.result["steps"].to_dicts()]
