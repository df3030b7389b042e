# SPDX-License-Identifier: Apache-2.0
# stepscope_find_pythons(OUT): the CPythons whose headers are on this machine,
# one of each minor version from 3.9 on, oldest first, as
# "<version>|<include folder>|<suffix of modules>|<program>". Looked for under
# the names python3 and python3.N on the PATH and in pyenv; STEPSCOPE_PYTHONS
# names programs instead.

set(STEPSCOPE_PYTHONS "" CACHE STRING
    "Python programs to build for; empty: all that are found")

function(stepscope_find_pythons out)
  set(programs ${STEPSCOPE_PYTHONS})
  if(NOT programs)
    # What builds us comes first: of two with one version it is the one.
    set(programs ${Python_EXECUTABLE} ${Python3_EXECUTABLE} python3)
    foreach(minor RANGE 9 20)
      list(APPEND programs python3.${minor})
    endforeach()
    file(GLOB pyenv "$ENV{HOME}/.pyenv/versions/3.*/bin/python3")
    list(APPEND programs ${pyenv})
  endif()
  set(script [[
import os, sys, sysconfig as s
i = s.get_paths()["include"]
if (sys.implementation.name == "cpython" and sys.version_info >= (3, 9)
        and not s.get_config_var("Py_GIL_DISABLED")
        and os.path.exists(os.path.join(i, "Python.h"))):
    print("3%02d|3.%d|%s|%s|%s" % (sys.version_info[1], sys.version_info[1], i,
                                   s.get_config_var("EXT_SUFFIX"),
                                   sys.executable), end="")
]])
  set(found "")
  set(seen "")
  foreach(program IN LISTS programs)
    execute_process(COMMAND "${program}" -c "${script}" OUTPUT_VARIABLE line
                    ERROR_QUIET RESULT_VARIABLE failed)
    if(failed OR NOT line)
      continue()
    endif()
    string(REGEX MATCH "^[0-9]+" key "${line}")
    if(NOT key IN_LIST seen)
      list(APPEND seen ${key})
      list(APPEND found "${line}")
    endif()
  endforeach()
  list(SORT found)
  list(TRANSFORM found REPLACE "^[0-9]+[|]" "")
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
