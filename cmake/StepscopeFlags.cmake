# SPDX-License-Identifier: Apache-2.0
# stepscope_flags: the compile flags of every target of ours, and of nobody
# else's (it is linked through BUILD_INTERFACE, so it is never exported).

add_library(stepscope_flags INTERFACE)
target_compile_features(stepscope_flags INTERFACE cxx_std_20 c_std_11)
target_compile_options(
  stepscope_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>
  $<$<BOOL:${STEPSCOPE_WERROR}>:-Werror>)
# g++ 12 forgets that a precompiled header was the system's, and then warns of
# what its optimiser suspects inside std::string.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  target_compile_options(
    stepscope_flags
    INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>
              $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread>
              $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
              $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>)
endif()
# Of an archive the linker takes whole objects, and one of 32 files brings all
# that they call: what nobody calls is left out function by function.
if(STEPSCOPE_UNITY AND NOT STEPSCOPE_SANITIZE)
  target_compile_options(stepscope_flags INTERFACE -ffunction-sections
                                                   -fdata-sections)
  target_link_options(stepscope_flags INTERFACE LINKER:--gc-sections)
endif()
# libstdc++ 12 itself uses what it calls deprecated, and clang sees that.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(
    stepscope_flags
    INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()
# The version lives in project() and nowhere else.
target_compile_definitions(
  stepscope_flags INTERFACE STEPSCOPE_VERSION="${PROJECT_VERSION}")
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
target_link_libraries(stepscope_flags INTERFACE Threads::Threads
                                                ${CMAKE_DL_LIBS})

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(STEPSCOPE_ODR)
  # Programs are linked from the code, not from what -flto put beside it.
  add_compile_options(-flto -ffat-lto-objects)
  add_link_options(-fno-lto)
endif()

# Sanitizers change the ABI of the standard containers' checks and the runtime
# of every object, so they are the one thing set for the whole tree.
if(STEPSCOPE_SANITIZE)
  add_compile_options(-fsanitize=${STEPSCOPE_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${STEPSCOPE_SANITIZE})
  # These programs are ten times as large; LLVM's linker takes a quarter of the
  # time that the usual one does.
  find_program(STEPSCOPE_LLD ld.lld HINTS /usr/lib/llvm-19/bin)
  mark_as_advanced(STEPSCOPE_LLD)
  if(STEPSCOPE_LLD)
    cmake_path(GET STEPSCOPE_LLD PARENT_PATH folder)
    add_link_options(-B${folder} -fuse-ld=lld)
  endif()
  # g++ says by macros which sanitizer it works for; clang 19 does not.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    foreach(sanitizer address thread)
      if(STEPSCOPE_SANITIZE MATCHES "(^|,)${sanitizer}(,|$)")
        string(TOUPPER "__SANITIZE_${sanitizer}__" macro)
        add_compile_definitions(${macro}=1)
      endif()
    endforeach()
  endif()
endif()
