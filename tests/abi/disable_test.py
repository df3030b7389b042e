#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""STEPSCOPE_DISABLE removes everything that marks a program; see main()."""

import argparse
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(*command, **how):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True,
                          text=True, **how)


def needed(objects):
    """Symbols of the library that the objects leave undefined."""
    said = run("nm", "-u", *objects, stdout=subprocess.PIPE).stdout
    return sorted({line.split()[-1] for line in said.splitlines()
                   if line.split() and
                   line.split()[-1].startswith("stepscope_")})


def compile_cc(args, name, folder, *flags):
    made = folder / f"{name}.o"
    run(args.cxx, "-std=c++17", *STRICT, f"-DMARKED={name}", *flags, "-I",
        args.include, "-c", HERE / "marked.cc", "-o", made)
    return made


def check_level(args, folder, level):
    off = compile_cc(args, "Disabled", folder, level, "-DSTEPSCOPE_DISABLE")
    assert needed([off]) == [], needed([off])
    # The check can fail: the same file without the macro needs the library.
    on = compile_cc(args, "Enabled", folder, level)
    assert "stepscope_gate_v1" in needed([on]), needed([on])

    # The C program links and runs without any library of ours.
    program = folder / "c_program"
    run(args.cc, "-std=c11", *STRICT, level, "-DSTEPSCOPE_DISABLE", "-I",
        args.include, HERE / "marked.c", "-o", program)
    run(program)

    mixed = folder / "mixed"
    library = args.library.resolve()
    for order in ([off, on], [on, off]):
        run(args.cxx, "-std=c++17", level, "-I", args.include,
            HERE / "mixed_main.cc", *order, library,
            f"-Wl,-rpath,{library.parent}", "-o", mixed)
        capture = folder / "mixed.sscap"
        capture.unlink(missing_ok=True)
        run(mixed, cwd=folder)
        recorded = capture.read_bytes()
        assert b"Enabled site" in recorded, "the marks of Enabled are missing"
        assert b"Disabled" not in recorded, "marks of Disabled were recorded"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("include", "library"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    for name in ("cc", "cxx"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    for level in ("-O0", "-O2"):
        with tempfile.TemporaryDirectory() as folder:
            check_level(args, pathlib.Path(folder), level)


if __name__ == "__main__":
    main()
