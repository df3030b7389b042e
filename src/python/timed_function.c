/* SPDX-License-Identifier: Apache-2.0
 *
 * What @RecordEvent("name") makes of a function: a callable that records each
 * call. As a member of a class it binds like a function. Needs more than the
 * limited API has; there, stepscope._decorate does it in Python.
 */
#include "python/event.h"

#if !defined(Py_LIMITED_API)
#include <structmember.h>

typedef struct TimedFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
  PyObject* name;
  PyObject* arguments; /* dict or NULL */
  PyObject* attributes;
  PyObject* weak_references;
  uint32_t type;
  uint32_t site;
} TimedFunction;

static PyObject* Call(PyObject* object, PyObject* const* args, size_t flagged,
                      PyObject* names) {
  TimedFunction* self = (TimedFunction*)object;
  stepscope_scope scope;
  PyObject* result;
  if (stepscope_gate() == 0)
    return PyObject_Vectorcall(self->function, args, flagged, names);
  if (self->site == 0) {
    self->site = MakeSite(self->name, self->type);
    if (self->site == 0) {
      if (PyErr_Occurred()) return NULL;
      return PyObject_Vectorcall(self->function, args, flagged, names);
    }
  }
  scope = stepscope_begin_id(self->site);
  if (self->arguments != NULL) AddArguments(scope, self->arguments);
  result = PyObject_Vectorcall(self->function, args, flagged, names);
  stepscope_end(scope);
  return result;
}

/* TimedFunction(function, event) */
static PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* function;
  Event* event;
  TimedFunction* self;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "OO!", &function, event_type, &event))
    return NULL;
  self = (TimedFunction*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->vectorcall = Call;
  Py_INCREF(function);
  self->function = function;
  Py_INCREF(event->name);
  self->name = event->name;
  Py_XINCREF(event->arguments);
  self->arguments = event->arguments;
  self->type = event->type;
  return (PyObject*)self;
}

static int Traverse(PyObject* object, visitproc visit, void* arg) {
  TimedFunction* self = (TimedFunction*)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->arguments);
  Py_VISIT(self->attributes);
  return 0;
}

static int Clear(PyObject* object) {
  TimedFunction* self = (TimedFunction*)object;
  Py_CLEAR(self->function);
  Py_CLEAR(self->arguments);
  Py_CLEAR(self->attributes);
  return 0;
}

static void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (((TimedFunction*)object)->weak_references != NULL)
    PyObject_ClearWeakRefs(object);
  Clear(object);
  Py_CLEAR(((TimedFunction*)object)->name);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject* Bind(PyObject* self, PyObject* object, PyObject* type) {
  (void)type;
  if (object == NULL || object == Py_None) {
    Py_INCREF(self);
    return self;
  }
  return PyMethod_New(self, object);
}

static PyObject* Repr(PyObject* object) {
  TimedFunction* self = (TimedFunction*)object;
  return PyUnicode_FromFormat("<%R timed by RecordEvent(%R)>", self->function,
                              self->name);
}

/* What the wrapper has not, such as __code__ or __defaults__, the function
 * has. */
static PyObject* GetAttribute(PyObject* object, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(object, name);
  TimedFunction* self = (TimedFunction*)object;
  if (found != NULL || self->function == NULL ||
      !PyErr_ExceptionMatches(PyExc_AttributeError))
    return found;
  PyErr_Clear();
  return PyObject_GetAttr(self->function, name);
}

/* Pickled by name, as functions are. */
static PyObject* Reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyObject_GetAttrString(self, "__qualname__");
}

static PyMethodDef methods[] = {{"__reduce__", Reduce, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(TimedFunction, vectorcall),
     READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(TimedFunction, attributes),
     READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TimedFunction, weak_references),
     READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, New},
                              {Py_tp_traverse, Traverse},
                              {Py_tp_clear, Clear},
                              {Py_tp_dealloc, Dealloc},
                              {Py_tp_call, PyVectorcall_Call},
                              {Py_tp_descr_get, Bind},
                              {Py_tp_repr, Repr},
                              {Py_tp_getattro, GetAttribute},
                              {Py_tp_setattro, PyObject_GenericSetAttr},
                              {Py_tp_methods, methods},
                              {Py_tp_members, members},
                              {Py_tp_getset, getters},
                              {0, NULL}};
static PyType_Spec spec = {
    "stepscope._event.TimedFunction", sizeof(TimedFunction), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
        Py_TPFLAGS_METHOD_DESCRIPTOR,
    slots};

int AddTimedFunction(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == NULL) return -1;
  return PyModule_AddObject(module, "TimedFunction", type);
}
#else
typedef int timed_function_is_elsewhere;
#endif
