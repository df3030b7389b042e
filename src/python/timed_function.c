/* SPDX-License-Identifier: Apache-2.0
 *
 * What @RecordEvent("name") makes of a function: a callable that records each
 * call. As a member of a class it binds like a function. Needs more than the
 * limited API has; there, stepscope._decorate does it in Python.
 */
#include "python/event.h"

#if !defined(Py_LIMITED_API)
#include "python/stand_in.h"

typedef struct TimedFunction {
  StandIn base;
  uint32_t type;
  uint32_t site;
} TimedFunction;

static PyObject* Call(PyObject* object, PyObject* const* args, size_t flagged,
                      PyObject* names) {
  TimedFunction* self = (TimedFunction*)object;
  stepscope_scope scope;
  PyObject* result;
  if (stepscope_gate() == 0)
    return PyObject_Vectorcall(self->base.function, args, flagged, names);
  if (self->site == 0) {
    self->site = MakeSite(self->base.name, self->type);
    if (self->site == 0) {
      if (PyErr_Occurred()) return NULL;
      return PyObject_Vectorcall(self->base.function, args, flagged, names);
    }
  }
  scope = stepscope_begin_id(self->site);
  if (self->base.arguments != NULL) AddArguments(scope, self->base.arguments);
  result = PyObject_Vectorcall(self->base.function, args, flagged, names);
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
  self = (TimedFunction*)NewStandIn(type, function, Call);
  if (self == NULL) return NULL;
  Py_INCREF(event->name);
  self->base.name = event->name;
  Py_XINCREF(event->arguments);
  self->base.arguments = event->arguments;
  self->type = event->type;
  return (PyObject*)self;
}

static PyObject* Repr(PyObject* object) {
  StandIn* self = (StandIn*)object;
  return PyUnicode_FromFormat("<%R timed by RecordEvent(%R)>", self->function,
                              self->name);
}

int AddTimedFunction(PyObject* module) {
  return AddStandIn(module, "stepscope._event.TimedFunction",
                    sizeof(TimedFunction), New, Repr);
}
#else
typedef int timed_function_is_elsewhere;
#endif
