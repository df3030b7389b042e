#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the SQL files of src/query/sql as C++ source, for query/sql_files.h.

usage: embed_sql.py FOLDER OUTPUT.cc
"""

import pathlib
import sys


def literal(text):
    """The text as a raw literal; a test of the compiler, not of ours, that it
    ends where it should."""
    if ')sql"' in text:
        sys.exit('embed_sql: a file holds )sql"')
    return f'R"sql({text})sql"'


def rows(folder):
    out = []
    for path in sorted(folder.glob("*.sql")):
        out.append(f'    {{"{path.stem}", {literal(path.read_text())}}},')
    return "\n".join(out)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    text = f"""// Made by tools/embed_sql.py.
#include "query/sql_files.h"

namespace stepscope {{
namespace {{

constexpr SqlFile kViews[] = {{
{rows(folder / "views")}
}};
constexpr SqlFile kNamed[] = {{
{rows(folder / "named")}
}};

}}  // namespace

std::span<const SqlFile> ViewFiles() {{ return kViews; }}
std::span<const SqlFile> NamedQueryFiles() {{ return kNamed; }}

}}  // namespace stepscope
"""
    output = pathlib.Path(sys.argv[2])
    if not output.exists() or output.read_text() != text:
        output.write_text(text)


if __name__ == "__main__":
    main()
