#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the reference of the C and C++ API from the comments of the headers.

usage: docs_cpp.py HEADER

What the headers look like is fixed by their style: a comment of `//` lines
stands above what it explains, declarations that follow without an empty line
belong to it, and the comment at the top is about the whole header. Structs and
enums are shown as they are, with the comments of their members; functions
without their bodies; of classes what is public.
"""

import pathlib
import re
import sys

SECTION = re.compile(r"^// -{20,}$")
LEFT_OUT = re.compile(r"^(#|extern \"C\"|\}|(inline )?namespace\b)")
SKIPPED_NAME = re.compile(r"(_v\d+|_DETAIL|^detail)$")


class Entry:
    def __init__(self, comment):
        self.comment = comment  # lines, without the slashes
        self.code = []  # declarations
        self.name = ""
        self.members = []  # of a class


def uncommented(text):
    """The text with comments and strings blanked, of equal length."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank,
                  text)


def ends(lines, first):
    """One past the last line of the declaration that begins at `first`."""
    depth = parens = 0
    body = False
    for number in range(first, len(lines)):
        for char in uncommented(lines[number]):
            depth += (char == "{") - (char == "}")
            parens += (char == "(") - (char == ")")
            body = body or char == "{"
            if char == ";" and depth == 0 and parens == 0:
                return number + 1
        if body and depth == 0 and parens == 0 and not re.search(
                r"[,=]\s*$", uncommented(lines[number])):
            # A body; a struct or an initializer goes on to its semicolon.
            text = uncommented("\n".join(lines[first:number + 1]))
            if not re.match(r"\s*(typedef\s+)?(struct|enum|class|union)\b",
                            text) or text.rstrip().endswith(";"):
                return number + 1
    return len(lines)


def without_body(text):
    """A function as it would be declared."""
    plain = uncommented(text)
    depth = 0
    cut = None
    for i, char in enumerate(plain):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif depth == 0 and char == "{" and cut is None:
            cut = i
        elif (depth == 0 and char == ":" and cut is None and
              plain[i - 1] != ":" and plain[i + 1:i + 2] != ":" and
              ")" in plain[:i]):
            cut = i  # the initializers of a constructor
    if cut is None:
        return text
    return text[:cut].rstrip() + ";"


def name_of(code):
    plain = uncommented(code)
    plain = re.sub(r"\bSTEPSCOPE_(API|INLINE|NOEXCEPT)\b|\[\[\w+\]\]|"
                   r"__attribute__\(\(.*?\)\)", "", plain)
    for pattern in (r"^\s*#define (\w+)",
                    r"^\s*(?:typedef\s+)?(?:enum class|enum|struct|class)\s+"
                    r"(?:\w+\(.*?\)\s*)?(\w+)\s*[:{;]",
                    r"^\s*(?:struct|class)\s+(\w+)\s+(?:final\s*)?[:{]",
                    r"\busing (\w+)", r"\(\*(\w+)\)",
                    r"(operator\S+?|~?\w+)\s*\("):
        found = re.search(pattern, plain, re.S)
        if found:
            return found[1]
    found = re.search(r"(\w+)\s*(=|;|\[)", plain)
    return found[1] if found else ""


def dedent(text):
    lines = text.split("\n")
    least = min((len(line) - len(line.lstrip()) for line in lines
                 if line.strip()), default=0)
    return "\n".join(line[least:] for line in lines)


def comment_at(lines, i):
    comment = []
    while i < len(lines) and lines[i].lstrip().startswith("//"):
        comment.append(re.sub(r"^\s*// ?", "", lines[i]))
        i += 1
    return comment, i


