/* SPDX-License-Identifier: Apache-2.0
 *
 * RecordEvent for Python, in plain C: what the two sources of the module
 * stepscope._event share. Compiled once for each CPython whose headers are
 * found, and once against the limited API for all others. Everything here runs
 * with the GIL held.
 */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stepscope/c.h>

/* Up to 3.13 `with` makes two bound methods, unless __enter__ and __exit__ are
 * descriptors that give back the event itself, which then tells the two apart
 * by the number of arguments. 3.14 calls methods unbound, which is faster. */
#if !defined(Py_LIMITED_API) && PY_VERSION_HEX < 0x030E0000
#define EVENT_IS_ITS_OWN_METHOD 1
#else
#define EVENT_IS_ITS_OWN_METHOD 0
#endif

typedef struct OpenScope {
  stepscope_scope scope;
  const void* thread;
} OpenScope;

typedef struct Event {
  PyObject_HEAD
#if !defined(Py_LIMITED_API)
      vectorcallfunc vectorcall;
#endif
  PyObject* name;
  PyObject* given_type; /* as it was given; NULL: the default */
  PyObject* arguments;  /* dict; NULL: none */
  uint32_t type;        /* kNoType: cannot be recorded */
  uint32_t site;        /* 0 until the first use */
  uint32_t open;        /* how many scopes are open */
  uint32_t capacity;    /* of `more` */
  OpenScope first;
  OpenScope* more; /* the second open scope and all after it */
} Event;

#define kNoType 0xffffffffu

/* The site of (name, type), 0 if there is none yet. */
uint32_t FindSite(PyObject* name, uint32_t type);

/* Registers the name. 0: nothing can be recorded; with an exception set if a
 * warning about it was turned into one. */
uint32_t MakeSite(PyObject* name, uint32_t type);

/* Adds the members of the dict to the open event. Never raises: what cannot be
 * shown is left out. */
void AddArguments(stepscope_scope scope, PyObject* arguments);

/* The type of RecordEvent. */
extern PyTypeObject* event_type;

#if !defined(Py_LIMITED_API)
/* Adds the type of decorated functions to the module. */
int AddTimedFunction(PyObject* module);
#endif
