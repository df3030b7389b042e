# SPDX-License-Identifier: Apache-2.0
# one_definition: compares what all modules of src/ define (see
# tools/check_odr.py). Needs objects made with -flto, so it is the target of a
# tree of its own, the preset odr.

find_package(Python3 COMPONENTS Interpreter REQUIRED)

function(stepscope_add_objects_ folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    set(property stepscope_objects_apart)
    if(type STREQUAL "STATIC_LIBRARY")
      set(property stepscope_objects)
    elseif(type MATCHES "INTERFACE|UTILITY")
      continue()
    endif()
    set_property(GLOBAL APPEND PROPERTY ${property}
                                        "$<TARGET_OBJECTS:${target}>")
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
set(script "${PROJECT_SOURCE_DIR}/tools/check_odr.py")
set(stamp "${PROJECT_BINARY_DIR}/one_definition.stamp")
add_custom_command(
  OUTPUT "${stamp}"
  COMMAND "${Python3_EXECUTABLE}" "${script}" --cxx "${CMAKE_CXX_COMPILER}"
          ${objects} --apart ${apart}
  COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
  DEPENDS "${script}" ${objects} ${apart}
  COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Comparing the definitions of all modules")
add_custom_target(one_definition DEPENDS "${stamp}")
