# SPDX-License-Identifier: Apache-2.0
# The commands of CONTRIBUTING.md. The build itself is CMake's.

.PHONY: help build demo test test-peers dev check format docs bench fuzz wheel \
  clean

help:
	@echo "make build   all but benchmarks, optimised, into build/ (CLI: build/bin/stepscope)"
	@echo "make demo    profile a small training run; print the summary, write the timeline"
	@echo "make test    all tests: release, AddressSanitizer+UBSan, ThreadSanitizer, fuzz"
	@echo "make test-peers  beside Paddle, Spark, training loops and what reads torch's traces, which it fetches (1.8 GB)"
	@echo "make dev     every file alone, warnings are errors: finds a missing #include"
	@echo "make check   the quick tests on the release tree"
	@echo "make format  mend what formatters can mend"
	@echo "make docs    the documentation as a site, into build/site"
	@echo "make bench   the table of measured costs, as ratios to the floor"
	@echo "make fuzz    the importers under libFuzzer, FUZZ_SECONDS (600) a target;"
	@echo "             programs that misbehave while they record, GUEST_SEEDS (1-2000)"
	@echo "make wheel   the Python package, into dist/, checked with every Python found"
	@echo "make clean   remove all build trees"

build:
	@tools/bootstrap build
	@cmake --preset release --log-level=WARNING
	@cmake --build build

# Only what the demo runs. The tree is that of `make build`, which adds the rest.
demo:
	@tools/bootstrap demo
	@cmake --preset demo --log-level=WARNING
	@cmake --build build --target demo_programs
	@tools/demo

test:
	@tools/bootstrap build
	@python3 tools/run_tests.py --bootstrap

test-peers:
	@tools/bootstrap build
	@python3 tools/run_tests.py --peers --bootstrap

dev:
	@tools/bootstrap build
	@cmake --preset dev --log-level=WARNING
	@cmake --build build-dev --target all benchmarks

check:
	@tools/bootstrap check
	@python3 tools/run_tests.py --quick release

format:
	@tools/bootstrap check
	@python3 tools/lint.py format --fix
	@python3 tools/lint.py python --fix
	@python3 tools/lint.py ui --fix

docs:
	@tools/bootstrap docs
	@python3 tools/docs.py build --out build/site

bench:
	@tools/bootstrap bench
	@$(MAKE) --no-print-directory build
	@cmake --build build --target benchmarks
	@tools/bench

FUZZ_SECONDS ?= 600
GUEST_SEEDS ?= 1-2000
fuzz:
	@tools/bootstrap test
	@tools/fuzz $(FUZZ_SECONDS)
	@cmake --preset release --log-level=WARNING
	@cmake --build build --target stepscope_program guest_torture
	@python3 tests/guest/guest_test.py --stepscope build/bin/stepscope \
	  --guest build/test-bin/guest_torture --seeds $(GUEST_SEEDS)

# The package and its tests are those of `make test`; here the wheel is one that
# runs on other machines too.
wheel:
	@tools/bootstrap wheel
	@$(MAKE) --no-print-directory build
	@python3 tools/python_package.py wheel --build build --out build/wheel
	@python3 tools/python_package.py repair --wheels build/wheel --out dist
	@python3 tools/python_package.py test-all --wheels dist --work build/wheel-test

clean:
	rm -rf build build-dev build-asan build-tsan build-fuzz build-live dist
