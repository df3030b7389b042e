/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages by sys.monitoring (CPython 3.12 and later): the interpreter calls
 * these when a code object of torch is entered or left. Nothing of torch is
 * replaced, so torch.compile sees what it always saw.
 */
#include "python/stages.h"

/* The functions that are stages. The last ones are spare. */
enum { kTargets = 16 };
typedef struct Target {
  PyObject* code;
  StageKind kind;
} Target;
static Target targets[kTargets];
static int target_count;

static const Target* FindTarget(PyObject* code) {
  int i;
  for (i = 0; i < target_count; ++i)
    if (targets[i].code == code) return &targets[i];
  return NULL;
}

/* The first argument of the function that is just entered; NULL: unknown. */
static PyObject* FirstArgument(void) {
  PyObject* frame = (PyObject*)PyEval_GetFrame();
  PyObject* self = NULL;
  if (frame == NULL) return NULL;
#if !defined(Py_LIMITED_API) && PY_VERSION_HEX >= 0x030C0000
  self = PyFrame_GetVarString((PyFrameObject*)frame, "self");
#else
  {
    PyObject* locals = PyObject_GetAttrString(frame, "f_locals");
    if (locals != NULL) self = PyMapping_GetItemString(locals, "self");
    Py_XDECREF(locals);
  }
#endif
  if (self == NULL) PyErr_Clear();
  return self;
}

static PyObject* OnStart(PyObject* module, PyObject* const* args,
                         Py_ssize_t count) {
  const Target* target;
  (void)module;
  if (stages_active != kByMonitoring || count < 1) return NewNone();
  target = FindTarget(args[0]);
  if (target == NULL) return NewNone();
  if (WantsObject(target->kind)) {
    PyObject* object = FirstArgument();
    OpenStage(target->kind, object);
    Py_XDECREF(object);
  } else {
    OpenStage(target->kind, NULL);
  }
  return NewNone();
}

static PyObject* Leave(PyObject* const* args, Py_ssize_t count, int failed) {
  const Target* target =
      stages_active == kByMonitoring && count > 0 ? FindTarget(args[0]) : NULL;
  if (target != NULL) CloseStage(target->kind, failed);
  return NewNone();
}

static PyObject* OnReturn(PyObject* module, PyObject* const* args,
                          Py_ssize_t count) {
  (void)module;
  return Leave(args, count, 0);
}

/* For every frame that an exception leaves, in all code. */
static PyObject* OnUnwind(PyObject* module, PyObject* const* args,
                          Py_ssize_t count) {
  (void)module;
  return Leave(args, count, 1);
}

static PyObject* AddTarget(PyObject* module, PyObject* args) {
  PyObject* code;
  int kind;
  (void)module;
  if (!PyArg_ParseTuple(args, "Oi", &code, &kind)) return NULL;
  if (kind < 0 || kind >= kStageKinds || target_count == kTargets) {
    PyErr_SetString(PyExc_ValueError, "no such stage, or too many targets");
    return NULL;
  }
  if (FindTarget(code) == NULL) {
    Py_INCREF(code); /* no other code can get the address */
    targets[target_count].code = code;
    targets[target_count].kind = (StageKind)kind;
    ++target_count;
  }
  return NewNone();
}

#define AS_FUNCTION(name) (PyCFunction)(void (*)(void))(name)
static PyMethodDef methods[] = {
    {"on_start", AS_FUNCTION(OnStart), METH_FASTCALL, NULL},
    {"on_return", AS_FUNCTION(OnReturn), METH_FASTCALL, NULL},
    {"on_unwind", AS_FUNCTION(OnUnwind), METH_FASTCALL, NULL},
    {"add_target", AddTarget, METH_VARARGS,
     "add_target(code, kind): calls of this code are this stage."},
    {NULL, NULL, 0, NULL}};

int AddMonitoring(PyObject* module) {
  return PyModule_AddFunctions(module, methods);
}
