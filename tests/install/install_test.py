#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the installed package as an outside project would; see main()."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


USES = """
#include <stepscope/c.h>

static stepscope_site site = {"a", 0, 0};
void use(uint32_t id);
void use(uint32_t id) {
  stepscope_scope scope = stepscope_begin_site(&site);
  stepscope_end(scope);
  scope = stepscope_begin_id(id);
  scope = stepscope_next_id(scope, stepscope_site_id(&site));
  stepscope_end(scope);
  scope = stepscope_begin("b", 0);
  stepscope_end(scope);
}
"""


def run(*command, **how):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, **how)


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def library_folder(prefix):
    (found,) = prefix.glob("lib*/**/libstepscope.so")
    return found.parent


def environment(prefix):
    # Only the loader path of this test: no STEPSCOPE_ variable of the caller.
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("STEPSCOPE_", "FLAGS_"))}
    return kept | {"LD_LIBRARY_PATH": str(library_folder(prefix))}


def check_traces(folder):
    """At least one timeline, and every one strict JSON with our events."""
    traces = sorted(folder.glob("profiler_demo/*.json"))
    assert traces, f"no timeline in {folder}/profiler_demo"
    for trace in traces:
        events = json.loads(trace.read_text())["traceEvents"]
        names = [event.get("name") for event in events]
        # StepRange(2, 10) records eight steps.
        assert names.count("DataPrepare") == 8, names.count("DataPrepare")
        assert names.count("Net") == 8, names.count("Net")


def tree(args):
    fresh(args.prefix)
    run(args.cmake, "--install", args.build, "--prefix", args.prefix)
    folder = library_folder(args.prefix)
    for wanted in (args.prefix / "include/stepscope/c.h",
                   args.prefix / "include/stepscope/stepscope.h",
                   folder / "libstepscope_collector.a",
                   folder / "cmake/stepscope/stepscopeConfig.cmake",
                   folder / "cmake/stepscope/stepscopeConfigVersion.cmake"):
        assert wanted.exists(), f"{wanted} is not installed"
    program = args.prefix / "bin/stepscope"
    if (args.build / "bin/stepscope").exists():
        said = run(program, "--version", text=True, stdout=subprocess.PIPE)
        assert args.version in said.stdout, said.stdout
        share = args.prefix / "share"
        for wanted in ("man/man1/stepscope.1",
                       "bash-completion/completions/stepscope",
                       "zsh/site-functions/_stepscope",
                       "fish/vendor_completions.d/stepscope.fish"):
            text = (share / wanted).read_text()
            assert "summary" in text, f"{wanted} is empty"
        check_sql(args, program)


def check_sql(args, program):
    """What SQL runs on was installed, and not found elsewhere."""
    if not (HERE.parents[1] / ".cache/duckdb/libduckdb.so").exists():
        print("no DuckDB: tools/bootstrap build fetches it")
        return
    home = fresh(args.work / "home")
    trace = home / "trace.json"
    trace.write_text('[{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, '
                     '"dur": 2}]')
    said = run(program, "query", trace, "SELECT count(*) AS n FROM events",
               "--format", "csv", text=True, stdout=subprocess.PIPE,
               env=environment(args.prefix) | {"HOME": str(home)})
    assert said.stdout.split() == ["n", "1"], said.stdout


def headers(args):
    """Each header alone, included twice, in every language it promises."""
    work = fresh(args.work / "headers")
    languages = [(args.cc, "c", "c11", ["c.h", "external.h",
                                         "plugin.h"])]
    for standard in ("c++17", "c++20"):
        languages.append((args.cxx, "cc", standard,
                          ["c.h", "external.h", "plugin.h", "stepscope.h"]))
    count = 0
    for compiler, suffix, standard, names in languages:
        for name in names:
            if not (args.prefix / "include/stepscope" / name).exists():
                continue
            source = work / f"{name.replace('.', '_')}.{suffix}"
            line = f"#include <stepscope/{name}>\n"
            source.write_text(line + line + "int dummy;\n")
            run(compiler, f"-std={standard}", *STRICT, "-fsyntax-only",
                "-I", args.prefix / "include", source)
            count += 1
    assert count >= 5, f"only {count} headers checked"
    # What is inlined into a user's code says nothing, however it is compiled.
    source = work / "uses.c"
    source.write_text(USES)
    for compiler, language in ((args.cc, "c"), (args.cxx, "c++")):
        for level in ("-O0", "-Og", "-O1", "-O2", "-O3", "-Os"):
            run(compiler, "-x", language, level, *STRICT, "-c", "-I",
                args.prefix / "include", source, "-o", work / "uses.o")


def c_program(args):
    work = fresh(args.work / "c_program")
    program = work / "c_program"
    run(args.cc, "-std=c11", *STRICT, "-O2", HERE / "c_program/main.c", "-I",
        args.prefix / "include", "-L", library_folder(args.prefix),
        "-lstepscope", "-o", program)
    run(program, "trace", cwd=work, env=environment(args.prefix))
    assert list(work.glob("**/*.sscap")), "no capture was written"


def build_consumer(args, name, language, compiler):
    work = fresh(args.work / name)
    run(args.cmake, "-S", HERE / name, "-B", work, "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_PREFIX_PATH={args.prefix}", f"-DVERSION={args.version}",
        f"-DCMAKE_{language}_COMPILER={compiler}")
    run(args.cmake, "--build", work)
    return work, work / "consumer"


