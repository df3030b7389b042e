// SPDX-License-Identifier: Apache-2.0
//
// Giving the GIL up and taking it, by threads that may outlive the interpreter.
//
// Up to 3.13 CPython ends a thread that asks for the GIL of an interpreter that
// is ending: by pthread_exit(), which unwinds its stack. Frames of C++ that may
// not be left so, such as a destructor, would abort the process. Here the
// thread waits for the end of the process instead, as it does from 3.14 on.
#pragma once

#include <Python.h>
#include <unistd.h>

[[noreturn]] inline void WaitForTheEndOfTheProcess() {
  while (true) pause();
}

// Calls what may need the GIL, directly: no frame of C++ lies between this one
// and CPython.
template <typename Function>
auto OrWaitForTheEnd(Function function) {
  try {
    return function();
  } catch (...) {
    WaitForTheEndOfTheProcess();
  }
}

class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() {
    OrWaitForTheEnd([this] { PyEval_RestoreThread(state_); });
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* const state_;
};

class GilTaken {
 public:
  GilTaken() : state_(OrWaitForTheEnd([] { return PyGILState_Ensure(); })) {}
  ~GilTaken() {
    OrWaitForTheEnd([this] { PyGILState_Release(state_); });
  }
  GilTaken(const GilTaken&) = delete;
  GilTaken& operator=(const GilTaken&) = delete;

 private:
  const PyGILState_STATE state_;
};
