/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages where sys.monitoring is not there (before CPython 3.12): a callable
 * that stands in the place of a function of torch, and costs a branch while no
 * Profiler runs. As a member of a class it binds like a function. Needs more
 * than the limited API has.
 */
#include "python/stages.h"

#if !defined(Py_LIMITED_API)
#include <structmember.h>

typedef struct StageFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
  PyObject* attributes;
  PyObject* weak_references;
  StageKind kind;
} StageFunction;

static PyObject* Call(PyObject* object, PyObject* const* args, size_t flagged,
                      PyObject* names) {
  StageFunction* self = (StageFunction*)object;
  uint32_t epoch = stages_epoch;
  PyObject* result;
  if (stages_active != kByFunctions)
    return PyObject_Vectorcall(self->function, args, flagged, names);
  OpenStage(self->kind, PyVectorcall_NARGS(flagged) > 0 ? args[0] : NULL);
  result = PyObject_Vectorcall(self->function, args, flagged, names);
  if (epoch == stages_epoch) CloseStage(self->kind, result == NULL);
  return result;
}

/* StageFunction(function, kind) */
static PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* function;
  StageFunction* self;
  int kind;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "Oi", &function, &kind)) return NULL;
  if (kind < 0 || kind >= kStageKinds) {
    PyErr_SetString(PyExc_ValueError, "no such stage");
    return NULL;
  }
  self = (StageFunction*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->vectorcall = Call;
  Py_INCREF(function);
  self->function = function;
  self->kind = (StageKind)kind;
  return (PyObject*)self;
}

static int Traverse(PyObject* object, visitproc visit, void* arg) {
  StageFunction* self = (StageFunction*)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->attributes);
  return 0;
}

static int Clear(PyObject* object) {
  StageFunction* self = (StageFunction*)object;
  Py_CLEAR(self->function);
  Py_CLEAR(self->attributes);
  return 0;
}

static void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (((StageFunction*)object)->weak_references != NULL)
    PyObject_ClearWeakRefs(object);
  Clear(object);
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

/* What the wrapper has not, such as __code__ or __defaults__, the function
 * has. */
static PyObject* GetAttribute(PyObject* object, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(object, name);
  StageFunction* self = (StageFunction*)object;
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
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(StageFunction, vectorcall),
     READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(StageFunction, attributes),
     READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(StageFunction, weak_references),
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
                              {Py_tp_getattro, GetAttribute},
                              {Py_tp_setattro, PyObject_GenericSetAttr},
                              {Py_tp_methods, methods},
                              {Py_tp_members, members},
                              {Py_tp_getset, getters},
                              {0, NULL}};
static PyType_Spec spec = {
    "stepscope._stages.StageFunction", sizeof(StageFunction), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
        Py_TPFLAGS_METHOD_DESCRIPTOR,
    slots};

int AddStageFunction(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == NULL) return -1;
  return PyModule_AddObject(module, "StageFunction", type);
}
#else
typedef int stage_function_is_elsewhere;
#endif