def check_readme():
    """The program that is built here is the one the README shows."""
    readme = (HERE.parents[1] / "README.md").read_text()
    block = readme.split("```cpp\n", 1)[1].split("```", 1)[0]
    source = (HERE / "cmake_consumer/main.cc").read_text()
    body = source.split("// begin README\n")[1].split("  // end README")[0]
    shown = "#include <stepscope/stepscope.h>\n" + textwrap.dedent(body)
    assert block == shown, f"README shows:\n{block}\nthe test builds:\n{shown}"


def cmake_consumer(args):
    check_readme()
    work, program = build_consumer(args, "cmake_consumer", "CXX", args.cxx)
    run(program, cwd=work, env=environment(args.prefix))
    check_traces(work)


# What stands around the fragments of the guides: page, number of the block.
# A block with main() is a program as it is.
FRAGMENTS = {
    ("profiler.md", 0): ("""
        #include <vector>
        struct { std::vector<int> Next() { return {1}; } } loader;
        void Forward() {}
        int main() {
          std::vector<int> batch;
        """, "}"),
    ("profiler.md", 1): ("""
        #include <stepscope/stepscope.h>
        int main() {
          stepscope::Profiler prof({
        """, "}); prof.Stop(); }"),
}


def blocks(page, language):
    text = page.read_text()
    return [block.split("```", 1)[0]
            for block in text.split(f"```{language}\n")[1:]]


def guides(args):
    """Each block of C++ that a guide shows compiles; the server of the guide
    "Profile a server" is built by the commands there, and recorded."""
    pages = HERE.parents[1] / "docs/guide"
    compiled = 0
    work = fresh(args.work / "guides")
    for page in sorted(pages.glob("*.md")):
        for number, block in enumerate(blocks(page, "cpp")):
            before, after = FRAGMENTS.get((page.name, number), ("", ""))
            assert before or "int main()" in block, (
                f"{page.name}: block {number} is no program; what stands "
                "around it goes to FRAGMENTS")
            # Includes stand before the rest.
            lines = block.splitlines(keepends=True)
            includes = [line for line in lines if line.startswith("#include")]
            rest = [line for line in lines if line not in includes]
            source = work / f"{page.stem}_{number}.cc"
            source.write_text("".join(includes) + textwrap.dedent(before) +
                              "".join(rest) + after + "\n")
            for standard in ("c++17", "c++20"):
                # Designated initializers are C++20's.
                if standard == "c++17" and ".on_trace_ready" in block:
                    continue
                run(args.cxx, f"-std={standard}", "-Wall", "-Wextra",
                    "-Werror", "-fsyntax-only", "-I", args.prefix / "include",
                    source)
                compiled += 1
    assert compiled >= 4, compiled
    follow_serving(args, pages / "serving.md", fresh(work / "serving"))


def follow_serving(args, page, folder):
    program = args.prefix / "bin/stepscope"
    (source,) = blocks(page, "cpp")
    (project,) = blocks(page, "cmake")
    (folder / "server.cc").write_text(source)
    (folder / "CMakeLists.txt").write_text(project)
    (commands,) = [block for block in blocks(page, "")
                   if block.startswith("cmake -B")]
    path = f"{args.prefix / 'bin'}:{os.environ['PATH']}"
    said = {}
    for command in commands.splitlines():
        command = command.replace("~/.local", str(args.prefix)).replace(
            "cmake ", f"{args.cmake} ")
        if command.startswith("stepscope ") and not program.exists():
            return  # a build without the program
        if "--views" in command:
            command += " --format json"
        said.update(answer_of(command, folder, environment(args.prefix) |
                              {"PATH": path, "CXX": args.cxx}))
    kinds = {row["kind"]: row for row in said["iterations"]["kinds"]}
    assert said["iterations"]["engine"] == "stepscope", said["iterations"]
    # Each turn reads one prompt; the last four only make tokens.
    assert {kind: row["count"] for kind, row in kinds.items()} == {
        "prefill": 1, "mixed": 19, "decode": 4}, kinds
    rows = said["requests"]["list"]
    assert [row["id"] for row in rows] == [
        f"request-{i}" for i in range(20)], rows
    for row in rows:
        assert (row["tokens_in"], row["tokens_out"], row["iterations"],
                row["tokens_recorded"]) == (100, 5, 5, True), row
        assert 0 <= row["queue_ns"] <= row["ttft_ns"], row
        assert row["end_ns"] is not None, row


def answer_of(command, folder, env):
    """The tables that a command prints as JSON."""
    print("+", command, flush=True)
    done = subprocess.run(command, shell=True, check=True, cwd=folder, env=env,
                          text=True, stdout=subprocess.PIPE)
    said = json.loads(done.stdout) if "json" in command else {}
    return {view: table for view, table in said.items() if table is not None}


def collector_consumer(args):
    """The static collector alone, in a project that has no C++ compiler."""
    work, program = build_consumer(args, "collector_consumer", "C",
                                   args.cc)
    needed = run("readelf", "-dW", program, text=True,
                 stdout=subprocess.PIPE).stdout
    assert "libstepscope" not in needed, needed
    run(program, "trace", cwd=work)
    assert list(work.glob("**/*.sscap")), "no capture was written"


def main():
    steps = [tree, headers, c_program, cmake_consumer, guides,
             collector_consumer]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=[step.__name__ for step in steps])
    for name in ("prefix", "work", "build"):
        parser.add_argument(f"--{name}", type=pathlib.Path)
    for name in ("cc", "cxx", "cmake", "version"):
        parser.add_argument(f"--{name}")
    args = parser.parse_args()
    {step.__name__: step for step in steps}[args.step](args)


if __name__ == "__main__":
    main()
