#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches DuckDB's library for this machine into .cache/duckdb, once.

usage: fetch_duckdb.py [FOLDER]

stepscope loads it at run time for SQL and Parquet; nothing is linked with it,
and it is never part of this repository. It comes from the npm package of
DuckDB's bindings, which is pinned and checked by its hash. Exit status 1 when
it cannot be had.
"""

import base64
import hashlib
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile

import find_node

VERSION = "1.5.5-r.5"
PACKAGES = {
    "x86_64": (
        "@duckdb/node-bindings-linux-x64",
        "kCyq6BXhn6QXfwF8yVdVKriSSHP+rfVWcJ56cG8qZzlOZpxyvT5WGm6jMshxg4di"
        "tLlOsHsIN/D47RYrcjXuHQ=="),
    "aarch64": (
        "@duckdb/node-bindings-linux-arm64",
        "CafH2AIvXtpwDynG3KB/4uEOHRGlFoB7auCRMIwH3BKNIobsANV5LSpDJ3tfyRCF"
        "IsK6e8AT1eseWVnu2Dv3cw=="),
}
ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = "libduckdb.so"
# What `fetch` raises when it cannot be had.
FAILURES = (OSError, ValueError, KeyError, StopIteration, tarfile.TarError,
            subprocess.CalledProcessError)


def check(archive, sha512):
    digest = hashlib.sha512(archive.read_bytes()).digest()
    found = base64.b64encode(digest).decode()
    if found != sha512:
        raise ValueError(f"{archive.name}: its hash is {found}, expected "
                         f"{sha512}; it is not used")


def fetch(folder):
    if platform.machine() not in PACKAGES:
        raise ValueError(f"no library for {platform.machine()}")
    package, sha512 = PACKAGES[platform.machine()]
    npm = find_node.npm_command()
    if npm is None:
        raise ValueError("there is no npm")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        work = pathlib.Path(work)
        subprocess.run(
            npm + ["pack", "--silent", "--fetch-retries=1",
                   f"{package}@{VERSION}"], cwd=work,
            check=True, stdout=subprocess.DEVNULL)
        archive = next(work.glob("*.tgz"))
        check(archive, sha512)
        with tarfile.open(archive) as tar:
            source = tar.extractfile(f"package/{LIBRARY}")
            with open(work / LIBRARY, "wb") as target:
                shutil.copyfileobj(source, target)
        (work / LIBRARY).chmod(0o755)
        (work / LIBRARY).rename(folder / LIBRARY)


def main():
    folder = (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else
              ROOT / ".cache" / "duckdb")
    if (folder / LIBRARY).exists():
        return 0
    print(f"fetching DuckDB's library ({VERSION})")
    try:
        fetch(folder)
    except FAILURES as error:
        print(f"fetch_duckdb: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
