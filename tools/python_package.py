#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes and checks the wheel of the Python package.

usage: python_package.py wheel --build BUILD --out FOLDER
       python_package.py repair --wheels FOLDER --out FOLDER
       python_package.py test --wheels FOLDER --work FOLDER --python PROGRAM
                              [--another]
       python_package.py test-all --wheels FOLDER --work FOLDER
       python_package.py test-torch --wheels FOLDER --work FOLDER
       python_package.py test-training --wheels FOLDER --work FOLDER

`wheel` packs the programs of the finished tree BUILD and compiles the bindings
only. `repair` takes the libraries that the CLI needs into the wheel, by
auditwheel. `test` installs the one wheel of FOLDER into a fresh virtual
environment of a Python and runs python/tests in it; `test-all` does so with
every Python that is found. Tests that say the same with every Python run with
one; --another leaves them out. `test-torch` runs the tests of torch with a
Python that has it, such as Debian's; `test-training` runs those of training
loops with the same one. What they need is in .cache/, put there by
tools/bootstrap. Exit status 77: something is missing on this machine, and the
output says what.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".cache/python_build"
AUDITWHEEL = ROOT / ".cache/auditwheel"
PYARROW = ROOT / ".cache/pyarrow"
PADDLE = ROOT / ".cache/paddle"
TRAINING = ROOT / ".cache/training"
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*command, **how):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, **how)


def the_wheel(folder):
    wheels = sorted(folder.glob("stepscope-*.whl"))
    if not wheels:
        skip(f"no wheel in {folder}; the test python_wheel makes it")
    if len(wheels) > 1:
        sys.exit(f"{folder} holds several wheels")
    return wheels[0]


def wheel(args):
    if not (TOOLS / "scikit_build_core").is_dir():
        skip(f"no scikit-build-core in {TOOLS}; "
             "tools/bootstrap test fetches it")
    headers = pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not headers.exists():
        skip(f"no {headers}; install the headers of this Python (python3-dev)")
    sys.path.insert(0, str(TOOLS))
    from scikit_build_core.build import build_wheel

    os.environ["PYTHONPATH"] = str(TOOLS)
    args.out.mkdir(parents=True, exist_ok=True)
    for old in args.out.glob("stepscope-*.whl"):
        old.unlink()
    os.chdir(ROOT)
    build_wheel(str(args.out), {
        "build-dir": str(args.build / "python-wheel"),
        "cmake.define.STEPSCOPE_PREBUILT": str(args.build),
        "cmake.define.STEPSCOPE_NANOBIND_DIR": str(TOOLS / "nanobind"),
    })
    # Where the CLI of the tree looks for the package to load into programs.
    package = args.build / "python-package"
    shutil.rmtree(package, ignore_errors=True)
    unpack(the_wheel(args.out), package)
    print(the_wheel(args.out))


def unpack(archive, folder):
    """As an installer does it: programs stay programs."""
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            path = opened.extract(entry, folder)
            mode = entry.external_attr >> 16 & 0o777
            if mode and not entry.is_dir():
                os.chmod(path, mode)


def repair(args):
    if not (AUDITWHEEL / "auditwheel").is_dir():
        skip(f"no auditwheel in {AUDITWHEEL}; tools/bootstrap wheel fetches it")
    args.out.mkdir(parents=True, exist_ok=True)
    for old in args.out.glob("stepscope-*.whl"):
        old.unlink()
    path = f"{AUDITWHEEL / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(AUDITWHEEL), "PATH": path}
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", args.out,
        the_wheel(args.wheels), env=environment)
    run(sys.executable, "-m", "auditwheel", "show", the_wheel(args.out),
        env=environment)


