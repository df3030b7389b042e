#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of a folder as C++ source, for src/server/http/assets.h.

usage: embed_assets.py FOLDER OUTPUT.cc     (no such folder: no files)
"""

import pathlib
import re
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
# "index-BvQ3x_9a.js": Vite puts a hash of the content into the name.
HASHED = re.compile(r"-[A-Za-z0-9_-]{8}\.[a-z0-9]+$")


def literal(data):
    """The bytes as string literals, a line each."""
    lines = []
    for at in range(0, len(data), 64):
        octal = "".join(f"\\{byte:03o}" for byte in data[at : at + 64])
        lines.append(f'    "{octal}"')
    return "\n".join(lines) or '    ""'


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    out = [
        "// Made by tools/embed_assets.py.",
        '#include "server/http/assets.h"',
        "",
        "namespace stepscope::server {",
        "namespace {",
        "",
    ]
    rows = []
    for number, path in enumerate(files):
        kind = TYPES.get(path.suffix)
        if kind is None:
            sys.exit(f"embed_assets: {path}: no content type for this ending")
        data = path.read_bytes()
        name = path.relative_to(folder).as_posix()
        out.append(f"constexpr char kFile{number}[] =\n{literal(data)};\n")
        rows.append(
            f'    {{"{name}", "{kind}", {{kFile{number}, {len(data)}}}, '
            f"{'true' if HASHED.search(path.name) else 'false'}}},"
        )
    if rows:
        out += ["constexpr Asset kAssets[] = {", *rows, "};", ""]
    out += ["}  // namespace", ""]
    found = "kAssets" if rows else "{}"
    out += [
        f"std::span<const Asset> Assets() {{ return {found}; }}",
        "",
        "}  // namespace stepscope::server",
        "",
    ]
    text = "\n".join(out)
    target = pathlib.Path(sys.argv[2])
    if not target.exists() or target.read_text() != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


if __name__ == "__main__":
    main()
