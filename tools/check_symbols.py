#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when the collector or libstepscope.so needs a library we do not allow.

usage: check_symbols.py [--cxx CXX] [--collector lib.a] [--library lib.so]
                        [--without lib.a ...] [--reader lib.so]

The collector lives in other people's processes: what its objects leave
undefined must be found in libc, pthread, dl, libstdc++ or libgcc. The shared
library may also need libz, and exports stepscope_* and nothing else; no
function of a module that it must not contain (--without) is in it. The
library that reads traces for Python (--reader) also needs what importers do.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ALLOWED = ["libc.so.6", "libpthread.so.0", "libdl.so.2", "libstdc++.so.6",
           "libgcc_s.so.1", "libm.so.6"]
LIBRARY_EXTRAS = re.compile(r"libz\.so\.1")
READER_EXTRAS = re.compile(
    r"lib(z\.so\.1|zstd\.so\.1|sqlite3\.so\.0|simdjson\.so\.\d+)")
LOADER = re.compile(r"ld-linux.*\.so\.\d+")
# Made by the linker, by libgcc.a or (atexit) by the static part of libc.
FROM_TOOLCHAIN = re.compile(
    r"_GLOBAL_OFFSET_TABLE_|__dso_handle|__ehdr_start|_DYNAMIC|_end|"
    r"__start_\w+|__stop_\w+|__tls_get_addr|_dl_\w+|__aarch64_\w+|atexit")


def output(*command):
    return subprocess.run(command, check=True, text=True,
                          capture_output=True).stdout


def symbols(path, *flags):
    lines = output("nm", "-P", *flags, path).splitlines()
    # "name type ..."; an archive adds "file.a[object.o]:" lines.
    return {line.split()[0].split("@")[0] for line in lines
            if line and not line.endswith(":")}


def allowed_symbols(cxx):
    found = set()
    for name in ALLOWED:
        path = output(cxx, f"-print-file-name={name}").strip()
        if pathlib.Path(path).is_absolute():
            found |= symbols(path, "-D", "--defined-only")
    if "malloc" not in found or "pthread_create" not in found:
        sys.exit("check_symbols: no libc found through " + cxx)
    return found


def check_collector(path, cxx):
    undefined = symbols(path, "--undefined-only")
    known = symbols(path, "--defined-only") | allowed_symbols(cxx)
    for name in sorted(undefined - known):
        if not FROM_TOOLCHAIN.fullmatch(name):
            yield f"{path}: needs {name}, which no allowed library has"


def check_library(path, extras=LIBRARY_EXTRAS):
    dynamic = output("readelf", "-dW", path)
    for name in re.findall(r"\(NEEDED\).*\[(.+?)\]", dynamic):
        if (name not in ALLOWED and not extras.fullmatch(name)
                and not LOADER.fullmatch(name)):
            yield f"{path}: NEEDED {name}"
    exported = symbols(path, "-D", "--defined-only")
    if not any(name.startswith("stepscope_") for name in exported):
        yield f"{path}: exports no stepscope_ symbol"
    for name in sorted(exported):
        if not name.startswith("stepscope_"):
            yield f"{path}: exports {name}"


def functions(path):
    """Those that a file defines and that are no template's or inline."""
    lines = [line.split() for line in
             output("nm", "-P", "--defined-only", path).splitlines()]
    return {line[0] for line in lines if line[1:2] in (["T"], ["t"])}


def check_without(path, modules):
    inside = functions(path)
    for module in modules:
        # Ours alone: what is made of a template has the same name everywhere.
        own = {name for name in functions(module)
               if re.match(r"_ZNK?9stepscope", name)}
        if not own:
            yield f"{module}: defines no function"
        for name in sorted(own & inside):
            yield f"{path}: contains {name} of {module}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--collector")
    parser.add_argument("--library")
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--reader")
    args = parser.parse_args()
    problems = []
    if args.collector:
        problems += check_collector(args.collector, args.cxx)
    if args.library:
        problems += check_library(args.library)
        problems += check_without(args.library, args.without)
    if args.reader:
        problems += check_library(args.reader, READER_EXTRAS)
    for problem in problems:
        print(problem)
    print(f"check_symbols: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
