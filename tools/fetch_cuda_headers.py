#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches the headers of CUDA and CUPTI 13.0 into .cache/cuda/include.

usage: fetch_cuda_headers.py [FOLDER]

They are needed to build the GPU plugin where there is no CUDA toolkit, and for
nothing else: the plugin finds the user's own libcupti when it runs. They come
from NVIDIA's packages on PyPI, under NVIDIA's terms, and are never part of
this repository. Does nothing when they are there already.
"""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACKAGES = ["nvidia-cuda-cupti==13.0.85", "nvidia-cuda-runtime==13.0.96",
            "nvidia-cuda-crt==13.0.88"]
ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = "/include/"


def unpack_headers(wheel, include):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if MARK not in name or name.endswith("/"):
                continue
            target = include / name.split(MARK, 1)[1]
            if include not in target.resolve().parents:
                sys.exit(f"fetch_cuda_headers: odd path {name} in {wheel}")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(name))


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else (
        ROOT / ".cache" / "cuda")
    include = (folder / "include").resolve()
    if (include / "complete").exists():
        return 0
    with tempfile.TemporaryDirectory() as wheels:
        command = [sys.executable, "-m", "pip", "download", "--quiet",
                   "--disable-pip-version-check", "--no-deps",
                   "--only-binary=:all:", "-d", wheels] + PACKAGES
        print("fetching", ", ".join(PACKAGES))
        if subprocess.run(command, check=False).returncode != 0:
            return 1
        for wheel in sorted(pathlib.Path(wheels).glob("*.whl")):
            unpack_headers(wheel, include)
    (include / "complete").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
