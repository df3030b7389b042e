# SPDX-License-Identifier: Apache-2.0
"""Reads traces on the executors and writes them into one dataset.

Each task runs the package's own program over a group of files with
``--no-commit``: the Parquet files wait inside the dataset, where nobody looks.
At the end the driver runs the same command over all files. It finds them
written, and decides once which jobs there are and how their clocks lie. So the
result does not depend on which task ran where, or how often.
"""

import functools
import os
import subprocess
from typing import List, NamedTuple

from .._native_files import PROGRAM
from ._grouping import group_files

UNREADABLE = 3  # exit status: files were left out, the others are written
OUTPUT_FAILED = 4
LIVE = ".live"  # the ring of a process is read with its capture
SPEAKER = "stepscope: "  # how the program begins its lines


class Imported(NamedTuple):
    """What an import has to tell. The traces are in the dataset, but for
    those that `notes` names."""
    notes: List[str]  # a line per file that was left out or is special
    complete: bool    # False: a file that was named could not be read


class ImportFailed(RuntimeError):
    """Nothing was written. `status` is the exit status that ``stepscope
    convert`` has for it."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def list_files(inputs):
    """The files that the program would read."""
    files = []
    for path in inputs:
        if not os.path.isdir(path):
            files.append(path)
            continue
        with os.scandir(path) as entries:
            found = sorted(entry.path for entry in entries if entry.is_file())
        captures = set(found)
        files += [file for file in found if not (
            file.endswith(LIVE) and file[:-len(LIVE)] in captures)]
    return list(dict.fromkeys(files))


def _convert(files, output, *options):
    """Exit status and the lines of standard error of the program."""
    done = subprocess.run(
        [PROGRAM, "convert", *files, "-o", output, "--to", "parquet",
         *options],
        check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    said = done.stderr.decode("utf-8", "replace").splitlines()
    return done.returncode, [
        line[len(SPEAKER):] if line.startswith(SPEAKER) else line
        for line in said]


def _write_group(output, files):
    """On an executor. The failure of a group, or None. Memory is that of one
    group, or of one large trace. A program that was killed raises, and Spark
    runs the task again."""
    status, said = _convert(files, output, "--no-commit")
    if status < 0:
        raise RuntimeError(f"{PROGRAM} was ended by signal {-status}")
    if status in (0, UNREADABLE):  # the driver says which files are unreadable
        return None
    return status, said[-1] if said else f"{PROGRAM} ended with {status}"


def import_traces(spark, inputs, output):
    """Writes the traces `inputs` (files and folders) into the dataset
    `output`, and returns Imported. Both must be seen under the same path by
    the driver and by every executor. ImportFailed where nothing could be
    read, or the dataset could not be written."""
    inputs = [os.path.abspath(name) for name in inputs]
    output = os.path.abspath(output)
    context = spark.sparkContext
    try:
        groups = group_files(list_files(inputs), context.defaultParallelism)
    except OSError as error:
        raise ImportFailed(f"{error.filename}: {error.strerror}; check the "
                           "folder", UNREADABLE) from error
    if groups:
        for failure in context.parallelize(groups, len(groups)).map(
                functools.partial(_write_group, output)).collect():
            if failure is not None:
                raise ImportFailed(failure[1], failure[0])
    status, said = _convert(inputs, output)
    if status < 0:
        raise ImportFailed(f"{PROGRAM} was ended by signal {-status}",
                           OUTPUT_FAILED)
    if status not in (0, UNREADABLE) or (
            status == UNREADABLE and not _has_rows(output)):
        raise ImportFailed("\n".join(said), status)
    return Imported(said, status == 0)


def _has_rows(output):
    ranks = os.path.join(output, "ranks")
    return os.path.isdir(ranks) and bool(os.listdir(ranks))
