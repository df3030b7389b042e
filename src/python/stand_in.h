/* SPDX-License-Identifier: Apache-2.0
 *
 * A callable that stands in the place of a function: as a member of a class it
 * binds like one, it is pickled by name, and what it has not, such as __code__
 * or __defaults__, the function has. Needs more than the limited API has.
 */
#pragma once

#include <Python.h>
#include <string.h>
#include <structmember.h>

/* What each kind begins with. */
typedef struct StandIn {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
  PyObject* name;      /* of its event, or NULL */
  PyObject* arguments; /* the same */
  PyObject* attributes;
  PyObject* weak_references;
} StandIn;

static StandIn* NewStandIn(PyTypeObject* type, PyObject* function,
                           vectorcallfunc call) {
  StandIn* self = (StandIn*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->vectorcall = call;
  Py_INCREF(function);
  self->function = function;
  return self;
}

static int Traverse(PyObject* object, visitproc visit, void* arg) {
  StandIn* self = (StandIn*)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->arguments);
  Py_VISIT(self->attributes);
  return 0;
}

static int Clear(PyObject* object) {
  StandIn* self = (StandIn*)object;
  Py_CLEAR(self->function);
  Py_CLEAR(self->arguments);
  Py_CLEAR(self->attributes);
  return 0;
}

static void Dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (((StandIn*)object)->weak_references != NULL)
    PyObject_ClearWeakRefs(object);
  Clear(object);
  Py_CLEAR(((StandIn*)object)->name);
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

static PyObject* GetAttribute(PyObject* object, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(object, name);
  StandIn* self = (StandIn*)object;
  if (found != NULL || self->function == NULL ||
      !PyErr_ExceptionMatches(PyExc_AttributeError))
    return found;
  PyErr_Clear();
  return PyObject_GetAttr(self->function, name);
}

static PyObject* Reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyObject_GetAttrString(self, "__qualname__");
}

/* The type, into a module. `name`: with its module; `repr` may be NULL. */
static int AddStandIn(PyObject* module, const char* name, size_t size,
                      newfunc make, reprfunc repr) {
  static PyMethodDef methods[] = {{"__reduce__", Reduce, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(StandIn, vectorcall),
       READONLY, NULL},
      {"__dictoffset__", T_PYSSIZET, offsetof(StandIn, attributes), READONLY,
       NULL},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(StandIn, weak_references),
       READONLY, NULL},
      {NULL, 0, 0, 0, NULL}};
  static PyGetSetDef getters[] = {{"__dict__", PyObject_GenericGetDict,
                                   PyObject_GenericSetDict, NULL, NULL},
                                  {NULL, NULL, NULL, NULL, NULL}};
  PyType_Slot slots[] = {{Py_tp_new, make},
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
                         {repr != NULL ? Py_tp_repr : 0, repr},
                         {0, NULL}};
  PyType_Spec spec = {name, (int)size, 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                          Py_TPFLAGS_HAVE_VECTORCALL |
                          Py_TPFLAGS_METHOD_DESCRIPTOR,
                      slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == NULL) return -1;
  return PyModule_AddObject(module, strrchr(name, '.') + 1, type);
}
