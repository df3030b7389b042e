# SPDX-License-Identifier: Apache-2.0
"""``python -m stepscope`` is the command ``stepscope``."""

from ._cli import main

main()
