/* SPDX-License-Identifier: Apache-2.0
 *
 * The module stepscope._calls: what CPython calls when a Python function begins
 * and ends. From 3.12 on these are callbacks of sys.monitoring, which
 * python/stepscope/_functions.py registers; before, the profile function of
 * each thread.
 */
#include "python/calls.h"

static PyObject* None(void) {
  /* Not Py_RETURN_NONE: see event.c. */
  Py_INCREF(Py_None);
  return Py_None;
}

/* ------------------------------------------------------------------------- */
/* From 3.12 on: callbacks of sys.monitoring */

static PyObject* disable; /* sys.monitoring.DISABLE */

/* Not to be called again for this place in the code. */
static PyObject* Disable(void) {
  PyObject* answer = disable == NULL ? Py_None : disable;
  Py_INCREF(answer);
  return answer;
}

/* PY_START and PY_RESUME. */
static PyObject* OnStart(PyObject* module, PyObject* const* args,
                         Py_ssize_t count) {
  uint32_t site = count > 0 ? SiteOfCode(args[0]) : kNotRecorded;
  (void)module;
  if (site == kNotRecorded) return Disable();
  PushCall(args[0], site);
  return None();
}

/* PY_THROW, which cannot be disabled. */
static PyObject* OnThrow(PyObject* module, PyObject* const* args,
                         Py_ssize_t count) {
  uint32_t site = count > 0 ? SiteOfCode(args[0]) : kNotRecorded;
  (void)module;
  if (site != kNotRecorded) PushCall(args[0], site);
  return None();
}

/* PY_RETURN and PY_YIELD. */
static PyObject* OnReturn(PyObject* module, PyObject* const* args,
                          Py_ssize_t count) {
  (void)module;
  if (count == 0) return None();
  if (!IsTopCall(args[0]) && SiteOfCode(args[0]) == kNotRecorded)
    return Disable();
  PopCall(args[0]);
  return None();
}

/* PY_UNWIND, which cannot be disabled. */
static PyObject* OnUnwind(PyObject* module, PyObject* const* args,
                          Py_ssize_t count) {
  (void)module;
  if (count > 0 && (IsTopCall(args[0]) || SiteOfCode(args[0]) != kNotRecorded))
    PopCall(args[0]);
  return None();
}

/* ------------------------------------------------------------------------- */
/* Before 3.12: the profile function of each thread */

#if !defined(Py_LIMITED_API) && PY_VERSION_HEX < 0x030C0000
/* Between install_profile() and remove_profile(). */
static int profiling;

static int OnProfile(PyObject* self, PyFrameObject* frame, int what,
                     PyObject* arg) {
  PyCodeObject* code;
  (void)self;
  (void)arg;
  if (what != PyTrace_CALL && what != PyTrace_RETURN) return 0;
  code = PyFrame_GetCode(frame);
  if (what == PyTrace_RETURN) {
    if (IsTopCall((PyObject*)code) ||
        SiteOfCode((PyObject*)code) != kNotRecorded)
      PopCall((PyObject*)code);
  } else {
    uint32_t site = SiteOfCode((PyObject*)code);
    if (site != kNotRecorded) PushCall((PyObject*)code, site);
  }
  Py_DECREF(code);
  return 0;
}

static PyThreadState* FirstThread(void) {
  return PyInterpreterState_ThreadHead(PyInterpreterState_Get());
}

/* install_profile() -> how many threads another profile function has, which
 * keep it. */
static PyObject* InstallProfile(PyObject* module, PyObject* unused) {
  PyThreadState* thread;
  long taken = 0;
  (void)module;
  (void)unused;
  profiling = 1;
  for (thread = FirstThread(); thread != NULL;
       thread = PyThreadState_Next(thread)) {
    if (thread->c_profilefunc == NULL) {
      if (_PyEval_SetProfile(thread, OnProfile, NULL) < 0) return NULL;
    } else if (thread->c_profilefunc != OnProfile) {
      ++taken;
    }
  }
  return PyLong_FromLong(taken);
}

/* remove_profile() -> whether the calling thread still had it. */
static PyObject* RemoveProfile(PyObject* module, PyObject* unused) {
  PyThreadState* thread;
  int had_it = PyThreadState_Get()->c_profilefunc == OnProfile;
  (void)module;
  (void)unused;
  profiling = 0;
  for (thread = FirstThread(); thread != NULL;
       thread = PyThreadState_Next(thread)) {
    if (thread->c_profilefunc == OnProfile &&
        _PyEval_SetProfile(thread, NULL, NULL) < 0)
      return NULL;
  }
  return PyBool_FromLong(had_it);
}

/* profile_thread(frame, event, arg): what threading.setprofile() makes each new
 * thread call first, which may be when all is over. */
static PyObject* ProfileThread(PyObject* module, PyObject* const* args,
                               Py_ssize_t count) {
  (void)module;
  PyEval_SetProfile(profiling ? OnProfile : NULL, NULL);
  if (profiling && count > 0 && PyFrame_Check(args[0]) &&
      OnProfile(NULL, (PyFrameObject*)args[0], PyTrace_CALL, NULL) < 0)
    return NULL;
  return None();
}
#define PROFILE_METHODS                                              \
  {"install_profile", InstallProfile, METH_NOARGS,                   \
   "Sets the profile function of all threads that have none."},      \
      {"remove_profile", RemoveProfile, METH_NOARGS,                 \
       "Removes it from all threads."},                              \
      {"profile_thread", (PyCFunction)(void (*)(void))ProfileThread, \
       METH_FASTCALL, "The profile function of a new thread."},
#else
#define PROFILE_METHODS
#endif

/* ------------------------------------------------------------------------- */
/* The module */

/* configure(filter, root, disable) */
static PyObject* Configure(PyObject* module, PyObject* args) {
  PyObject *filter, *root, *value;
  (void)module;
  if (!PyArg_ParseTuple(args, "OUO", &filter, &root, &value)) return NULL;
  if (SetFilter(filter, root) < 0) return NULL;
  Py_INCREF(value);
  Py_XDECREF(disable);
  disable = value;
  return None();
}

static PyObject* Begin(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  BeginTracing();
  return None();
}

static PyObject* Join(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  JoinNow();
  return None();
}

static PyObject* End(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  EndTracing();
  return None();
}

#define FASTCALL(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL
static PyMethodDef methods[] = {
    {"configure", Configure, METH_VARARGS, "Which functions are recorded."},
    {"begin", Begin, METH_NOARGS, "Before functions are recorded."},
    {"join", Join, METH_NOARGS,
     "Begins events of what the calling thread is in, if something records."},
    {"end", End, METH_NOARGS, "Ends what is open on all threads."},
    {"on_start", FASTCALL(OnStart), "A function begins or goes on."},
    {"on_throw", FASTCALL(OnThrow), "A generator goes on with an exception."},
    {"on_return", FASTCALL(OnReturn), "A function ends or waits."},
    {"on_unwind", FASTCALL(OnUnwind), "An exception leaves a function."},
    PROFILE_METHODS{NULL, NULL, 0, NULL}};

static int Execute(PyObject* module) {
  static int in_use;
  (void)module;
  if (in_use) {
    PyErr_SetString(PyExc_ImportError,
                    "stepscope can be imported by one interpreter of a "
                    "process only");
    return -1;
  }
  in_use = 1;
  return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, Execute},
#if PY_VERSION_HEX >= 0x030C0000 && !defined(Py_LIMITED_API)
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "_calls",
                                        "Calls of Python functions, in C.",
                                        0,
                                        methods,
                                        slots,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__calls(void) { return PyModuleDef_Init(&definition); }