def test(args):
    package = the_wheel(args.wheels)
    if subprocess.run([sys.executable, "-c", "import pip"], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        skip(f"no pip for {sys.executable}")
    shutil.rmtree(args.work, ignore_errors=True)
    environment = args.work / "venv"
    # No variable of the caller may change what is tested.
    clean = {key: value for key, value in os.environ.items()
             if not key.startswith(("STEPSCOPE_", "FLAGS_", "PYTHON"))}
    run(args.python, "-m", "venv", "--without-pip", *args.venv, environment,
        env=clean)
    python = environment / "bin/python"
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", "--python",
        python, "install", "--quiet", "--no-deps", "--no-index", package,
        env={**clean, "PIP_ROOT_USER_ACTION": "ignore"})
    work = args.work / "work"
    work.mkdir()
    clean["PATH"] = f"{environment / 'bin'}:{clean['PATH']}"
    # What reads our tables, for the version of Python that it was fetched for.
    with_pyarrow = {**clean, "PYTHONPATH": str(PYARROW)}
    if subprocess.run([python, "-c", "import pyarrow.lib"], env=with_pyarrow,
                      check=False, stderr=subprocess.DEVNULL).returncode == 0:
        clean = with_pyarrow
    if args.another:
        clean["ANOTHER_PYTHON_FOR_TESTS"] = "1"
    clean.update(args.variables)
    # Not where the sources are: the installed package is what is imported.
    run(python, "-m", "unittest", "discover", "-b", "-s",
        ROOT / "python/tests", "-t", ROOT / "python/tests", "-p", args.pattern,
        cwd=work, env=clean)


def python_with_torch(args):
    ask = ("import importlib.util as u; "
           "raise SystemExit(not u.find_spec('torch'))")
    for program in (args.python, "/usr/bin/python3", "python3"):
        if shutil.which(program) and subprocess.run(
                # A folder of this name beside us is not it.
                [program, "-I", "-c", ask], check=False,
                stderr=subprocess.DEVNULL).returncode == 0:
            return program
    skip("no Python here has torch; tools/bootstrap test installs Debian's")


def test_torch(args):
    args.python = python_with_torch(args)
    args.venv = ["--system-site-packages"]
    args.pattern = "test_torch*.py"
    test(args)


def test_training(args):
    """In the training loops of others, beside torch."""
    if not TRAINING.is_dir():
        skip("no training loops; tools/bootstrap peers fetches them")
    args.python = python_with_torch(args)
    args.venv = ["--system-site-packages"]
    args.pattern = "test_loop_*.py"
    for package in ("lightning", "pytorch_lightning"):
        args.variables = {"PYTHONPATH": str(TRAINING),
                          "LIGHTNING_FOR_TESTS": package,
                          "LOOPS_FOR_TESTS": "1"}
        test(args)
        args.pattern = "test_loop_lightning.py"


def test_paddle(args):
    """Beside the real Paddle, which no other test has on its path."""
    if not PADDLE.is_dir():
        skip("no Paddle; tools/bootstrap peers fetches one for x86_64")
    args.variables = {"PADDLE_FOR_TESTS": str(PADDLE)}
    args.pattern = "test_side_by_side*.py"
    test(args)
    args.variables = {"PYTHONPATH": str(PADDLE)}
    for args.pattern in ("test_samples.py", "test_paddle_examples.py"):
        test(args)


def test_all(args):
    """As src/python/FindPythons.cmake: on the PATH, and in pyenv."""
    programs = [sys.executable, *(f"python3.{n}" for n in range(9, 21))]
    home = pathlib.Path.home() / ".pyenv/versions"
    programs += sorted(home.glob("3.*/bin/python3"))
    ask = ("import sys; print(sys.implementation.name, '3.%d' % "
           "sys.version_info[1], sys.version_info >= (3, 9))")
    found = {}
    for program in programs:
        try:
            said = subprocess.run([program, "-c", ask], text=True, check=False,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL).stdout.split()
        except OSError:
            continue
        if len(said) == 3 and said[0] == "cpython" and said[2] == "True":
            found.setdefault(said[1], program)
    for version, program in found.items():
        args.python = program
        test(argparse.Namespace(**{**vars(args),
                                   "work": args.work / version}))
        args.another = True
    print("python: passed with", ", ".join(found))


def main():
    commands = {"wheel": wheel, "repair": repair, "test": test,
                "test-all": test_all, "test-torch": test_torch,
                "test-paddle": test_paddle, "test-training": test_training}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=commands)
    for name in ("build", "out", "wheels", "work"):
        parser.add_argument(f"--{name}", type=lambda text:
                            pathlib.Path(text).resolve())
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--another", action="store_true",
                        help="leave out what says the same with every Python")
    parser.set_defaults(venv=[], pattern="test*.py", variables={})
    args = parser.parse_args()
    try:
        commands[args.command](args)
    except subprocess.CalledProcessError as error:
        sys.exit(f"failed: {' '.join(error.cmd)}")


if __name__ == "__main__":
    main()
