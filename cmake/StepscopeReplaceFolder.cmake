# SPDX-License-Identifier: Apache-2.0
#
# cmake -DFROM=DIR -DTO=DIR -P StepscopeReplaceFolder.cmake
#
# FROM becomes TO, unless all that is in it is there already: a second tree that
# builds the page leaves the files alone that tests of the first one read.
function(contents_of folder result)
  file(GLOB_RECURSE files RELATIVE "${folder}" "${folder}/*")
  set(all "")
  foreach(file IN LISTS files)
    file(SHA256 "${folder}/${file}" hash)
    string(APPEND all "${file} ${hash}\n")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

contents_of("${FROM}" new)
contents_of("${TO}" old)
if("${new}" STREQUAL "${old}")
  file(REMOVE_RECURSE "${FROM}")
  file(TOUCH "${TO}/index.html")
else()
  file(REMOVE_RECURSE "${TO}")
  file(RENAME "${FROM}" "${TO}")
endif()
