#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workflows, recipes and hooks name things that exist, and releases are checked.

usage: packaging_test.py ROOT
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools"))
sys.path.append(str(ROOT / ".cache/docs"))  # for yaml
sys.dont_write_bytecode = True

import release  # noqa: E402

CMAKE = "project(stepscope VERSION 1.2.3 LANGUAGES C CXX)"
CHANGELOG = """# Changelog

## Unreleased

## 1.2.3 (2030-01-31)

* **run**: is new.

## 1.2.2 (2030-01-01)

* **view**: is old.
"""


def read(path):
    return (ROOT / path).read_text()


def yaml_files():
    return [*sorted((ROOT / ".github/workflows").glob("*.yml")),
            ROOT / ".pre-commit-config.yaml"]


class Release(unittest.TestCase):

    def problems(self, tag="v1.2.3", changelog=CHANGELOG):
        return list(release.problems_of(tag, CMAKE, changelog))

    def test_a_good_one(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(release.sections(CHANGELOG)[1],
                         ("1.2.3", "2030-01-31", "* **run**: is new."))

    def test_each_fault_is_named(self):
        for tag, old, new, wanted in (
                ("v1.2.4", "", "", "must be v1.2.3"),
                ("1.2.3", "", "", "must be v1.2.3"),
                ("v1.2.3", "1.2.3", "1.2.1", "no heading"),
                ("v1.2.3", " (2030-01-31)", "", "no date"),
                ("v1.2.3", "* **run**: is new.", "", "says nothing"),
                ("v1.2.3", "Unreleased\n", "Unreleased\n\n* new\n",
                 "in no version")):
            (problem,) = self.problems(tag, CHANGELOG.replace(old, new))
            self.assertIn(wanted, problem)

    def test_our_changelog_can_be_read(self):
        self.assertEqual(release.sections(read("CHANGELOG.md"))[0][0],
                         "Unreleased")
        self.assertRegex(release.version_of(read("CMakeLists.txt")),
                         r"^\d+\.\d+\.\d+$")


class Names(unittest.TestCase):

    def test_targets_and_files_exist(self):
        targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.M))
        checked = 0
        for path in [*yaml_files(), ROOT / "packaging/Containerfile",
                     ROOT / "packaging/README.md",
                     ROOT / ".github/pull_request_template.md"]:
            text = path.read_text()
            for target in re.findall(r"(?:run: |`|^#   )make ([\w-]+)", text,
                                     re.M):
                self.assertIn(target, targets, path)
                checked += 1
            for file in re.findall(
                    r"(?<![\w/])((?:tools|packaging)/[\w./]*\w)", text):
                self.assertTrue((ROOT / file).exists(), f"{path}: {file}")
                checked += 1
        self.assertGreater(checked, 10)

    def test_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no yaml; tools/bootstrap docs fetches it")
        for path in yaml_files():
            # YAML reads the key `on` as true.
            found = yaml.safe_load(path.read_text())
            for job in found.get("jobs", {}).values():
                self.assertTrue("uses" in job or job["steps"], path)
                if "uses" in job:
                    self.assertTrue((ROOT / job["uses"]).exists(), path)
            for hook in (found.get("repos") or [{"hooks": []}])[0]["hooks"]:
                self.assertEqual(hook["language"], "system")

    def test_versions_agree(self):
        lint = read("tools/requirements/lint.txt")
        for path in (".pre-commit-config.yaml", "CONTRIBUTING.md"):
            text = read(path)
            for name in ("clang-format", "ruff", "clang-tidy"):
                for said in re.findall(rf"{name} (\d[\d.]*\d)", text):
                    self.assertIn(f"{name}=={said}\n", lint, path)
            for said in re.findall(r"eslint (\d[\d.]*\d)", text):
                self.assertIn(f'"eslint": "{said}"',
                              read("ui/lint/package.json"), path)


if __name__ == "__main__":
    unittest.main()
