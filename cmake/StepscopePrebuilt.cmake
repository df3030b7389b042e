# SPDX-License-Identifier: Apache-2.0
# The Python package around the programs of a finished build tree, so that a
# wheel for the tests costs the bindings only.
# The file itself: the rules below would install the link.
file(REAL_PATH "${STEPSCOPE_PREBUILT}/lib/libstepscope.so" library)
add_library(stepscope SHARED IMPORTED)
set_target_properties(
  stepscope
  PROPERTIES IMPORTED_LOCATION "${library}"
             INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include")
add_executable(stepscope_program IMPORTED)
set_property(TARGET stepscope_program
             PROPERTY IMPORTED_LOCATION "${STEPSCOPE_PREBUILT}/bin/stepscope")
foreach(part injector:inject cupti:cupti reader:read torch:torch)
  string(REPLACE ":" ";" part "${part}")
  list(GET part 0 target)
  list(GET part 1 name)
  set(file "${STEPSCOPE_PREBUILT}/lib/libstepscope_${name}.so")
  if(EXISTS "${file}")
    add_library(stepscope_${target} MODULE IMPORTED)
    set_property(TARGET stepscope_${target} PROPERTY IMPORTED_LOCATION
                                                     "${file}")
  endif()
endforeach()
add_subdirectory(src/python)
