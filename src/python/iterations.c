/* SPDX-License-Identifier: Apache-2.0
 *
 * iteration(): a range whose arguments are the requests that it works on.
 */
#include <stdlib.h>

#include "python/requests.h"

/* The kinds of trace/request_events.h. */
enum { kUnknown, kPrefill, kDecode, kVerify, kDraft, kKinds };
static const char* const kKindNames[kKinds] = {"unknown", "prefill", "decode",
                                               "verify", "draft"};
static PyObject* kind_names[kKinds]; /* interned */

#define SITE(name) \
  { "iteration[" name "]", STEPSCOPE_PYTHON_USER_DEFINED, 0 }
static stepscope_site sites[kKinds] = {SITE("unknown"), SITE("prefill"),
                                       SITE("decode"), SITE("verify"),
                                       SITE("draft")};
static stepscope_site mixed_site = SITE("mixed");
static stepscope_site idle_site = SITE("idle");

static const char kMembersKey[] = "stepscope.members";
enum { kMostValues = 400 }; /* of a list, in the collector */

typedef struct Iteration {
  PyObject_HEAD PyObject* members;
  stepscope_scope scope;
} Iteration;

static PyTypeObject* iteration_type;

static int KindOf(PyObject* given) {
  int i;
  for (i = kPrefill; i < kKinds; ++i)
    if (given == kind_names[i]) return i;
  if (!PyUnicode_Check(given)) return kUnknown;
  for (i = kPrefill; i < kKinds; ++i)
    if (PyUnicode_CompareWithASCIIString(given, kKindNames[i]) == 0) return i;
  return kUnknown;
}

/* What is wrong is said once: a server must not fail because it is profiled. */
static void Complain(void) {
  static int said;
  PyErr_Clear();
  if (said) return;
  said = 1;
  if (PyErr_WarnEx(PyExc_RuntimeWarning,
                   "stepscope.iteration: members must be (id, kind, tokens) "
                   "with kind prefill, decode, verify or draft; others are "
                   "left out",
                   2) < 0)
    PyErr_WriteUnraisable(NULL);
}

/* 0: no member. */
static int ReadMember(PyObject* member, int64_t* values, uint32_t* kinds) {
  Request* request;
  long long count;
  int kind;
  if (!PyTuple_Check(member) || PyTuple_Size(member) != 3) return 0;
  kind = KindOf(PyTuple_GetItem(member, 1));
  count = PyLong_AsLongLong(PyTuple_GetItem(member, 2));
  if (count < 0 || kind == kUnknown) return 0;
  request = RequestOfId(PyTuple_GetItem(member, 0));
  if (request == NULL) return 0;
  NameRequest(request);
  values[0] = (int64_t)(request->number * 8) + kind;
  values[1] = count;
  *kinds |= 1u << kind;
  Py_DECREF(request);
  return 1;
}

static stepscope_site* SiteOf(uint32_t kinds) {
  int i;
  if (kinds == 0) return &idle_site;
  if ((kinds & 1u << kPrefill) != 0 && kinds != 1u << kPrefill)
    return &mixed_site;
  for (i = kPrefill; i < kKinds; ++i)
    if (kinds == 1u << i) return &sites[i];
  return &sites[kinds & 1u << kVerify ? kVerify : kUnknown];
}

static void Begin(Iteration* self, PyObject* members) {
  Py_ssize_t count = PyTuple_Size(members);
  int64_t few[kMostValues];
  int64_t* values = few;
  size_t used = 0;
  size_t at;
  uint32_t kinds = 0;
  Py_ssize_t i;
  if (count > kMostValues / 2 &&
      (values = malloc((size_t)count * 2 * sizeof(*values))) == NULL)
    return;
  for (i = 0; i < count; ++i) {
    if (ReadMember(PyTuple_GetItem(members, i), values + used, &kinds))
      used += 2;
    else
      Complain();
  }
  self->scope = stepscope_begin_site(SiteOf(kinds));
  for (at = 0; self->scope.slot != NULL && (at < used || at == 0);
       at += kMostValues) {
    size_t some = used - at < kMostValues ? used - at : kMostValues;
    stepscope_arg_i64s(self->scope, kMembersKey, values + at, some);
  }
  if (values != few) free(values);
}

static PyObject* IterationEnter(PyObject* object, PyObject* unused) {
  Iteration* self = (Iteration*)object;
  (void)unused;
  if (stepscope_enabled()) {
    PyObject* members = PySequence_Tuple(self->members);
    if (members == NULL) {
      Complain();
    } else {
      Begin(self, members);
      Py_DECREF(members);
    }
  }
  Py_INCREF(object);
  return object;
}

static PyObject* IterationExit(PyObject* object, PyObject* const* args,
                               Py_ssize_t count) {
  Iteration* self = (Iteration*)object;
  (void)args;
  (void)count;
  stepscope_end(self->scope);
  self->scope.slot = NULL;
  Py_INCREF(Py_None); /* see event.c */
  return Py_None;
}

static void IterationDealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
  Py_CLEAR(((Iteration*)object)->members);
  give_back(object);
  Py_DECREF(type);
}

static PyMethodDef iteration_methods[] = {
    {"__enter__", IterationEnter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))IterationExit, METH_FASTCALL,
     NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot iteration_slots[] = {
    {Py_tp_doc, (void*)"What stepscope.iteration() returns."},
    {Py_tp_dealloc, IterationDealloc},
    {Py_tp_methods, iteration_methods},
    {0, NULL}};
static PyType_Spec iteration_spec = {"stepscope.Iteration", sizeof(Iteration),
                                     0, Py_TPFLAGS_DEFAULT, iteration_slots};

PyObject* MakeIteration(PyObject* module, PyObject* members) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(iteration_type, Py_tp_alloc);
  Iteration* self = (Iteration*)alloc(iteration_type, 0);
  (void)module;
  if (self == NULL) return NULL;
  Py_INCREF(members);
  self->members = members;
  self->scope.slot = NULL;
  return (PyObject*)self;
}

int AddIterations(PyObject* module) {
  int i;
  (void)module;
  for (i = 0; i < kKinds; ++i) {
    kind_names[i] = PyUnicode_InternFromString(kKindNames[i]);
    if (kind_names[i] == NULL) return -1;
  }
  iteration_type = (PyTypeObject*)PyType_FromSpec(&iteration_spec);
  return iteration_type == NULL ? -1 : 0;
}
