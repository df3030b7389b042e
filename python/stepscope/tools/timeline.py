# SPDX-License-Identifier: Apache-2.0
"""Paddle's tools/timeline.py::

    python -m stepscope.tools.timeline --profile_path=/tmp/profile \\
        --timeline_path=timeline

is ``stepscope timeline``, with the same flags.
"""

import os
import sys

from .._native_files import PROGRAM


def main() -> None:
    os.execv(PROGRAM, [PROGRAM, "timeline", *sys.argv[1:]])


if __name__ == "__main__":
    main()