def entries_of(lines, public=True):
    """Entries and titles of sections (strings), in order."""
    found = []
    entry = None
    i = 0
    while i < len(lines):
        line = lines[i]
        if not line.strip():
            entry = None
            i += 1
        elif SECTION.match(line):
            # The title is the first line of a comment of its own.
            comment, i = comment_at(lines, i + 1)
            title, colon, _ = " ".join(comment).partition(": ")
            found.append(title if colon else comment[0])
            found.append(Entry(comment if colon else comment[1:]))
            entry = None
        elif line.lstrip().startswith("//"):
            comment, i = comment_at(lines, i)
            entry = Entry(comment)
        elif re.match(r"\s*(public|private|protected):", line):
            public = "public" in line
            entry = None
            i += 1
        elif line.startswith("#define"):
            first = i
            while lines[i].endswith("\\"):
                i += 1
            i += 1
            code = re.match(r"#define \w+(\([^)]*\))?", lines[first])[0]
            if entry and name_of(code) not in map(name_of, entry.code):
                add(found, entry, code)
        elif LEFT_OUT.match(line.strip()) or "= delete" in line:
            while lines[i].startswith("#") and lines[i].endswith("\\"):
                i += 1
            i += 1
            if line.startswith("#") and entry and entry.code:
                entry = None
        else:
            last = ends(lines, i)
            code = dedent("\n".join(lines[i:last]))
            if public:
                entry = entry or Entry([])
                declare(found, entry, code)
            i = last
    return found


def declare(found, entry, code):
    plain = uncommented(code)
    if re.match(r"(class|struct) \w+;$|inline [^(]*\b\w+::~?\w+(\(\))?\(",
                plain):
        return  # said or explained elsewhere: where the class is
    if re.match(r"(template\s*<[^{]*>\s*)?class\b", plain) and "{" in plain:
        head, body = plain.index("{"), plain.rindex("}")
        add(found, entry, code[:head].rstrip() + ";")
        inside = code[head + 1:body].strip("\n").split("\n")
        entry.members = [part for part in entries_of(inside, False)
                         if not isinstance(part, str) and part.code]
    elif re.match(r"(typedef\s+)?(struct|enum|union)\b[^(]*\{", plain):
        add(found, entry, code)
    else:
        add(found, entry, without_body(code))


def add(found, entry, code):
    if not entry.code:
        entry.name = name_of(code)
        before = found[-1] if found else None
        if isinstance(before, Entry) and not entry.comment and (
                before.name == entry.name):
            entry = before  # one more of its forms
        else:
            found.append(entry)
    entry.code.append(code)


def prose(comment):
    """Markdown of a comment: what is indented is code, `-` begins a list."""
    out, block, item = [], False, False
    for line in comment:
        if re.match(r" *[*-] ", line):
            line = line.lstrip()
            item = True
        item = item and line.startswith(("* ", "- ", "  "))
        code = line.startswith("  ") and line.strip() and not item
        before = out[-1].strip() if out else ""
        if code and not block and (not before or before[-1] in ".:"):
            block = True
            out.append("\n```cpp")
        elif block and line.strip() and not code:
            block = False
            out.append("```\n")
        out.append(line[2:] if block else plain_text(line))
    if block:
        out.append("```")
    return re.sub(r"\n+(\n```(\n|$))", r"\1", "\n".join(out)).strip()


def plain_text(line):
    """Nothing in a comment is markup, but for what is between backquotes."""
    if re.match(r"[*-] ", line):
        return line[:2] + plain_text(line[2:])
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else
                   re.sub(r"([<>*_\[\]#])", r"\\\1", part) for part in parts)


def show(entry, level):
    out = []
    if entry.code:
        title = plain_text(entry.name)
        out += [f"{'#' * level} {title}", "",
                "```cpp\n" + "\n".join(entry.code) + "\n```", ""]
    if entry.comment:
        out += [prose(entry.comment), ""]
    for member in entry.members:
        out += show(member, level + 1)
    return out


def page(path):
    lines = path.read_text().split("\n")
    top, i = comment_at(lines, 0)
    text = "\n".join(line for line in top if "SPDX-License" not in line)
    # What the check of style is told is not for readers.
    top = [line for part in text.split("\n\n")
           if not part.startswith("Above 600 lines")
           for line in [*part.split("\n"), ""]]
    out = [f"# &lt;stepscope/{path.name}&gt;", "", prose(top), ""]
    count = 0
    for part in entries_of(lines[i:]):
        if isinstance(part, str):
            out += [f"## {plain_text(part)}", ""]
        elif not SKIPPED_NAME.search(part.name):
            out += show(part, 3)
            count += 1
    return "\n".join(out), count


if __name__ == "__main__":
    print(page(pathlib.Path(sys.argv[1]))[0])
