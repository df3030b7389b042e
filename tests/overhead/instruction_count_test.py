# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of one recorded event, which, unlike time, do not
depend on how busy the machine is. A regression of the hot path shows here.

usage: instruction_count_test.py HOT_LOOP_BINARY
"""

import platform
import re
import shutil
import subprocess
import sys
import tempfile

EVENTS = 2000
# Instructions a pair, loop and chunk changes included: what g++ 12 -O3 makes of
# it on x86_64 (47, 145, 6; the floor of two counter reads and a store takes
# about 20) and room for another compiler's taste, not for another feature.
# Other machines report, and have no budget yet.
BUDGETS = {
    "stepscope_hot_loop": 50,
    "stepscope_literal_loop": 160,
    "stepscope_off_loop": 8,
}
SKIPPED = 77


def count(binary, function, events):
    """Instructions inside `function`, callees included."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                f"--toggle-collect={function}",
                f"--callgrind-out-file={folder}/out",
                binary,
                f"{folder}/hot.sscap",
                str(events),
            ],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    match = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or not match:
        sys.exit(f"valgrind failed:\n{result.stderr}")
    return int(match.group(1))


def main():
    binary = sys.argv[1]
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return SKIPPED
    failed = False
    for function, budget in BUDGETS.items():
        # The difference leaves out the warm-up and what happens once.
        few = count(binary, function, EVENTS)
        many = count(binary, function, 2 * EVENTS)
        per_event = (many - few) / EVENTS
        bounded = platform.machine() == "x86_64"
        too_many = bounded and per_event > budget
        verdict = "TOO MANY" if too_many else "ok"
        print(f"{function}: {per_event:.1f} instructions an event "
              f"(at most {budget}, {platform.machine()}): {verdict}")
        failed |= too_many
        # A harness that counts nothing would pass for ever.
        failed |= many <= few
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
