# SPDX-License-Identifier: Apache-2.0
"""Reads a trace as Python programs do: json.load, then a pandas table.

usage: json_import_python.py FILE
"""

import json
import os
import sys
import time

try:
    import pandas
except ImportError:
    sys.exit(1)

path = sys.argv[1]
start = time.process_time()
with open(path, encoding="utf-8") as file:
    document = json.load(file)
events = document["traceEvents"] if isinstance(document, dict) else document
table = pandas.DataFrame.from_records(
    events, columns=["ph", "cat", "name", "ts", "dur", "pid", "tid", "args"])
took = time.process_time() - start
rate = os.path.getsize(path) / took / 1e6
print(f"Python json + pandas          {rate:6.0f} "
      f"MB/s of one processor, {len(table)} rows")
