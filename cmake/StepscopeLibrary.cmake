# SPDX-License-Identifier: Apache-2.0
# libstepscope.so: everything a program needs to profile itself and to
# summarise, behind the C ABI of <stepscope/c.h>. The C++ API is header-only
# over it, so no std type crosses this border.

if(NOT TARGET stepscope_collector)
  return()
endif()

# A library needs one source of its own; the code comes from the archives.
set(anchor "${PROJECT_BINARY_DIR}/generated/stepscope_library.cc")
file(CONFIGURE OUTPUT "${anchor}" CONTENT
     "// SPDX-License-Identifier: Apache-2.0\n")
add_library(stepscope SHARED "${anchor}")
add_library(stepscope::stepscope ALIAS stepscope)
add_library(stepscope::collector ALIAS stepscope_collector)

# Whole archives where the C ABI is defined: nothing inside the library calls
# those functions, so the linker would leave them out. An override, because
# modules also name each other as plain libraries.
set(whole stepscope_collector)
if(TARGET stepscope_profiler)
  list(APPEND whole stepscope_profiler)
endif()
target_link_libraries(stepscope PRIVATE ${whole})
list(JOIN whole "," whole)
set_property(TARGET stepscope PROPERTY LINK_LIBRARY_OVERRIDE
                                       "WHOLE_ARCHIVE,${whole}")
target_link_libraries(stepscope PRIVATE stepscope_flags)

set(exports "${PROJECT_SOURCE_DIR}/cmake/stepscope.map")
target_link_options(stepscope PRIVATE "LINKER:--version-script=${exports}"
                    "LINKER:--no-undefined" "LINKER:--as-needed")
set_target_properties(
  stepscope
  PROPERTIES LINK_DEPENDS "${exports}"
             VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}
             LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
if(STEPSCOPE_SANITIZE)
  # The sanitizer runtime is resolved from the executable.
  set_property(TARGET stepscope PROPERTY LINK_OPTIONS
               "LINKER:--version-script=${exports}")
endif()
target_include_directories(
  stepscope PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
