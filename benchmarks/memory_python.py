# SPDX-License-Identifier: Apache-2.0
"""Reads a memory snapshot as Python programs do.

usage: memory_python.py FILE
"""

import os
import pickle
import resource
import sys
import time

path = sys.argv[1]
size = os.path.getsize(path)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
with open(path, "rb") as file:
    snapshot = pickle.load(file)
seconds = time.process_time() - start
held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(f"Python pickle: {size / 1e6:.0f} MB in {seconds:.2f} s "
      f"({size / 1e6 / seconds:.0f} MB/s), {held * 1024 / size:.2f} x the file "
      "of memory")
