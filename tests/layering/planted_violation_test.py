#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants violations in a copy of the sources; the checker must name each.

usage: planted_violation_test.py ROOT
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
CHECKER = ROOT / "tools" / "check_layers.py"

# (file, line to add, what the checker must say)
PLANTED = [
    ("src/collector/planted.cc", '#include "trace/trace.h"',
     'collector may not include "trace/trace.h"'),
    ("src/collector/planted.cc", "#include <trace/trace.h>",
     'collector may not include "trace/trace.h"'),
    ("src/collector/planted.cc", "#include <zlib.h>", "third-party header"),
    ("src/collector/planted.cc", "#  include <fmt/core.h>",
     "third-party header"),
    ("src/profiler/planted.cc", '#include "collector/ring.h"',
     "profiler may not include"),
    ("src/profiler/planted.cc", '#include "importers/kineto/kineto.h"',
     "profiler may not include"),
    ("src/analysis/planted.cc", '#include "exporters/chrome.h"',
     "analysis may not include"),
    ("src/base/planted.h", '#include "result.h"', 'write "module/result.h"'),
    ("include/stepscope/planted.h", '#include "base/result.h"',
     "a public header includes"),
    ("src/unheard_of/planted.cc", "#include <vector>",
     "not in the table of layers"),
]


def check(tree):
    done = subprocess.run([sys.executable, CHECKER, tree], text=True,
                          capture_output=True)
    return done.returncode, done.stdout + done.stderr


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for name in ("src", "include"):
            shutil.copytree(ROOT / name, tree / name)
        code, said = check(tree)
        if code != 0:
            print(f"the untouched copy fails:\n{said}")
            failures += 1
        for name, line, wanted in PLANTED:
            planted = tree / name
            made = not planted.parent.exists()
            planted.parent.mkdir(parents=True, exist_ok=True)
            planted.write_text(line + "\n")
            code, said = check(tree)
            if code != 1 or name not in said or wanted not in said:
                print(f"{name}: {line}: not caught, exit {code}:\n{said}")
                failures += 1
            planted.unlink()
            if made:
                planted.parent.rmdir()
    print(f"{len(PLANTED)} planted, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
