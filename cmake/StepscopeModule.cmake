# SPDX-License-Identifier: Apache-2.0
# How a folder of src/ says what it is, in one call each.

# stepscope_unity(<target>): its files are compiled 32 at once, so that what
# they include is read once. Names must then be the target's own, not the
# file's, unnamed namespaces or not. The tree dev turns it off: it finds what a
# file forgot to include or to define. Batches are the same in every tree, so
# that what compiles in one does in all.
set(stepscope_batch_size 32)
function(stepscope_unity target)
  set_target_properties(
    ${target} PROPERTIES UNITY_BUILD ${STEPSCOPE_UNITY} UNITY_BUILD_BATCH_SIZE
                                     ${stepscope_batch_size})
endfunction()

# stepscope_module(<name> [SOURCES a.cc ...] [DEPENDS trace base] [LINK Z::Z]
#                  [PRINTS] [TRUSTS])
#
# The static library stepscope_<name>, included as "module/header.h" from src/.
# DEPENDS names sibling modules, LINK takes any target. Without a .cc it is a
# header-only INTERFACE library. PRINTS: it turns results into text, and need
# not be fast. TRUSTS: its input was checked by the modules below it, so no fuzz
# target aims at it, and under AddressSanitizer it need not be fast either.
function(stepscope_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PRINTS;TRUSTS" ""
                        "SOURCES;DEPENDS;LINK")
  set(target stepscope_${name})
  list(TRANSFORM arg_DEPENDS PREPEND stepscope_)
  set(scope PUBLIC)
  if(arg_SOURCES MATCHES "\\.(cc|c)(;|$)")
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target}
                          PRIVATE $<BUILD_INTERFACE:stepscope_flags>)
    set(kind module)
    if(arg_PRINTS OR (arg_TRUSTS AND STEPSCOPE_SANITIZE MATCHES "address"))
      set(kind ${stepscope_prints_kind})
    endif()
    target_compile_options(${target} PRIVATE ${stepscope_${kind}_options})
    target_precompile_headers(${target} REUSE_FROM stepscope_${kind}_pch)
    stepscope_unity(${target})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
    target_sources(${target} PRIVATE ${arg_SOURCES})
  endif()
  # Installed consumers get the include path from the header set of the
  # installed target; these two are for our own tree only.
  target_include_directories(
    ${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                       $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  foreach(dependency IN LISTS arg_DEPENDS arg_LINK)
    target_link_libraries(${target} ${scope} $<BUILD_INTERFACE:${dependency}>)
  endforeach()
endfunction()

# stepscope_program(<name> SOURCES a.cc [DEPENDS trace] [LINK Z::Z])
#
# An executable in <build>/bin. The program named stepscope (the CLI) has the
# target stepscope_program, because stepscope is the shared library.
function(stepscope_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINK")
  set(target ${name})
  if(name STREQUAL "stepscope")
    set(target stepscope_program)
  endif()
  add_executable(${target} ${arg_SOURCES})
  set_target_properties(
    ${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                             "${PROJECT_BINARY_DIR}/bin")
  stepscope_link_(${target} "${arg_DEPENDS}" "${arg_LINK}")
endfunction()

# stepscope_test(<name> SOURCES foo_test.cc [DEPENDS trace] [LINK Z::Z]
#                [LABELS unit] [TIMEOUT seconds] [ENVIRONMENT A=b ...]
#                [HOT] [ONE_THREAD bar_test.cc ...])
#
# A GoogleTest binary; each of its tests is a CTest test <name>.Suite.Case.
# Labels: unit (quick; the default), e2e, fault (slow hardening), install;
# threads, which is what the ThreadSanitizer tree builds and runs; and once,
# no_asan, no_tsan (see tools/run_tests.py).
# TIMEOUT is for an optimised build; under a sanitizer it is three times that.
# HOT: its own code runs for long, so it is optimised in every tree.
# ONE_THREAD: those of the sources whose tests start no thread, or ask a server
# one thing after the other; ThreadSanitizer's tree leaves these files out.
function(stepscope_test name)
  if(NOT STEPSCOPE_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT" "TIMEOUT"
                        "SOURCES;ONE_THREAD;DEPENDS;LINK;LABELS;ENVIRONMENT")
  if(NOT STEPSCOPE_SANITIZE MATCHES "thread")
    list(APPEND arg_SOURCES ${arg_ONE_THREAD})
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(STEPSCOPE_SANITIZE)
    math(EXPR arg_TIMEOUT "3 * ${arg_TIMEOUT}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  if("threads" IN_LIST arg_LABELS)
    if(NOT TARGET thread_tests)
      add_custom_target(thread_tests)
    endif()
    add_dependencies(thread_tests ${name})
  endif()
  set_target_properties(
    ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                       "${PROJECT_BINARY_DIR}/test-bin")
  stepscope_link_(${name} "${arg_DEPENDS}" "${arg_LINK};GTest::gtest_main")
  if(NOT arg_HOT)
    target_compile_options(${name} PRIVATE ${stepscope_test_options})
    target_precompile_headers(${name} REUSE_FROM stepscope_test_pch)
  endif()
  stepscope_unity(${name})
  list(APPEND arg_ENVIRONMENT ${STEPSCOPE_TEST_ENVIRONMENT})
  gtest_discover_tests(
    ${name}
    TEST_PREFIX "${name}."
    TEST_LIST ${name}_tests
    NO_PRETTY_VALUES
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 300)
  # gtest_discover_tests(PROPERTIES) takes no lists, so what CTest reads after
  # the discovered tests sets them.
  set(properties "${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake")
  file(CONFIGURE OUTPUT "${properties}" @ONLY CONTENT [[
if(@name@_tests)
  set_tests_properties(${@name@_tests} PROPERTIES
    LABELS "@arg_LABELS@" TIMEOUT @arg_TIMEOUT@
    ENVIRONMENT "@arg_ENVIRONMENT@")
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${properties}")
endfunction()

# What sanitizer runtimes need to hear in every test.
set(lsan_file "${PROJECT_SOURCE_DIR}/cmake/lsan.supp")
set(STEPSCOPE_TEST_ENVIRONMENT
    "UBSAN_OPTIONS=print_stacktrace=1" "TSAN_OPTIONS=halt_on_error=1"
    "LSAN_OPTIONS=print_suppressions=0:suppressions=${lsan_file}")
# clang's runtime asks another program for the names of functions, without which
# no line of lsan.supp fits. Its own, llvm-symbolizer, may not be installed.
# CMAKE_ADDR2LINE may be LLVM's, whose name that runtime does not know.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  find_program(STEPSCOPE_ADDR2LINE addr2line)
  mark_as_advanced(STEPSCOPE_ADDR2LINE)
  if(STEPSCOPE_ADDR2LINE)
    list(APPEND STEPSCOPE_TEST_ENVIRONMENT
         "ASAN_OPTIONS=external_symbolizer_path=${STEPSCOPE_ADDR2LINE}")
  endif()
endif()

function(stepscope_link_ target depends link)
  list(TRANSFORM depends PREPEND stepscope_)
  target_link_libraries(${target} PRIVATE stepscope_flags ${depends} ${link})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                               "${PROJECT_SOURCE_DIR}/include")
endfunction()
