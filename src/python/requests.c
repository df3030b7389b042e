/* SPDX-License-Identifier: Apache-2.0
 *
 * request() and iteration(): what a server says of its requests. How it is
 * recorded is described in trace/request_events.h; this file and
 * <stepscope/stepscope.h> write it. Everything runs with the GIL held.
 */
#include "python/requests.h"

#include <stdlib.h>
#include <string.h>
#include <structmember.h>
#include <time.h>
#include <unistd.h>

enum { kTold = 0, kNamedByIteration = 1 };

static const char kRequestKey[] = "stepscope.request";
static const char kIdKey[] = "id";
static const char kTraceparentKey[] = "traceparent";
static const char kErrorKey[] = "error";

static stepscope_site begins = {"request", STEPSCOPE_REQUEST, 0};
static stepscope_site tokens = {"request token", STEPSCOPE_REQUEST, 0};
static stepscope_site ends = {"request end", STEPSCOPE_REQUEST, 0};

static PyTypeObject* request_type;
static PyObject* current; /* contextvars.ContextVar */

/* ------------------------------------------------------------------------- */
/* Numbers and time */

int64_t RequestClockNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Unique in the process, also beside those of <stepscope/stepscope.h>, and
 * small enough for a double. */
static uint64_t NextNumber(void) {
  static uint64_t next;
  if (next == 0) {
    uint64_t mixed = (uint64_t)RequestClockNs() ^ ((uint64_t)getpid() << 32) ^
                     (uint64_t)(uintptr_t)&next;
    mixed *= 0x9e3779b97f4a7c15u;
    next = (mixed >> 44) << 32;
  }
  return ++next;
}

/* ------------------------------------------------------------------------- */
/* By id: the requests that came or were named of late. A server runs for weeks
 * and may never say that a request ended, so the map forgets: what has not been
 * looked up while kYoung others were new is dropped with its generation. */

enum { kYoung = 8192 };
static PyObject* young; /* dict: id -> Request */
static PyObject* old;

static void Remember(Request* request) {
  if (PyDict_Size(young) >= kYoung) {
    PyObject* fresh = PyDict_New();
    if (fresh == NULL) {
      PyErr_Clear();
      return;
    }
    Py_XDECREF(old);
    old = young;
    young = fresh;
  }
  if (PyDict_SetItem(young, request->id, (PyObject*)request) < 0) PyErr_Clear();
}

/* Borrowed; NULL, without an exception: not known. */
static Request* Recall(PyObject* id) {
  PyObject* known = PyDict_GetItemWithError(young, id);
  if (known == NULL && !PyErr_Occurred() && old != NULL) {
    known = PyDict_GetItemWithError(old, id);
    if (known != NULL) Remember((Request*)known);
  }
  if (known == NULL) PyErr_Clear();
  return (Request*)known;
}

/* ------------------------------------------------------------------------- */
/* Recording */

static void TextArgument(stepscope_scope scope, const char* key,
                         PyObject* text) {
  Py_ssize_t length;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &length);
  if (bytes != NULL) {
    stepscope_arg_text(scope, key, bytes, (size_t)length);
    return;
  }
  PyErr_Clear(); /* a lone surrogate */
  text = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
  if (text == NULL) {
    PyErr_Clear();
    return;
  }
  stepscope_arg_text(scope, key, PyBytes_AsString(text),
                     (size_t)PyBytes_Size(text));
  Py_DECREF(text);
}

/* Says who it is, once in each recording. */
static void Announce(Request* self, uint32_t gate) {
  stepscope_scope scope = stepscope_begin_site(&begins);
  int64_t values[4];
  if (scope.slot == NULL) return;
  values[0] = (int64_t)self->number;
  values[1] = self->tokens_in;
  values[2] = self->fresh ? 0 : RequestClockNs() - self->arrival_ns;
  values[3] = self->how;
  self->announced = gate;
  stepscope_arg_i64s(scope, kRequestKey, values, 4);
  TextArgument(scope, kIdKey, self->id);
  if (self->traceparent != NULL)
    TextArgument(scope, kTraceparentKey, self->traceparent);
  stepscope_end(scope);
}

void NameRequest(Request* request) {
  uint32_t gate = stepscope_gate();
  if (gate != 0 && request->announced != gate) Announce(request, gate);
}

