# SPDX-License-Identifier: Apache-2.0
# The test one_definition compares what all modules of src/ define (see
# tools/check_odr.py). It needs objects made by g++ with -flto, and the tree of
# the preset tsan makes them so, beside its code, which costs less than a tree
# of its own. The target one_definition_objects builds them.

find_package(Python3 COMPONENTS Interpreter REQUIRED)

add_custom_target(one_definition_objects)
function(stepscope_add_objects_ folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    set(property stepscope_objects_apart)
    if(type STREQUAL "STATIC_LIBRARY")
      set(property stepscope_objects)
    elseif(type MATCHES "INTERFACE|UTILITY" OR target MATCHES "_test$")
      continue()
    endif()
    set_property(GLOBAL APPEND PROPERTY ${property}
                                        "$<TARGET_OBJECTS:${target}>")
    add_dependencies(one_definition_objects ${target})
  endforeach()
  get_property(subfolders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    stepscope_add_objects_("${subfolder}")
  endforeach()
endfunction()

get_property(folders DIRECTORY "${PROJECT_SOURCE_DIR}"
             PROPERTY SUBDIRECTORIES)
list(FILTER folders INCLUDE REGEX "/src/[a-z]+$")
foreach(folder IN LISTS folders)
  stepscope_add_objects_("${folder}")
endforeach()
get_property(objects GLOBAL PROPERTY stepscope_objects)
get_property(apart GLOBAL PROPERTY stepscope_objects_apart)
# In a file: they are too many for a command line.
set(listed "${PROJECT_BINARY_DIR}/one_definition.txt")
file(GENERATE OUTPUT "${listed}" CONTENT
  "$<JOIN:${objects},\n>\n--apart\n$<JOIN:${apart},\n>\n")
add_test(
  NAME one_definition
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/check_odr.py"
          --cxx "${CMAKE_CXX_COMPILER}" "@${listed}")
set_tests_properties(one_definition PROPERTIES LABELS definitions TIMEOUT 1800)
