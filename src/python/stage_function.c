/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages where sys.monitoring is not there (before CPython 3.12): a callable
 * that stands in the place of a function of torch, and costs a branch while no
 * Profiler runs. As a member of a class it binds like a function. Needs more
 * than the limited API has.
 */
#include "python/stages.h"

#if !defined(Py_LIMITED_API)
#include "python/stand_in.h"

typedef struct StageFunction {
  StandIn base;
  StageKind kind;
} StageFunction;

static PyObject* Call(PyObject* object, PyObject* const* args, size_t flagged,
                      PyObject* names) {
  StageFunction* self = (StageFunction*)object;
  uint32_t epoch = stages_epoch;
  PyObject* result;
  if (stages_active != kByFunctions)
    return PyObject_Vectorcall(self->base.function, args, flagged, names);
  OpenStage(self->kind, PyVectorcall_NARGS(flagged) > 0 ? args[0] : NULL);
  result = PyObject_Vectorcall(self->base.function, args, flagged, names);
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
  self = (StageFunction*)NewStandIn(type, function, Call);
  if (self != NULL) self->kind = (StageKind)kind;
  return (PyObject*)self;
}

int AddStageFunction(PyObject* module) {
  return AddStandIn(module, "stepscope._stages.StageFunction",
                    sizeof(StageFunction), New, NULL);
}
#else
typedef int stage_function_is_elsewhere;
#endif
