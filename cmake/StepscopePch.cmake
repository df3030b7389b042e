# SPDX-License-Identifier: Apache-2.0
# The headers of the standard library are half of what an object costs. Three
# targets precompile them, once for modules that are fast, once for those that
# are not, and once, with GoogleTest, for all tests; the others take the result
# over, so their flags must be the same.
# CMAKE_DISABLE_PRECOMPILE_HEADERS turns this off: the tree dev is built so, and
# finds what a file forgot to include.

# Headers of ours are not among them: a change of one would rebuild everything.
set(stepscope_pch_headers
    <algorithm>
    <array>
    <atomic>
    <bit>
    <charconv>
    <chrono>
    <cmath>
    <condition_variable>
    <cstddef>
    <cstdint>
    <cstdio>
    <cstdlib>
    <cstring>
    <filesystem>
    <functional>
    <map>
    <memory>
    <mutex>
    <optional>
    <span>
    <string>
    <string_view>
    <thread>
    <tuple>
    <unordered_map>
    <utility>
    <vector>)

function(stepscope_pch_owner_ name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINK")
  set(empty "${PROJECT_BINARY_DIR}/generated/${name}.cc")
  file(CONFIGURE OUTPUT "${empty}" CONTENT "// Only headers.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${empty}")
  target_link_libraries(${name} PRIVATE stepscope_flags ${arg_LINK})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Otherwise it refuses what a compiler cache made, for its headers' age.
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_precompile_headers(${name} PRIVATE ${stepscope_pch_headers}
                            ${arg_HEADERS})
endfunction()

# What libFuzzer steers by. Other programs run the same objects: there its calls
# end in the sanitizers' runtime, which ignores them.
set(stepscope_module_options
    $<$<BOOL:${STEPSCOPE_FUZZ}>:-fsanitize=fuzzer-no-link>)
stepscope_pch_owner_(stepscope_module_pch)
target_compile_options(stepscope_module_pch
                       PRIVATE ${stepscope_module_options})

# What prints is large and runs once: optimised less, it takes two thirds of the
# time to compile. Under AddressSanitizer clang's optimiser and what libFuzzer
# counts are two thirds of an object, and no fuzz target aims at these modules.
if(STEPSCOPE_SANITIZE MATCHES "address")
  set(stepscope_prints_options -O0)
else()
  set(stepscope_prints_options $<$<CONFIG:Release>:-O1>)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR STEPSCOPE_SANITIZE MATCHES "address")
  set(stepscope_prints_kind prints)
  stepscope_pch_owner_(stepscope_prints_pch)
  target_compile_options(stepscope_prints_pch
                         PRIVATE ${stepscope_prints_options})
else()
  set(stepscope_prints_kind module)
endif()

# What tests measure is in the modules; they themselves need not be fast. The
# optimiser is two thirds of what an object of tests costs under
# AddressSanitizer, and it gains less at run time, but for tests marked HOT.
# By g++ -Og costs no more than -O0: small functions of headers are not written
# out once more, and linked in place of the modules' own.
if(STEPSCOPE_SANITIZE MATCHES "address")
  set(stepscope_test_options -O0)
else()
  set(stepscope_test_options -Og)
endif()
# g++ looks through all that it holds for what it no longer needs, again and
# again from 128 MiB on, and through the precompiled header each time. Objects
# of tests cost up to a fifth less where that begins at 1 GiB (in KiB).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND stepscope_test_options
       "SHELL:--param ggc-min-heapsize=1048576")
endif()
if(STEPSCOPE_TESTS)
  stepscope_pch_owner_(stepscope_test_pch HEADERS <gtest/gtest.h>
                       LINK GTest::gtest)
  # As executables are compiled.
  set_target_properties(stepscope_test_pch PROPERTIES
                        POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(stepscope_test_pch PRIVATE -fPIE
                                                    ${stepscope_test_options})
endif()
