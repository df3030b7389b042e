# SPDX-License-Identifier: Apache-2.0
# What `stepscope run` compiles on the spot; src/cli/record/run_torch_build.cc
# has the same list.
set(stepscope_torch_sources
    input_list.h
    iteration.cc
    iteration.h
    observer.cc
    observer_abi.h
    recorder.cc
    recorder.h
    shapes.cc
    shapes.h)