void RecordTokenCounts(const int64_t* values, size_t count) {
  stepscope_scope scope = stepscope_begin_site(&tokens);
  if (scope.slot == NULL) return;
  stepscope_arg_i64s(scope, kRequestKey, values, count);
  stepscope_end(scope);
}

static void RecordTokens(Request* self, int64_t count) {
  int64_t values[2];
  self->has_tokens = 1;
  if (!stepscope_enabled()) return;
  NameRequest(self);
  values[0] = (int64_t)self->number;
  values[1] = count;
  RecordTokenCounts(values, 2);
}

/* `error`: a str, or NULL. */
static void End(Request* self, PyObject* error) {
  stepscope_scope scope;
  int64_t number = (int64_t)self->number;
  if (self->ended) return;
  self->ended = 1;
  if (!stepscope_enabled()) return;
  NameRequest(self);
  scope = stepscope_begin_site(&ends);
  if (scope.slot == NULL) return;
  stepscope_arg_i64s(scope, kRequestKey, &number, 1);
  if (error != NULL) TextArgument(scope, kErrorKey, error);
  stepscope_end(scope);
}

/* ------------------------------------------------------------------------- */
/* Making */

/* Takes the reference to `id`. */
static Request* NewRequest(PyObject* id, int64_t tokens_in,
                           PyObject* traceparent, uint8_t how) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(request_type, Py_tp_alloc);
  Request* self = (Request*)alloc(request_type, 0);
  uint32_t gate = stepscope_gate();
  if (self == NULL) {
    Py_DECREF(id);
    return NULL;
  }
  self->id = id;
  Py_XINCREF(traceparent);
  self->traceparent = traceparent;
  self->tokens_in = tokens_in;
  self->number = NextNumber();
  self->how = how;
  self->arrival_ns = RequestClockNs();
  self->fresh = 1;
  if (gate != 0) Announce(self, gate);
  self->fresh = 0;
  Remember(self);
  return self;
}

/* An id as a str: a new reference. Engines that count their requests name the
 * same numbers again and again, whose texts are kept for a while. */
static PyObject* TextOfId(PyObject* id) {
  static PyObject* texts; /* dict: int -> str */
  PyObject* text;
  if (PyUnicode_Check(id)) {
    Py_INCREF(id);
    return id;
  }
  if (!PyLong_CheckExact(id)) return PyObject_Str(id);
  if (texts == NULL && (texts = PyDict_New()) == NULL) return NULL;
  text = PyDict_GetItemWithError(texts, id);
  if (text != NULL) {
    Py_INCREF(text);
    return text;
  }
  if (PyErr_Occurred() || (text = PyObject_Str(id)) == NULL) return NULL;
  if (PyDict_Size(texts) >= kYoung) PyDict_Clear(texts);
  if (PyDict_SetItem(texts, id, text) < 0) PyErr_Clear();
  return text;
}

Request* RequestOfId(PyObject* id) {
  Request* known;
  if (PyObject_TypeCheck(id, request_type)) {
    Py_INCREF(id);
    return (Request*)id;
  }
  if ((id = TextOfId(id)) == NULL) return NULL;
  known = Recall(id);
  if (known == NULL) return NewRequest(id, -1, NULL, kNamedByIteration);
  Py_INCREF(known);
  Py_DECREF(id);
  return known;
}

/* -1 for None; -2, with an exception: neither that nor a count. */
static int64_t ReadTokens(PyObject* given) {
  long long count;
  if (given == NULL || given == Py_None) return -1;
  count = PyLong_Check(given) ? PyLong_AsLongLong(given) : -1;
  if (PyErr_Occurred()) PyErr_Clear();
  if (count >= 0) return count;
  PyErr_Format(PyExc_ValueError,
               "stepscope.request: tokens must be a number of tokens, not %R",
               given);
  return -2;
}

