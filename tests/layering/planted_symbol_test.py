#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds libraries with a forbidden need; the symbol checker must object.

usage: planted_symbol_test.py ROOT CXX
"""

import pathlib
import subprocess
import sys
import tempfile

CHECKER = pathlib.Path(sys.argv[1]).resolve() / "tools" / "check_symbols.py"
CXX = sys.argv[2]

CLEAN = r"""
#include <pthread.h>
#include <string>
extern "C" __attribute__((visibility("default")))
int stepscope_planted(int n) { return (int)std::string(n, 'x').size(); }
"""
NEEDS_ZLIB = 'extern "C" unsigned long zlibCompileFlags();\n' + CLEAN + (
    "unsigned long Planted() { return zlibCompileFlags(); }\n")
PLANTED_MODULE = "namespace stepscope { int Drawn() { return 1; } }\n"
EXPORTS = CLEAN + ('extern "C" __attribute__((visibility("default")))\n'
                   "int leaked() { return 1; }\n")


def check(*args):
    done = subprocess.run([sys.executable, CHECKER, "--cxx", CXX, *args],
                          text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def compile_to(folder, name, text):
    source = folder / f"{name}.cc"
    source.write_text(text)
    made = folder / f"{name}.o"
    subprocess.run([CXX, "-O1", "-fPIC", "-fvisibility=hidden", "-c", source,
                    "-o", made], check=True)
    archive = folder / f"{name}.a"
    subprocess.run(["ar", "rc", archive, made], check=True)
    stranger = folder / "libstranger.so"
    subprocess.run([CXX, "-shared", "-Wl,-soname,libstranger.so.7", "-o",
                    stranger, "-x", "c++", "/dev/null"], check=True)
    library = folder / f"{name}.so"
    subprocess.run([CXX, "-shared", made, "-o", library,
                    "-Wl,--no-as-needed", stranger], check=True)
    return archive, library


def main():
    failures = []

    def expect(what, result, code, wanted):
        if result[0] != code or wanted not in result[1]:
            failures.append(f"{what}: exit {result[0]}: {result[1]}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clean, _ = compile_to(folder, "clean", CLEAN)
        expect("clean archive", check("--collector", clean), 0, "0 problems")
        zlib, _ = compile_to(folder, "needs_zlib", NEEDS_ZLIB)
        expect("zlib in the collector", check("--collector", zlib), 1,
               "needs zlibCompileFlags")
        _, library = compile_to(folder, "exports", EXPORTS)
        inside, _ = compile_to(folder, "inside", PLANTED_MODULE)
        _, with_module = compile_to(folder, "with_module",
                                    CLEAN + PLANTED_MODULE)
        _, without = compile_to(folder, "without", CLEAN)
        expect("a module inside",
               check("--library", with_module, "--without", inside), 1,
               "contains _ZN9stepscope5DrawnEv of")
        expect("no module inside",
               check("--library", without, "--without", inside), 1,
               "1 problems")  # the stranger below
        result = check("--library", library)
        expect("leaked export", result, 1, "exports leaked")
        expect("extra NEEDED", result, 1, "NEEDED libstranger.so.7")
    print("\n".join(failures) or "every planted symbol was caught")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
