# SPDX-License-Identifier: Apache-2.0
# Included before project(), which chooses the compiler. STEPSCOPE_CLANG is the
# version of clang that a tree wants: the tree asan does, since clang has
# libFuzzer, and its targets then share the tree's objects. Where that clang is
# missing, the usual compiler builds the tree, without the fuzz targets.
# -DCMAKE_CXX_COMPILER=... wins, as always.
set(STEPSCOPE_CLANG "" CACHE STRING
    "Version of clang to build with if it is found; empty: usual compiler")
if(NOT STEPSCOPE_CLANG)
  return()
endif()
find_program(STEPSCOPE_CLANG_C clang-${STEPSCOPE_CLANG})
find_program(STEPSCOPE_CLANG_CXX clang++-${STEPSCOPE_CLANG})
mark_as_advanced(STEPSCOPE_CLANG_C STEPSCOPE_CLANG_CXX)
if(STEPSCOPE_CLANG_C AND STEPSCOPE_CLANG_CXX)
  if(NOT CMAKE_CXX_COMPILER)
    set(CMAKE_C_COMPILER "${STEPSCOPE_CLANG_C}" CACHE FILEPATH "C compiler")
    set(CMAKE_CXX_COMPILER "${STEPSCOPE_CLANG_CXX}"
        CACHE FILEPATH "C++ compiler")
  endif()
elseif(NOT CMAKE_CXX_COMPILER MATCHES "clang")
  message(NOTICE "stepscope: no clang++-${STEPSCOPE_CLANG}: the usual compiler "
                 "builds this tree, without fuzz targets")
  set(STEPSCOPE_FUZZ OFF)  # wins over the cache
endif()
