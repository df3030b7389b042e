#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a site of the documentation, and checks its links.

usage: docs.py build --out FOLDER [--root ROOT]
       docs.py links [--root ROOT]

`links` looks at every Markdown file of the repository: files and headings
that links name must exist. `build` does this first, then makes the site by
mkdocs, with the reference of the C, C++ and Python APIs, and checks each link
of its pages. Addresses of other sites are not tried. tools/bootstrap docs
fetches mkdocs into .cache/docs. Exit status 1: a link is broken; 77: mkdocs is
missing.
"""

import argparse
import html
import html.parser
import logging
import os
import pathlib
import re
import shutil
import sys
import urllib.parse

import docs_cpp
import docs_python

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".cache/docs"
REQUIREMENTS = ROOT / "tools/requirements/docs.txt"
SKIPPED = 77
HEADERS = ["stepscope.h", "c.h", "plugin.h"]
LEFT_OUT = {"node_modules", "golden", "dist", "out", "third_party"}
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?"
                  r"(?:\s+\"[^\"]*\")?\s*\)")
FENCE = re.compile(r"^\s*(```|~~~)")
STYLE = """
.wm-page-content pre, pre { overflow-x: auto; }
table { display: block; overflow-x: auto; }
img { max-width: 100%; height: auto; }
"""


def slug(text, separator="-"):
    """The anchor of a heading, as on GitHub; mkdocs gets the same."""
    text = html.unescape(re.sub(r"<[^>]*>", "", text)).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", separator)


def pages(root):
    """All Markdown files, relative to the root."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            name for name in folders if name not in LEFT_OUT and
            not name.startswith((".", "build")))
        here = pathlib.Path(folder).relative_to(root)
        yield from (here / name for name in sorted(files)
                    if name.endswith(".md"))


