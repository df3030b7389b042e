# SPDX-License-Identifier: Apache-2.0
# What is looked for on the machine. Nothing is downloaded at configure time.

find_package(ZLIB REQUIRED)

# What reads the traces of other tools. zstd is used where it is found.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(ZSTD IMPORTED_TARGET GLOBAL libzstd)
endif()
if(NOT STEPSCOPE_LIVE)
  # Through its package: the target carries a macro on which the size of the
  # parser depends.
  find_package(simdjson REQUIRED)
  find_package(SQLite3 REQUIRED)
  # By pkg-config, whose flags are those that the library was built with.
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(CPP_HTTPLIB REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)
endif()

if(STEPSCOPE_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# CLI11 is header-only; a folder given by hand wins over an installed one.
if(STEPSCOPE_CLI11_DIR)
  if(NOT EXISTS "${STEPSCOPE_CLI11_DIR}/CLI/CLI.hpp")
    message(FATAL_ERROR
            "STEPSCOPE_CLI11_DIR: no CLI/CLI.hpp in ${STEPSCOPE_CLI11_DIR}")
  endif()
  add_library(stepscope_cli11 INTERFACE)
  target_include_directories(stepscope_cli11 SYSTEM
                             INTERFACE "${STEPSCOPE_CLI11_DIR}")
  add_library(CLI11::CLI11 ALIAS stepscope_cli11)
else()
  find_package(CLI11 QUIET)
endif()