PyObject* MakeRequest(PyObject* module, PyObject* const* args, Py_ssize_t count,
                      PyObject* names) {
  static const char* const kNames[] = {"id", "tokens", "traceparent"};
  PyObject* given[3] = {NULL, NULL, NULL};
  Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
  Py_ssize_t i, k;
  int64_t tokens_in;
  (void)module;
  if (count > 3) {
    PyErr_SetString(PyExc_TypeError,
                    "request() takes an id, tokens and traceparent");
    return NULL;
  }
  for (i = 0; i < count; ++i) given[i] = args[i];
  for (i = 0; i < named; ++i) {
    PyObject* name = PyTuple_GetItem(names, i);
    for (k = 0; k < 3; ++k)
      if (PyUnicode_CompareWithASCIIString(name, kNames[k]) == 0) break;
    if (k == 3 || given[k] != NULL) {
      PyErr_Format(PyExc_TypeError,
                   k == 3 ? "request() got an unexpected keyword argument '%U'"
                          : "request() got multiple values for argument '%U'",
                   name);
      return NULL;
    }
    given[k] = args[count + i];
  }
  if (given[0] == NULL) {
    PyErr_SetString(PyExc_TypeError,
                    "request() missing 1 required argument: 'id'");
    return NULL;
  }
  if (given[2] == Py_None) given[2] = NULL;
  if (given[2] != NULL && !PyUnicode_Check(given[2])) {
    PyErr_Format(PyExc_TypeError,
                 "stepscope.request: traceparent must be a str, not %R",
                 given[2]);
    return NULL;
  }
  tokens_in = ReadTokens(given[1]);
  if (tokens_in == -2) return NULL;
  if (PyUnicode_Check(given[0])) {
    Py_INCREF(given[0]);
  } else if ((given[0] = PyObject_Str(given[0])) == NULL) {
    return NULL;
  }
  return (PyObject*)NewRequest(given[0], tokens_in, given[2], kTold);
}

/* ------------------------------------------------------------------------- */
/* The current request of a context */

static PyObject* SetCurrent(PyObject* request) {
#if defined(Py_LIMITED_API)
  return PyObject_CallMethod(current, "set", "O", request);
#else
  return PyContextVar_Set(current, request);
#endif
}

static void ResetCurrent(PyObject* token) {
#if defined(Py_LIMITED_API)
  PyObject* done = PyObject_CallMethod(current, "reset", "O", token);
  if (done == NULL) PyErr_Clear();
  Py_XDECREF(done);
#else
  /* Left in another context than it was entered in: that one is not ours to
   * change, and an ended request is nobody's current one. */
  if (PyContextVar_Reset(current, token) < 0) PyErr_Clear();
#endif
}

PyObject* CurrentRequest(PyObject* module, PyObject* unused) {
  PyObject* value = NULL;
  (void)module;
  (void)unused;
#if defined(Py_LIMITED_API)
  value = PyObject_CallMethod(current, "get", NULL);
  if (value == NULL) return NULL;
#else
  if (PyContextVar_Get(current, NULL, &value) < 0) return NULL;
  if (value == NULL) {
    Py_INCREF(Py_None);
    return Py_None;
  }
#endif
  if (value != Py_None && ((Request*)value)->ended) {
    Py_DECREF(value);
    Py_INCREF(Py_None);
    return Py_None;
  }
  return value;
}

/* ------------------------------------------------------------------------- */
/* Methods */

static PyObject* None(void) {
  Py_INCREF(Py_None); /* see event.c */
  return Py_None;
}

static PyObject* RequestEnter(PyObject* object, PyObject* unused) {
  Request* self = (Request*)object;
  PyObject* token = SetCurrent(object);
  (void)unused;
  if (token == NULL) return NULL;
  Py_XDECREF(self->token);
  self->token = token;
  Py_INCREF(object);
  return object;
}

static PyObject* RequestExit(PyObject* object, PyObject* const* args,
                             Py_ssize_t count) {
  Request* self = (Request*)object;
  PyObject* error = NULL;
  if (count > 0 && args[0] != Py_None) {
    error = PyObject_GetAttrString(args[0], "__qualname__");
    if (error == NULL || !PyUnicode_Check(error)) PyErr_Clear();
  }
  End(self, error != NULL && PyUnicode_Check(error) ? error : NULL);
  Py_XDECREF(error);
  if (self->token != NULL) {
    PyObject* token = self->token;
    self->token = NULL;
    ResetCurrent(token);
    Py_DECREF(token);
  }
  return None();
}

static PyObject* RequestFirstToken(PyObject* object, PyObject* unused) {
  Request* self = (Request*)object;
  (void)unused;
  if (!self->ended && !self->has_tokens) RecordTokens(self, 1);
  return None();
}

static PyObject* RequestToken(PyObject* object, PyObject* const* args,
                              Py_ssize_t count) {
  Request* self = (Request*)object;
  long long tokens_now = 1;
  if (count > 0) {
    tokens_now = PyLong_AsLongLong(args[0]);
    if (tokens_now == -1 && PyErr_Occurred()) return NULL;
  }
  if (!self->ended && tokens_now > 0) RecordTokens(self, tokens_now);
  return None();
}

