#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_odr.py stops on a planted violation and not on a sound pair.

usage: planted_odr_test.py ROOT CXX
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CXX = sys.argv.pop()
ROOT = pathlib.Path(sys.argv.pop()).resolve()

FIRST = """
namespace stepscope {
struct Span { long start; long end; };
long Length(const Span& span) { return span.end - span.start; }
}
"""
SAME = """
namespace stepscope {
struct Span { long start; long end; };
long Middle(const Span& span) { return (span.start + span.end) / 2; }
}
"""
OTHER = """
namespace stepscope {
struct Span { int lane; double share; };
double Share(const Span& span) { return span.share; }
}
"""
APART = OTHER.replace("namespace stepscope", "namespace stepscope::lanes")


class PlantedOdr(unittest.TestCase):

    def check(self, *sources, apart=()):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            objects = []
            for number, text in enumerate((*sources, *apart)):
                source = folder / f"{number}.cc"
                source.write_text(text)
                objects.append(source.with_suffix(".o"))
                subprocess.run([CXX, "-std=c++20", "-O0", "-flto", "-c", source,
                                "-o", objects[-1]], check=True)
            return subprocess.run(
                [sys.executable, ROOT / "tools/check_odr.py", "--cxx", CXX,
                 *objects[:len(sources)], "--apart", *objects[len(sources):]],
                check=False, text=True, stderr=subprocess.PIPE)

    def test_two_definitions_of_one_name(self):
        result = self.check(FIRST, OTHER)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("-Werror=odr", result.stderr)
        self.assertIn("Span", result.stderr)

    def test_two_types_of_one_variable(self):
        result = self.check("int level;", "extern double level;\n"
                            "double Level() { return level; }")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("level", result.stderr)

    def test_two_definitions_of_one_function(self):
        result = self.check("int Level() { return 1; }",
                            "int Level() { return 2; }")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("Level", result.stderr)

    def test_libraries_of_their_own(self):
        entry = 'extern "C" int Enter() { return 1; }'
        result = self.check(entry, apart=[entry])
        self.assertEqual(result.returncode, 0, result.stderr)
        result = self.check(FIRST, apart=[OTHER])
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("Span", result.stderr)

    def test_sound_pairs(self):
        for second in (SAME, APART):
            result = self.check(FIRST, second)
            self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