def prose_lines(text):
    """Numbered lines that are not code."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def links_of(text):
    """Line and target of each link to this repository."""
    # A link may go over the end of a line.
    kept = dict(prose_lines(text))
    lines = [kept.get(number, "") for number in
             range(1, text.count("\n") + 2)]
    whole = re.sub(r"`[^`\n]*`", lambda match: " " * len(match[0]),
                   "\n".join(lines))
    for found in LINK.finditer(whole):
        if not re.match(r"[a-z][a-z0-9+.-]*:", found[1], re.I):
            yield whole.count("\n", 0, found.start()) + 1, found[1]


def anchors_of(text):
    seen, found = {}, set()
    for _, line in prose_lines(text):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            name = slug(title.replace("`", ""))
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.add(f"{name}-{count}" if count else name)
        found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
    return found


def check_links(root):
    """What is wrong with the links of the Markdown files."""
    problems, count = [], 0
    anchors = {}
    for page in pages(root):
        for line, target in links_of((root / page).read_text()):
            count += 1
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            goal = (root / page.parent / path).resolve() if path else (
                root / page).resolve()
            if root not in [goal, *goal.parents] or not goal.exists():
                problems.append(f"{page}:{line}: {target}: no such file")
            elif anchor and goal.suffix == ".md":
                if goal not in anchors:
                    anchors[goal] = anchors_of(goal.read_text())
                if anchor not in anchors[goal]:
                    problems.append(f"{page}:{line}: {target}: no such "
                                    "heading")
    return problems, count


def title_of(path):
    found = re.search(r"^# (.*)$", path.read_text(), re.M)
    return found[1] if found else path.stem


def stage(root, work):
    """Copies what the site has, in the places that links expect."""
    shutil.rmtree(work, ignore_errors=True)
    wanted = set(pages(root))
    for page in sorted(wanted):
        text = (root / page).read_text()
        for _, target in links_of(text):
            path = urllib.parse.unquote(target).partition("#")[0]
            goal = (root / page.parent / path).resolve()
            if goal.is_dir() and not (goal / "README.md").exists():
                listing(root, work, goal)
            elif path and goal.is_file() and goal.suffix != ".md":
                copy(root, work, goal.relative_to(root))
        # mkdocs wants the page that stands for a folder.
        for target in {target for _, target in links_of(text)}:
            path = target.partition("#")[0]
            if path and (root / page.parent / path).is_dir():
                text = text.replace(
                    f"]({target})", f"]({path.rstrip('/')}/README.md)")
        write(work / page, text)
    reference(root, work)


def write(path, text):
    """GitHub's Markdown as mkdocs reads it: an empty line between a sentence
    and its list, and four spaces before what belongs to an item."""
    lines, before = [], ""
    item = loose = fenced = False
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
            if item and line.startswith(" "):
                line = ""  # the indent alone makes it code
        elif fenced and item:
            line = "      " + line if line else ""
        elif not fenced and re.match(r"([*-]|\d+\.) ", line):
            if loose or not item and re.match(r"[^\s#|>]", before):
                lines.append("")
            item, loose = True, False
        elif not fenced and item and line.startswith("  "):
            line = "    " + line.lstrip()
        elif line:
            item = False
        loose = item and (loose or not line)
        lines.append(line)
        before = line
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))


def copy(root, work, path):
    # A file without a suffix, or of code, is shown as text.
    (work / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / path, work / path)


def listing(root, work, folder):
    """A page for a folder that has none."""
    place = work / folder.relative_to(root)
    place.mkdir(parents=True, exist_ok=True)
    names = sorted(path for path in folder.iterdir()
                   if path.suffix == ".md")
    lines = [f"* [{title_of(path)}]({path.name})" for path in names]
    (place / "README.md").write_text(
        f"# {folder.name.capitalize()}\n\n" + "\n".join(lines) + "\n")


def reference(root, work):
    place = work / "reference"
    place.mkdir()
    lines = ["# Reference", "", "Made from the sources: the comments of the "
             "headers and the docstrings of the Python package.", "",
             "## C and C++", ""]
    for name in HEADERS:
        text, count = docs_cpp.page(root / "include/stepscope" / name)
        if not count:
            sys.exit(f"docs: nothing was found in {name}")
        write(place / f"{name.replace('.', '_')}.md", text + "\n")
        lines.append(f"* [&lt;stepscope/{name}&gt;]"
                     f"({name.replace('.', '_')}.md)")
    lines += ["", "## Python", ""]
    for module in docs_python.MODULES:
        text, count = docs_python.page(module)
        write(place / f"{module}.md", text + "\n")
        lines.append(f"* [{module}]({module}.md)")
    (place / "README.md").write_text("\n".join(lines) + "\n")


def navigation(work):
    """Guides first; what is not here can still be reached by links."""
    def folder(name, first=()):
        names = [*first, *sorted(path.name for path in
                                 (work / name).glob("*.md")
                                 if path.name not in first)]
        return [f"{name}/{one}" for one in names
                if (work / name / one).exists()]

    return [
        {"Home": "README.md"},
        {"Guides": folder("docs/guide", ["cli.md", "run.md", "python.md"])},
        {"Tables": folder("docs/guide/tables")},
        {"Reference": folder("reference", ["README.md"])},
        {"Formats": folder("docs/formats", ["README.md"])},
        {"Background": ["docs/concepts.md", "docs/architecture.md",
                        "docs/performance.md", "docs/why.md",
                        *folder("docs/decisions", ["README.md"])]},
        {"Project": ["CONTRIBUTING.md", "CHANGELOG.md",
                     *(["SECURITY.md"] if (work / "SECURITY.md").exists()
                       else [])]},
    ]


class Page(html.parser.HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("href", "src") and value is not None:
                self.links.append(value)
            elif key in ("id", "name"):
                self.anchors.add(value)


def check_site(site):
    """What is wrong with the links of the finished pages."""
    parsed = {path.resolve(): Page(path.read_text())
              for path in sorted(site.rglob("*.html"))}
    problems, count = [], 0
    for path, page in parsed.items():
        if path.name == "404.html":
            continue  # its links are absolute
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            goal = (path.parent / urllib.parse.unquote(parts.path)).resolve(
                ) if parts.path else path
            if goal.is_dir():
                goal = goal / "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            where = path.relative_to(site.resolve())
            if not goal.exists():
                problems.append(f"{where}: {link}: no such page")
            elif anchor and goal in parsed and (
                    anchor not in parsed[goal].anchors):
                problems.append(f"{where}: {link}: no such anchor")
    return problems, count, len(parsed)


def tell(problems, what):
    for problem in problems:
        print(problem)
    print(f"docs: {what}, {len(problems)} problems", flush=True)
    if problems:
        sys.exit(1)


def links(args):
    problems, count = check_links(args.root)
    tell(problems, f"{count} links of the Markdown files")


def build(args):
    if not (TOOLS / "mkdocs").is_dir() or (
            TOOLS / "requirements.txt").read_text() != REQUIREMENTS.read_text():
        print(f"skipped: no mkdocs, or another one, in {TOOLS}; "
              "run tools/bootstrap docs")
        sys.exit(SKIPPED)
    links(args)
    sys.path.insert(0, str(TOOLS))
    os.environ["NO_MKDOCS_2_WARNING"] = "true"
    from mkdocs.commands.build import build as make
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    work = args.out.with_name(args.out.name + ".work")
    stage(args.root, work)
    (work / "site.css").write_text(STYLE)
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    level = {"not_found": "warn", "anchors": "warn", "absolute_links": "warn",
             "unrecognized_links": "warn"}
    config_file = work.with_suffix(".yml")
    config_file.write_text("site_name: stepscope\n")
    config = load_config(
        str(config_file), docs_dir=str(work), site_dir=str(args.out),
        strict=True, theme={"name": "readthedocs", "highlightjs": False,
                            "navigation_depth": 2},
        nav=navigation(work), extra_css=["site.css"],
        markdown_extensions=["tables", "fenced_code", "sane_lists",
                             {"toc": {"slugify": slug}}],
        plugins=["search"],
        validation={"nav": {"omitted_files": "info"}, "links": level})
    try:
        make(config)
    except Abort:
        sys.exit("docs: mkdocs found problems")
    problems, count, number = check_site(args.out)
    tell(problems, f"{number} pages, {count} links of the site")
    print(f"docs: {args.out / 'index.html'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["build", "links"])
    parser.add_argument("--out", type=lambda text: pathlib.Path(text).resolve(),
                        default=ROOT / "build/site")
    parser.add_argument("--root", default=ROOT, type=lambda text:
                        pathlib.Path(text).resolve())
    args = parser.parse_args()
    {"build": build, "links": links}[args.command](args)


if __name__ == "__main__":
    main()
