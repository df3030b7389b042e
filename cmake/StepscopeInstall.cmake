# SPDX-License-Identifier: Apache-2.0
# `cmake --install build --prefix P`, then find_package(stepscope) elsewhere.

if(NOT TARGET stepscope)
  return()
endif()

include(CMakePackageConfigHelpers)

set(headers "")
foreach(header c.h disabled.h external.h stepscope.h plugin.h)
  if(EXISTS "${PROJECT_SOURCE_DIR}/include/stepscope/${header}")
    list(APPEND headers "${PROJECT_SOURCE_DIR}/include/stepscope/${header}")
  endif()
endforeach()
foreach(target stepscope stepscope_collector)
  target_sources(
    ${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include"
                     FILES ${headers})
endforeach()
# <stepscope/stepscope.h> is C++17.
target_compile_features(stepscope INTERFACE cxx_std_17)
set_target_properties(stepscope_collector PROPERTIES EXPORT_NAME collector)
# In our own tree these come with stepscope_flags. The C++ runtime is named
# because a project in C alone links with the C compiler.
target_link_libraries(
  stepscope_collector
  INTERFACE $<INSTALL_INTERFACE:Threads::Threads>
            $<INSTALL_INTERFACE:${CMAKE_DL_LIBS}>
            $<INSTALL_INTERFACE:stdc++>)

install(
  TARGETS stepscope stepscope_collector
  EXPORT stepscopeTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET stepscope_program)
  install(TARGETS stepscope_program DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/man/stepscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  # Where each shell looks; src/cli/CMakeLists.txt makes the files.
  set(completions "${PROJECT_BINARY_DIR}/share/completions")
  install(FILES "${completions}/stepscope.bash" RENAME stepscope
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          OPTIONAL)
  install(FILES "${completions}/stepscope.zsh" RENAME _stepscope
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
          OPTIONAL)
  install(FILES "${completions}/stepscope.fish"
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
          OPTIONAL)
  # What SQL runs on, where tools/bootstrap fetched it. Programs look for it in
  # ../lib/stepscope.
  install(FILES .cache/duckdb/libduckdb.so packaging/licenses/duckdb.txt
          DESTINATION lib/stepscope OPTIONAL)
endif()

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/stepscope")
install(EXPORT stepscopeTargets NAMESPACE stepscope:: DESTINATION ${package})
configure_package_config_file(
  cmake/stepscopeConfig.cmake.in generated/stepscopeConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(generated/stepscopeConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/stepscopeConfig.cmake"
              "${PROJECT_BINARY_DIR}/generated/stepscopeConfigVersion.cmake"
        DESTINATION ${package})
