# SPDX-License-Identifier: Apache-2.0
# stepscope_cuda_headers: the headers of CUDA and CUPTI, where there are any: of
# a toolkit, or those that tools/fetch_cuda_headers.py put into .cache/cuda.
# STEPSCOPE_CUDA_DIR names another folder that holds include/.

set(STEPSCOPE_CUDA_DIR "" CACHE PATH "CUDA toolkit; empty: look for one")
set(toolkits "${STEPSCOPE_CUDA_DIR}" "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}"
    "/usr/local/cuda" "${PROJECT_SOURCE_DIR}/.cache/cuda")
foreach(toolkit IN LISTS toolkits)
  if(NOT toolkit OR NOT EXISTS "${toolkit}/include/cuda.h")
    continue()
  endif()
  foreach(folder "${toolkit}/include" "${toolkit}/extras/CUPTI/include")
    if(EXISTS "${folder}/cupti.h")
      file(STRINGS "${folder}/cupti_version.h" version
           REGEX "define CUPTI_API_VERSION +[0-9]+")
      string(REGEX MATCH "[0-9]+$" version "${version}")
      # Records are checked against the layouts of CUDA 13.
      if(version LESS 130000)
        message(STATUS "stepscope: ${folder} is CUPTI API ${version}, "
                       "130000 or later is needed to build")
        continue()
      endif()
      add_library(stepscope_cuda_headers INTERFACE)
      target_include_directories(
        stepscope_cuda_headers SYSTEM INTERFACE "${toolkit}/include"
                                                "${folder}")
      message(STATUS "stepscope: CUPTI headers of ${folder} (API ${version})")
      return()
    endif()
  endforeach()
endforeach()
