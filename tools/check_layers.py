#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a source file includes what its layer may not see.

usage: check_layers.py [ROOT]

Two rules. A module includes only the modules below it (LAYERS). And the
modules that must build on a bare machine (BARE) include only the system's own
headers, beside ours and, where stated, zlib. Tests may also include gtest.
"""

import pathlib
import re
import sys

# module -> what it may include, besides itself and <stepscope/...>. An entry
# with a slash is one folder or file prefix of that module. The collector is
# in nobody's list: everybody reaches it through <stepscope/c.h>.
LAYERS = {
    "format": set(),
    "collector": {"format"},
    "gpu": set(),
    "inject": {"torch/observer_abi", "torch/range_kind",
               "collector/own_thread.h", "collector/sync.h"},
    "torch": set(),
    "base": set(),
    "trace": {"base"},
    "memory": {"base"},
    "importers": {
        "memory", "trace", "base", "format", "exporters/perfetto/facts.h",
    },
    "exporters": {"trace", "base", "format"},
    "timeline": {"trace", "base"},
    "snapshot": {"timeline", "trace", "base"},
    "analysis": {"memory", "trace", "base"},
    "report": {
        "analysis", "memory", "trace", "base", "exporters/proto/wire.h",
    },
    "profiler": {
        "importers/capture", "analysis", "report", "exporters", "trace", "base",
    },
    "query": {
        "importers", "report/render_csv", "report/table_json", "analysis",
        "trace", "base",
    },
    "server": {
        "query", "analysis", "report", "importers", "exporters", "snapshot",
        "timeline", "trace", "base",
    },
    "cli": {
        "server", "query", "profiler", "report", "analysis", "memory",
        "importers", "exporters", "trace", "base", "format",
    },
    "read": {
        "query", "report", "analysis", "importers", "exporters", "trace",
        "base",
    },
    "python": {
        "read/read", "query", "profiler", "report", "analysis", "importers",
        "exporters", "trace", "base",
    },
}

# Folders that may see the compiler's, libc's and Linux's headers only, and
# the one library more that each may use.
BARE = {
    "include/stepscope": set(),
    "src/format": set(),
    "src/collector": set(),
    "src/inject": set(),
    "src/base": {"zlib.h"},
    "src/trace": set(),
    "src/memory": set(),
    "src/timeline": set(),
    "src/snapshot": set(),
    "src/analysis": {"zlib.h"},
    "src/report": set(),
    "src/profiler": {"zlib.h"},
    "src/importers/capture": {"zlib.h"},
    "src/importers/torch_memory": set(),
    "src/importers/input": {"zlib.h", "zstd.h"},
    "src/exporters/chrome": {"zlib.h"},
}

SYSTEM = re.compile(
    r"""[a-z_0-9]+                        # C++: <vector>
      | (sys|linux|asm|arpa|netinet)/[a-z_0-9./]+\.h
      | (assert|byteswap|cpuid|ctype|cxxabi|dirent|dlfcn|elf|endian|errno|
         execinfo|fcntl|fenv|float|inttypes|limits|link|locale|malloc|math|
         memory|netdb|poll|pthread|sched|semaphore|setjmp|signal|spawn|
         stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|
         strings|time|ucontext|unistd|wchar|
         arm_acle|arm_neon|immintrin|nmmintrin|x86intrin)\.h
    """, re.VERBOSE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Kinds of file that are in no library; _support is what tests share.
TEST_ENDINGS = ("_test", "_bench", "_fuzzer", "_support")
SUFFIXES = {".h", ".cc", ".c", ".cpp", ".hpp"}


def includes(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def may_see(module, header):
    allowed = LAYERS[module] | {module}
    return any(header.startswith(entry if "/" in entry else entry + "/")
               for entry in allowed)


def bare_extras(relative):
    for folder, extras in BARE.items():
        if relative.startswith(folder):
            return extras
    return None


def problems_of(path, root):
    relative = path.relative_to(root).as_posix()
    in_src = relative.startswith("src/")
    module = relative.split("/")[1] if in_src else None
    if in_src and module not in LAYERS:
        yield f"{relative}: src/{module} is not in the table of layers"
        return
    extras = bare_extras(relative)
    is_test = path.stem.endswith(TEST_ENDINGS)
    for number, quote, header in includes(path):
        where = f"{relative}:{number}"
        first = header.split("/")[0]
        if first == "stepscope":
            if module == "gpu" and header != "stepscope/plugin.h":
                yield f"{where}: gpu sees <stepscope/plugin.h> only"
            continue
        if "/" in header and first in LAYERS:
            if module is None:
                yield f'{where}: a public header includes "{header}"'
            elif not may_see(module, header):
                yield f'{where}: {module} may not include "{header}"'
            continue
        if quote == '"' and in_src and "/" not in header:
            yield f'{where}: write "module/{header}", from src/'
            continue
        if is_test and first in ("gtest", "gmock"):
            continue
        if (extras is not None and header not in extras
                and not SYSTEM.fullmatch(header)):
            yield f"{where}: third-party header <{header}> in a bare module"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = sorted(path for folder in ("src", "include")
                   for path in (root / folder).rglob("*")
                   if path.suffix in SUFFIXES)
    if not files:
        sys.exit(f"check_layers: no sources under {root}")
    problems = [p for path in files for p in problems_of(path, root)]
    for problem in problems:
        print(problem)
    print(f"check_layers: {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
