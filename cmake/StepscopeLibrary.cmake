# SPDX-License-Identifier: Apache-2.0
# libstepscope.so: everything a program needs to profile itself and to
# summarise, behind the C ABI of <stepscope/c.h>. The C++ API is header-only
# over it, so no std type crosses this border.

if(NOT TARGET stepscope_collector)
  return()
endif()

# The objects that define the C ABI, named one by one: nothing inside the
# library calls them, so out of an archive the linker would leave them behind.
set(modules stepscope_collector)
if(TARGET stepscope_profiler)
  list(APPEND modules stepscope_profiler)
endif()
set(objects ${modules})
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(stepscope SHARED ${objects})
add_library(stepscope::stepscope ALIAS stepscope)
add_library(stepscope::collector ALIAS stepscope_collector)
set_property(TARGET stepscope PROPERTY LINKER_LANGUAGE CXX)
target_link_libraries(stepscope PRIVATE stepscope_flags ${modules})

set(exports "${PROJECT_SOURCE_DIR}/cmake/stepscope.map")
target_link_options(stepscope PRIVATE "LINKER:--version-script=${exports}"
                    "LINKER:--no-undefined" "LINKER:--as-needed"
                    # Its threads may outlive a dlclose().
                    "LINKER:-z,nodelete")
set_target_properties(
  stepscope
  PROPERTIES LINK_DEPENDS "${exports}"
             VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}
             LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
if(STEPSCOPE_SANITIZE)
  # The sanitizer runtime is resolved from the executable.
  set_property(TARGET stepscope PROPERTY LINK_OPTIONS
               "LINKER:--version-script=${exports}"
               $<$<BOOL:${STEPSCOPE_ODR}>:-fno-lto>)
endif()
target_include_directories(
  stepscope PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
