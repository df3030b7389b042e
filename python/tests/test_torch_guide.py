# SPDX-License-Identifier: Apache-2.0
"""The code in docs/guide/from_torch_profiler.md runs as it stands there."""

import importlib.util
import os
import pathlib
import re
import unittest

import support

GUIDE = (pathlib.Path(__file__).resolve().parents[2]
         / "docs/guide/from_torch_profiler.md")


class GuideTest(support.InOwnFolder):
    def test_the_code_of_the_guide(self):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("torch is not installed")
        blocks = re.findall(r"```python\n(.*?)```",
                            GUIDE.read_text(encoding="utf-8"), re.S)
        self.assertEqual(len(blocks), 4)
        said = support.run_script("\n".join(blocks)).stdout
        self.assertRegex(said, r"model_inference +\d")
        self.assertIn("Self CPU time total", said)
        self.assertRegex(said, "Where (a step|the recording) goes")
        self.assertEqual(len(self.files("log", ".pt.trace.json")), 2)
        self.assertTrue(os.path.exists("window.sscap"))
        self.assertEqual(len(self.files(".", ".json.gz")), 1)


if __name__ == "__main__":
    unittest.main()
