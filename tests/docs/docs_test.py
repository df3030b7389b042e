#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The check of links finds what is planted; the references have their names.

usage: docs_test.py ROOT
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

import docs  # noqa: E402
import docs_cpp  # noqa: E402
import docs_python  # noqa: E402

GOOD = """# One `two` three

See [itself](#one-two-three), [the guide](docs/guide.md#how-to-use-it),
[a folder](docs/) and [elsewhere](https://example.com/nothing).

```
[not a link](nowhere.md)
```
"""
HEADER = """// SPDX-License-Identifier: Apache-2.0
//
// About the header.
#pragma once

// What it is.
enum kind {
  A = 0,  // the first
};

// Adds two numbers.
STEPSCOPE_API int stepscope_add(int a,
                                int b);

class Box {
 public:
  explicit Box(int size) : size_(size) { Fill({1, 2}); }

  // How large it is.
  int size() const { return size_; }

 private:
  int size_;
};
"""


class Links(unittest.TestCase):

    def check(self, readme, guide="# How to use it\n"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "docs").mkdir()
            (root / "README.md").write_text(readme)
            (root / "docs/guide.md").write_text(guide)
            done = subprocess.run(
                [sys.executable, ROOT / "tools/docs.py", "links", "--root",
                 root], check=False, text=True, stdout=subprocess.PIPE)
            return done.returncode, done.stdout

    def test_good_links_pass(self):
        code, said = self.check(GOOD)
        self.assertEqual(code, 0, said)
        self.assertIn("3 links", said)

    def test_planted_links_are_found(self):
        for link, why in (("docs/gone.md", "no such file"),
                          ("docs/guide.md#gone", "no such heading"),
                          ("#gone", "no such heading"),
                          ("../outside.md", "no such file")):
            code, said = self.check(GOOD + f"\n[text that\ngoes on]({link})\n")
            self.assertEqual(code, 1, said)
            self.assertIn(f"README.md:10: {link}: {why}", said)

    def test_links_of_the_site(self):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder).resolve()
            (site / "a").mkdir()
            (site / "a/index.html").write_text('<h1 id="x">A</h1>')
            good = '<a href="a/#x">x</a><img src="a/index.html">'
            page = site / "index.html"
            page.write_text(good)
            self.assertEqual(docs.check_site(site), ([], 2, 2))
            page.write_text(good + '<a href="a/#y">y</a><a href="b/">b</a>')
            self.assertEqual(docs.check_site(site)[0],
                             ["index.html: a/#y: no such anchor",
                              "index.html: b/: no such page"])


class References(unittest.TestCase):

    def test_a_header(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "some.h"
            path.write_text(HEADER)
            text, count = docs_cpp.page(path)
        self.assertEqual(count, 3)
        self.assertIn("About the header.", text)
        self.assertIn("A = 0,  // the first", text)
        self.assertRegex(text, r"### stepscope\\_add\n\n```cpp\n.*\n.*b\);\n"
                         "```\n\nAdds two numbers.")
        self.assertIn("explicit Box(int size);", text)
        self.assertIn("int size() const;\n```\n\nHow large it is.", text)
        self.assertNotIn("size_", text)

    def test_every_function_of_the_c_api_is_in_it(self):
        path = ROOT / "include/stepscope/c.h"
        text, _ = docs_cpp.page(path)
        names = re.findall(r"^STEPSCOPE_API [^(]*?(\w+)\(", path.read_text(),
                           re.M)
        names = [name for name in names if not re.search(r"_v\d+$", name)]
        self.assertGreater(len(names), 40)
        self.assertEqual([name for name in names if f"{name}(" not in text],
                         [])

    def test_every_public_name_of_python_is_in_it(self):
        for module in docs_python.MODULES:
            text, count = docs_python.page(module)
            self.assertGreater(count, 0, module)
            for name in docs_python.exported(docs_python.source_of(module)[1]):
                self.assertIn(f"## {name}\n", text)
        self.assertIn("Records how long a piece of code takes",
                      docs_python.page("stepscope")[0])


if __name__ == "__main__":
    unittest.main()
