# SPDX-License-Identifier: Apache-2.0
"""The command ``stepscope``: becomes the program in the package."""

import os
import sys

from ._native_files import PROGRAM


def main() -> None:
    arguments = sys.argv[1:]
    # The Python that it was installed into, and not the first on the PATH.
    if arguments[:1] == ["doctor"]:
        arguments[1:1] = ["--python", sys.executable]
    try:
        os.execv(PROGRAM, [PROGRAM, *arguments])
    except OSError as error:
        sys.exit(f"stepscope: {PROGRAM}: {error.strerror}")
