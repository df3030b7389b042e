# SPDX-License-Identifier: Apache-2.0
"""Reads a trace as Python programs do: json.load, then a pandas table.

Prints the rate of json alone, and of both where pandas is installed.

usage: json_import_python.py FILE
"""

import json
import os
import sys
import time

try:
    import pandas
except ImportError:
    pandas = None

path = sys.argv[1]


def show(what, since):
    rate = os.path.getsize(path) / (time.process_time() - since) / 1e6
    print(f"{what:<29} {rate:6.0f} MB/s of one processor")


start = time.process_time()
with open(path, encoding="utf-8") as file:
    document = json.load(file)
show("Python json", start)
if pandas is None:
    print("Python json + pandas: pandas is not installed, not compared")
    sys.exit(0)
events = document["traceEvents"] if isinstance(document, dict) else document
pandas.DataFrame.from_records(
    events, columns=["ph", "cat", "name", "ts", "dur", "pid", "tid", "args"])
show("Python json + pandas", start)
