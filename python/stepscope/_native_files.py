# SPDX-License-Identifier: Apache-2.0
"""Where the programs and libraries of the package are."""

import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_native")
PROGRAM = os.path.join(FOLDER, "bin", "stepscope")
GPU_PLUGIN = os.path.join(FOLDER, "lib", "libstepscope_cupti.so")
READER = os.path.join(FOLDER, "lib", "libstepscope_read.so")


def run(*arguments, data=None):
    """Runs the CLI; returns what it printed, as bytes. ValueError with its
    message if it failed."""
    import subprocess  # here, so that importing the package stays quick

    result = subprocess.run([PROGRAM, *arguments], input=data, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != 0:
        raise ValueError(result.stderr.decode("utf-8", "replace").strip())
    return result.stdout
