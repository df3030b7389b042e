# SPDX-License-Identifier: Apache-2.0
"""Which files a task of Spark reads."""

import os

# What one task may have at most: its memory is that of its group.
GROUP_BYTES = 64 << 20
GROUP_FILES = 256
# Of tasks per processor: who is done early takes one more.
TASKS_PER_CORE = 2
# When an application starts, Spark knows of few of its processors.
TASKS_AT_LEAST = 32


def _size(file):
    try:
        return os.path.getsize(file)
    except OSError:
        return 0  # the program says what is wrong with it


def group_files(files, cores):
    """Lists of files for tasks that take about as long: of small files that
    share one, or of one large file. The large ones come first, so that no
    long task starts last."""
    sized = sorted(((_size(file), file) for file in files),
                   key=lambda pair: (-pair[0], pair[1]))
    tasks = max(TASKS_PER_CORE * cores, TASKS_AT_LEAST)
    most = min(GROUP_BYTES, -(-sum(size for size, _ in sized) // tasks))
    count = min(GROUP_FILES, -(-len(sized) // tasks))
    groups, room = [], 0
    for size, file in sized:
        if not groups or size > room or len(groups[-1]) == count:
            groups.append([])
            room = most
        groups[-1].append(file)
        room -= size
    return groups
