// SPDX-License-Identifier: Apache-2.0
#include "torch/iteration.h"

#include <dlfcn.h>

namespace stepscope {
namespace {

// Of Python's stable interface, looked up: the observer is not linked to it.
struct Python {
  int (*ensure)();
  void (*release)(int state);
  int (*is_initialized)();
  void (*get_exception)(void** type, void** value, void** traceback);
  int (*matches)(void* given, void* expected);
  void (*drop)(void* object);
  void** stop_iteration;

  bool complete() const {
    return ensure && release && is_initialized && get_exception && matches &&
           drop && stop_iteration;
  }
};

template <typename T>
void Find(const char* name, T* symbol) {
  *symbol = reinterpret_cast<T>(dlsym(RTLD_DEFAULT, name));
}

Python Load() {
  Python python;
  Find("PyGILState_Ensure", &python.ensure);
  Find("PyGILState_Release", &python.release);
  Find("Py_IsInitialized", &python.is_initialized);
  Find("PyErr_GetExcInfo", &python.get_exception);
  Find("PyErr_GivenExceptionMatches", &python.matches);
  Find("Py_DecRef", &python.drop);
  Find("PyExc_StopIteration", &python.stop_iteration);
  return python;
}

}  // namespace

bool IsIterationStopping() {
  static const Python python = Load();
  if (!python.complete() || !python.is_initialized()) return false;
  const int state = python.ensure();
  void* exception[3] = {};  // type, value, traceback
  python.get_exception(&exception[0], &exception[1], &exception[2]);
  const bool stopping =
      exception[1] != nullptr &&
      python.matches(exception[1], *python.stop_iteration) != 0;
  for (void* object : exception) python.drop(object);  // null is allowed
  python.release(state);
  return stopping;
}

}  // namespace stepscope
