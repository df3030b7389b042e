#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links objects, made with -flto, far enough to compare their definitions.

usage: check_odr.py --cxx g++ OBJECT... [--apart OBJECT...]
       check_odr.py --cxx g++ @FILE     the same, an argument a line

Two modules that define one name differently, a type or a variable, break the
One Definition Rule: each works alone, and together one takes the other's. The
linker sees all of them. It stops before it generates code. The exit status is 1
if there is such a name; the compiler's message says where both stand.

Those after --apart end in programs and libraries of their own. Their types are
compared like all others, but each may have an entry point of the same name,
such as main().
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile


def check(cxx, objects, *options):
    """The compiler's exit status."""
    with tempfile.TemporaryDirectory() as folder:
        # Too many for a command line.
        listed = pathlib.Path(folder) / "objects"
        listed.write_text("".join(f'"{one}"\n' for one in objects))
        return subprocess.run(
            [cxx, "-r", "-flto=auto", "-flinker-output=rel", "-Werror=odr",
             "-Werror=lto-type-mismatch", *options, "-o",
             f"{folder}/linked.o", f"@{listed}"], check=False).returncode


def main():
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@")
    parser.add_argument("--cxx", required=True)
    parser.add_argument("objects", nargs="+")
    parser.add_argument("--apart", nargs="*", default=[])
    args = parser.parse_args()
    apart = [one for one in args.apart if one]
    wrong = check(args.cxx, args.objects)
    if apart and not wrong:
        wrong = check(args.cxx, args.objects + apart, "-Wl,-z,muldefs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