static PyObject* RequestEnd(PyObject* object, PyObject* const* args,
                            Py_ssize_t count) {
  PyObject* error = NULL;
  if (count > 0 && args[0] != Py_None &&
      (error = PyObject_Str(args[0])) == NULL)
    return NULL;
  End((Request*)object, error);
  Py_XDECREF(error);
  return None();
}

static PyObject* RequestRepr(PyObject* object) {
  return PyUnicode_FromFormat("request(%R)", ((Request*)object)->id);
}

static PyObject* RequestId(PyObject* object, void* unused) {
  (void)unused;
  Py_INCREF(((Request*)object)->id);
  return ((Request*)object)->id;
}

static PyObject* RequestEnded(PyObject* object, void* unused) {
  (void)unused;
  return PyBool_FromLong(((Request*)object)->ended);
}

/* Its token refers to the context, and that to it. */
static int RequestTraverse(PyObject* object, visitproc visit, void* arg) {
  Request* self = (Request*)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->token);
  return 0;
}

static int RequestClear(PyObject* object) {
  Py_CLEAR(((Request*)object)->token);
  return 0;
}

static void RequestDealloc(PyObject* object) {
  Request* self = (Request*)object;
  PyTypeObject* type = Py_TYPE(object);
  freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(self->id);
  Py_CLEAR(self->traceparent);
  Py_CLEAR(self->token);
  give_back(object);
  Py_DECREF(type);
}

PyDoc_STRVAR(request_doc,
             "What stepscope.request() returns. As a context manager it is the "
             "current request of its context.");

#define FAST(function) ((PyCFunction)(void (*)(void))(function))
static PyMethodDef request_methods[] = {
    {"first_token", RequestFirstToken, METH_NOARGS,
     "first_token(): the first token is there. Does nothing after token()."},
    {"token", FAST(RequestToken), METH_FASTCALL,
     "token(count=1): so many more tokens are there."},
    {"end", FAST(RequestEnd), METH_FASTCALL,
     "end(error=None): the request is answered, or failed with this error. "
     "The end of `with` does the same."},
    {"__enter__", RequestEnter, METH_NOARGS, NULL},
    {"__exit__", FAST(RequestExit), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static PyMemberDef request_members[] = {
    {"_made", T_LONGLONG, offsetof(Request, made), 0, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef request_getters[] = {
    {"id", RequestId, NULL, "The id, as a str.", NULL},
    {"ended", RequestEnded, NULL, "Whether it has ended.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot request_slots[] = {{Py_tp_doc, (void*)request_doc},
                                      {Py_tp_dealloc, RequestDealloc},
                                      {Py_tp_traverse, RequestTraverse},
                                      {Py_tp_clear, RequestClear},
                                      {Py_tp_repr, RequestRepr},
                                      {Py_tp_methods, request_methods},
                                      {Py_tp_members, request_members},
                                      {Py_tp_getset, request_getters},
                                      {0, NULL}};
static PyType_Spec request_spec = {"stepscope.Request", sizeof(Request), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                   request_slots};

int AddRequests(PyObject* module) {
  PyObject* contextvars = PyImport_ImportModule("contextvars");
  if (contextvars == NULL) return -1;
  current =
      PyObject_CallMethod(contextvars, "ContextVar", "s", "stepscope.request");
#if defined(Py_LIMITED_API)
  if (current != NULL) {
    /* get() without a value is to be None. */
    PyObject* make = PyObject_GetAttrString(contextvars, "ContextVar");
    PyObject* args = Py_BuildValue("(s)", "stepscope.request");
    PyObject* named = Py_BuildValue("{s:O}", "default", Py_None);
    Py_DECREF(current);
    current = make == NULL || args == NULL || named == NULL
                  ? NULL
                  : PyObject_Call(make, args, named);
    Py_XDECREF(make);
    Py_XDECREF(args);
    Py_XDECREF(named);
  }
#endif
  Py_DECREF(contextvars);
  young = PyDict_New();
  request_type = (PyTypeObject*)PyType_FromSpec(&request_spec);
  if (current == NULL || young == NULL || request_type == NULL) return -1;
  Py_INCREF(request_type);
  if (PyModule_AddObject(module, "Request", (PyObject*)request_type) < 0)
    return -1;
  return AddIterations(module);
}
