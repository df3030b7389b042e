/* SPDX-License-Identifier: Apache-2.0
 *
 * iteration(): a range whose arguments are the requests that it works on; and
 * batch(), which is the same from the objects of an engine.
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

/* Members as they are recorded. */
typedef struct Members {
  int64_t* values; /* few, or allocated */
  size_t used;
  size_t capacity;
  uint32_t kinds; /* a bit for each that occurs */
} Members;

typedef struct Iteration {
  PyObject_HEAD PyObject* members; /* of iteration() */
  Members read;                    /* of batch() */
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

/* -1: an exception is set. */
static int AddMember(Members* members, PyObject* id, int kind, int64_t count) {
  Request* request = RequestOfId(id);
  if (request == NULL) return -1;
  if (members->used == members->capacity) {
    size_t capacity = members->capacity == 0 ? 128 : 2 * members->capacity;
    int64_t* values =
        realloc(members->values, capacity * sizeof(*members->values));
    if (values == NULL) {
      Py_DECREF(request);
      PyErr_NoMemory();
      return -1;
    }
    members->values = values;
    members->capacity = capacity;
  }
  NameRequest(request);
  members->values[members->used++] = (int64_t)(request->number * 8) + kind;
  members->values[members->used++] = count;
  members->kinds |= 1u << kind;
  Py_DECREF(request);
  return 0;
}

/* -1: it is no member; an exception may be set. */
static int ReadMember(PyObject* member, Members* members) {
  long long count;
  int kind;
  if (!PyTuple_Check(member) || PyTuple_Size(member) != 3) return -1;
  kind = KindOf(PyTuple_GetItem(member, 1));
  count = PyLong_AsLongLong(PyTuple_GetItem(member, 2));
  if (count < 0 || kind == kUnknown) return -1;
  return AddMember(members, PyTuple_GetItem(member, 0), kind, count);
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

static void Begin(Iteration* self, const Members* members) {
  size_t at;
  self->scope = stepscope_begin_site(SiteOf(members->kinds));
  for (at = 0; self->scope.slot != NULL && (at < members->used || at == 0);
       at += kMostValues) {
    size_t left = members->used - at;
    stepscope_arg_i64s(self->scope, kMembersKey, members->values + at,
                       left < kMostValues ? left : kMostValues);
  }
}

static void BeginGiven(Iteration* self, PyObject* given) {
  Members members = {NULL, 0, 0, 0};
  Py_ssize_t count = PyTuple_Size(given);
  Py_ssize_t i;
  for (i = 0; i < count; ++i)
    if (ReadMember(PyTuple_GetItem(given, i), &members) < 0) Complain();
  Begin(self, &members);
  free(members.values);
}

static PyObject* IterationEnter(PyObject* object, PyObject* unused) {
  Iteration* self = (Iteration*)object;
  (void)unused;
  if (!stepscope_enabled()) {
    /* Nothing to say to anybody. */
  } else if (self->members == NULL) {
    Begin(self, &self->read);
  } else {
    PyObject* members = PySequence_Tuple(self->members);
    if (members == NULL) {
      Complain();
    } else {
      BeginGiven(self, members);
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
  free(((Iteration*)object)->read.values);
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

static Iteration* NewIteration(PyObject* members) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(iteration_type, Py_tp_alloc);
  Iteration* self = (Iteration*)alloc(iteration_type, 0); /* all 0 */
  if (self == NULL) return NULL;
  Py_XINCREF(members);
  self->members = members;
  return self;
}

PyObject* MakeIteration(PyObject* module, PyObject* members) {
  (void)module;
  return (PyObject*)NewIteration(members);
}

/* What batch() is given. */
typedef struct Batch {
  PyObject* items;  /* an iterator */
  PyObject* id;     /* the name of an attribute, or None: items are ids */
  PyObject* counts; /* an iterator, or NULL: `count` for each */
  int64_t count;
  PyObject* kinds; /* dict: id -> kind; or None */
  int rest;        /* kind of the others */
} Batch;

/* Of the next item; -1: an exception is set. */
static int64_t NextCount(const Batch* batch) {
  PyObject* number;
  int64_t count;
  if (batch->counts == NULL) return batch->count;
  number = PyIter_Next(batch->counts);
  if (number == NULL) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "fewer counts than items");
    return -1;
  }
  count = PyLong_AsLongLong(number);
  Py_DECREF(number);
  if (count < 0 && !PyErr_Occurred())
    PyErr_SetString(PyExc_ValueError, "a negative number of tokens");
  return count;
}

/* kUnknown: an exception is set. */
static int KindOfItem(const Batch* batch, PyObject* id) {
  PyObject* named = batch->kinds == Py_None
                        ? NULL
                        : PyDict_GetItemWithError(batch->kinds, id);
  int kind = named == NULL ? batch->rest : KindOf(named);
  if (PyErr_Occurred()) return kUnknown;
  if (kind == kUnknown) PyErr_SetString(PyExc_ValueError, "an unknown kind");
  return kind;
}

static int AddItem(const Batch* batch, PyObject* item, Members* members) {
  int result = -1;
  int64_t count;
  int kind;
  PyObject* id = item;
  if (batch->id == Py_None)
    Py_INCREF(id);
  else
    id = PyObject_GetAttr(item, batch->id);
  if (id == NULL) return -1;
  if ((count = NextCount(batch)) >= 0 &&
      (kind = KindOfItem(batch, id)) != kUnknown)
    result = AddMember(members, id, kind, count);
  Py_DECREF(id);
  return result;
}

PyObject* MakeBatch(PyObject* module, PyObject* const* args, Py_ssize_t count) {
  Batch batch = {NULL, NULL, NULL, 0, NULL, kUnknown};
  Iteration* self = NULL;
  PyObject* item;
  (void)module;
  if (count != 5 || (args[3] != Py_None && !PyDict_Check(args[3]))) {
    PyErr_SetString(PyExc_TypeError,
                    "batch() takes items, the name of an attribute or None, "
                    "counts, a dict of kinds or None, and the usual kind");
    return NULL;
  }
  batch.id = args[1];
  batch.kinds = args[3];
  batch.rest = KindOf(args[4]);
  if (PyLong_Check(args[2]))
    batch.count = PyLong_AsLongLong(args[2]);
  else
    batch.counts = PyObject_GetIter(args[2]);
  if (!PyErr_Occurred()) batch.items = PyObject_GetIter(args[0]);
  if (batch.items != NULL) self = NewIteration(NULL);
  while (self != NULL && (item = PyIter_Next(batch.items)) != NULL) {
    int added = AddItem(&batch, item, &self->read);
    Py_DECREF(item);
    if (added < 0) break;
  }
  Py_XDECREF(batch.items);
  Py_XDECREF(batch.counts);
  if (PyErr_Occurred()) {
    Py_XDECREF((PyObject*)self);
    return NULL;
  }
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
