/* SPDX-License-Identifier: Apache-2.0
 *
 * The type RecordEvent. Objects that are made for one `with` come from a list
 * of free ones, so that an event allocates nothing.
 */
#include "python/event.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

#include "python/requests.h"

PyTypeObject* event_type;

enum { kFreeObjects = 64 };
static Event* free_objects[kFreeObjects];
static int free_count;

static PyObject* enum_type; /* TracerEventType */

/* What Python code may record; Paddle's list. */
static uint32_t RecordableType(PyObject* given) {
  static const uint32_t recordable =
      1u << STEPSCOPE_DATALOADER | 1u << STEPSCOPE_PROFILE_STEP |
      1u << STEPSCOPE_FORWARD | 1u << STEPSCOPE_BACKWARD |
      1u << STEPSCOPE_OPTIMIZATION | 1u << STEPSCOPE_PYTHON_OP |
      1u << STEPSCOPE_PYTHON_USER_DEFINED;
  long value;
  if (!PyLong_Check(given)) return kNoType;
  value = PyLong_AsLong(given);
  if (value == -1 && PyErr_Occurred()) PyErr_Clear();
  if (value < 0 || value > 31 || !(recordable >> value & 1)) return kNoType;
  return (uint32_t)value;
}

/* ------------------------------------------------------------------------- */
/* Begin and end */

static OpenScope* ScopeAt(Event* self, uint32_t i) {
  return i == 0 ? &self->first : &self->more[i - 1];
}

/* An object that is open already: used by several threads, or by a function
 * that calls itself. */
static int PushScope(Event* self, stepscope_scope scope) {
  OpenScope* entry;
  if (self->open > self->capacity) {
    uint32_t capacity = self->capacity == 0 ? 4 : 2 * self->capacity;
    OpenScope* more = realloc(self->more, capacity * sizeof(*more));
    if (more == NULL) {
      stepscope_end(scope);
      PyErr_NoMemory();
      return -1;
    }
    self->more = more;
    self->capacity = capacity;
  }
  entry = ScopeAt(self, self->open++);
  entry->scope = scope;
  entry->thread = &stepscope_thread_local_v1;
  return 0;
}

/* Ends the newest scope of this thread; if it has none, the newest of all: an
 * event may end on another thread than it began on. */
static void EndOneOfSeveral(Event* self) {
  uint32_t i = self->open;
  OpenScope ended;
  while (i > 0 && ScopeAt(self, i - 1)->thread != &stepscope_thread_local_v1)
    --i;
  if (i == 0) i = self->open;
  ended = *ScopeAt(self, i - 1);
  for (; i < self->open; ++i) *ScopeAt(self, i - 1) = *ScopeAt(self, i);
  --self->open;
  stepscope_end(ended.scope);
}

/* -1: an exception is set. */
static inline int BeginEvent(Event* self) {
  stepscope_scope scope;
  if (stepscope_gate() == 0 && self->open == 0) return 0;
  if (self->site == 0) {
    self->site = FindSite(self->name, self->type);
    if (self->site == 0) self->site = MakeSite(self->name, self->type);
    if (self->site == 0) return PyErr_Occurred() ? -1 : 0;
  }
  scope = stepscope_begin_id(self->site);
  if (self->open == 0) {
    if (scope.slot == NULL) return 0;
    self->first.scope = scope;
    self->first.thread = &stepscope_thread_local_v1;
    self->open = 1;
  } else if (PushScope(self, scope) < 0) {
    return -1;
  }
  if (self->arguments != NULL) AddArguments(scope, self->arguments);
  return 0;
}

static inline void EndEvent(Event* self) {
  if (self->open == 0) return;
  if (self->open == 1) {
    self->open = 0;
    stepscope_end(self->first.scope);
    return;
  }
  EndOneOfSeveral(self);
}

static PyObject* None(void) {
  /* Not Py_RETURN_NONE: some headers leave the reference out for every version
   * of the limited API. */
  Py_INCREF(Py_None);
  return Py_None;
}

static PyObject* Enter(Event* self) {
  if (BeginEvent(self) < 0) return NULL;
  Py_INCREF(self);
  return (PyObject*)self;
}

static PyObject* Exit(Event* self) {
  EndEvent(self);
  return None();
}

static PyObject* EventBegin(PyObject* self, PyObject* unused) {
  (void)unused;
  return BeginEvent((Event*)self) < 0 ? NULL : None();
}

static PyObject* EventEnd(PyObject* self, PyObject* unused) {
  (void)unused;
  return Exit((Event*)self);
}

static PyObject* EventSet(PyObject* object, PyObject* args, PyObject* kwargs) {
  Event* self = (Event*)object;
  if (PyTuple_Size(args) != 0) {
    PyErr_SetString(PyExc_TypeError,
                    "RecordEvent.set() takes keyword arguments only, such as "
                    "set(rows=128)");
    return NULL;
  }
  if (self->open > 0 && kwargs != NULL)
    AddArguments(ScopeAt(self, self->open - 1)->scope, kwargs);
  return None();
}

/* ------------------------------------------------------------------------- */
/* Making */

static int SetName(Event* self, PyObject* name) {
  if (!PyUnicode_Check(name)) {
    PyErr_Format(PyExc_TypeError,
                 "RecordEvent: name must be a str, not %R. To decorate a "
                 "function, write @RecordEvent(\"name\")",
                 (PyObject*)Py_TYPE(name));
    return -1;
  }
  Py_INCREF(name);
  self->name = name;
  return 0;
}

static void SetType(Event* self, PyObject* given) {
  Py_INCREF(given);
  self->given_type = given;
  self->type = RecordableType(given);
}

/* Puts one keyword where it belongs. */
static int SetKeyword(Event* self, PyObject* key, PyObject* value) {
  int is_name = PyUnicode_CompareWithASCIIString(key, "name") == 0;
  int is_type = PyUnicode_CompareWithASCIIString(key, "event_type") == 0;
  if ((is_name && self->name != NULL) ||
      (is_type && self->given_type != NULL)) {
    PyErr_Format(PyExc_TypeError,
                 "RecordEvent() got multiple values for argument '%U'", key);
    return -1;
  }
  if (is_name) return SetName(self, value);
  if (is_type) {
    SetType(self, value);
    return 0;
  }
  if (self->arguments == NULL && (self->arguments = PyDict_New()) == NULL)
    return -1;
  return PyDict_SetItem(self->arguments, key, value);
}

static int CheckCount(Event* self, Py_ssize_t count) {
  if (count > 2) {
    PyErr_Format(PyExc_TypeError,
                 "RecordEvent() takes at most 2 positional arguments (name and "
                 "event_type) but %zd were given",
                 count);
    return -1;
  }
  (void)self;
  return 0;
}

static int CheckName(Event* self) {
  if (self->name != NULL) return 0;
  PyErr_SetString(PyExc_TypeError,
                  "RecordEvent() missing 1 required positional argument: "
                  "'name'");
  return -1;
}

static Event* NewEvent(PyTypeObject* type);

static PyObject* EventNew(PyTypeObject* type, PyObject* args,
                          PyObject* kwargs) {
  (void)args;
  (void)kwargs;
  return (PyObject*)NewEvent(type);
}

static int EventInit(PyObject* object, PyObject* args, PyObject* kwargs) {
  Event* self = (Event*)object;
  Py_ssize_t count = PyTuple_Size(args);
  if (CheckCount(self, count) < 0) return -1;
  Py_CLEAR(self->name);
  Py_CLEAR(self->given_type);
  Py_CLEAR(self->arguments);
  self->site = 0;
  self->type = STEPSCOPE_PYTHON_USER_DEFINED;
  if (count > 0 && SetName(self, PyTuple_GetItem(args, 0)) < 0) return -1;
  if (count > 1) SetType(self, PyTuple_GetItem(args, 1));
  if (kwargs != NULL) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(kwargs, &at, &key, &value))
      if (SetKeyword(self, key, value) < 0) return -1;
  }
  return CheckName(self);
}

static void EventDealloc(PyObject* object) {
  Event* self = (Event*)object;
  PyTypeObject* type = Py_TYPE(object);
  Py_CLEAR(self->name);
  Py_CLEAR(self->given_type);
  Py_CLEAR(self->arguments);
  if (self->more != NULL) free(self->more);
  self->more = NULL;
  if (type == event_type && free_count < kFreeObjects) {
    free_objects[free_count++] = self;
  } else {
    freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
    give_back(self);
  }
  Py_DECREF(type);
}

/* ------------------------------------------------------------------------- */
/* Calls: @RecordEvent("name") and, below 3.14, `with` */

static PyObject* Decorate(Event* self, PyObject* function) {
  PyObject* module = PyImport_ImportModule("stepscope._decorate");
  PyObject* result = module == NULL ? NULL
                                    : PyObject_CallMethod(module, "wrap", "OO",
                                                          self, function);
  Py_XDECREF(module);
  return result;
}

static PyObject* WrongCall(void) {
  PyErr_SetString(PyExc_TypeError,
                  "a RecordEvent is called with the function that it "
                  "decorates, and nothing else");
  return NULL;
}

#if defined(Py_LIMITED_API)
static PyObject* EventCall(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (PyTuple_Size(args) != 1 || kwargs != NULL) return WrongCall();
  return Decorate((Event*)self, PyTuple_GetItem(args, 0));
}
#else
static PyObject* EventVectorcall(PyObject* self, PyObject* const* args,
                                 size_t flagged, PyObject* names) {
  Py_ssize_t count = PyVectorcall_NARGS(flagged);
  if (names != NULL && PyTuple_GET_SIZE(names) > 0) return WrongCall();
#if EVENT_IS_ITS_OWN_METHOD
  if (count == 0) return Enter((Event*)self);
  if (count == 3) return Exit((Event*)self);
#endif
  if (count != 1) return WrongCall();
  return Decorate((Event*)self, args[0]);
}
#endif

#if defined(Py_LIMITED_API)
static Event* NewEvent(PyTypeObject* type) {
  Event* self;
  if (type == event_type && free_count > 0) {
    self = free_objects[--free_count];
    memset((char*)self + sizeof(PyObject), 0, sizeof(*self) - sizeof(PyObject));
    PyObject_Init((PyObject*)self, type);
  } else {
    self = (Event*)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  }
  if (self != NULL) self->type = STEPSCOPE_PYTHON_USER_DEFINED;
  return self;
}
#else
static Event* NewEvent(PyTypeObject* type) {
  Event* self;
  if (type == event_type && free_count > 0) {
    self = free_objects[--free_count];
    (void)PyObject_INIT(self, type);
  } else {
    self = (Event*)type->tp_alloc(type, 0);
    if (self == NULL) return NULL;
  }
  self->vectorcall = EventVectorcall;
  self->name = NULL;
  self->given_type = NULL;
  self->arguments = NULL;
  self->type = STEPSCOPE_PYTHON_USER_DEFINED;
  self->site = 0;
  self->open = 0;
  self->capacity = 0;
  self->more = NULL;
  return self;
}

/* RecordEvent(...): without the tuple and the dict of tp_new and tp_init. */
static PyObject* MakeEvent(PyObject* type, PyObject* const* args,
                           size_t flagged, PyObject* names) {
  Py_ssize_t count = PyVectorcall_NARGS(flagged);
  Event* self = NewEvent((PyTypeObject*)type);
  Py_ssize_t i;
  if (self == NULL) return NULL;
  if (count > 0 && SetName(self, args[0]) < 0) goto failed;
  if (count > 1) SetType(self, args[1]);
  if (names != NULL) {
    for (i = 0; i < PyTuple_GET_SIZE(names); ++i) {
      if (SetKeyword(self, PyTuple_GET_ITEM(names, i), args[count + i]) < 0)
        goto failed;
    }
  }
  if (CheckCount(self, count) < 0 || CheckName(self) < 0) goto failed;
  return (PyObject*)self;
failed:
  Py_DECREF(self);
  return NULL;
}
#endif

#if EVENT_IS_ITS_OWN_METHOD
/* __enter__ and __exit__ of the class. Read from an object, they are the
 * object. */
typedef struct SelfMethod {
  PyObject_HEAD vectorcallfunc vectorcall;
} SelfMethod;

static PyObject* SelfMethodGet(PyObject* self, PyObject* object,
                               PyObject* type) {
  PyObject* result = object == NULL || object == Py_None ? self : object;
  (void)type;
  Py_INCREF(result);
  return result;
}

static Event* FirstArgument(PyObject* const* args, size_t flagged) {
  if (PyVectorcall_NARGS(flagged) > 0 &&
      PyObject_TypeCheck(args[0], event_type))
    return (Event*)args[0];
  PyErr_SetString(PyExc_TypeError, "expected a RecordEvent first");
  return NULL;
}

static PyObject* CallEnter(PyObject* self, PyObject* const* args,
                           size_t flagged, PyObject* names) {
  Event* event = FirstArgument(args, flagged);
  (void)self;
  (void)names;
  return event == NULL ? NULL : Enter(event);
}

static PyObject* CallExit(PyObject* self, PyObject* const* args, size_t flagged,
                          PyObject* names) {
  Event* event = FirstArgument(args, flagged);
  (void)self;
  (void)names;
  return event == NULL ? NULL : Exit(event);
}

static PyMemberDef self_method_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(SelfMethod, vectorcall),
     READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot self_method_slots[] = {{Py_tp_descr_get, SelfMethodGet},
                                          {Py_tp_call, PyVectorcall_Call},
                                          {Py_tp_members, self_method_members},
                                          {0, NULL}};
static PyType_Spec self_method_spec = {
    "stepscope._event.SelfMethod", sizeof(SelfMethod), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, self_method_slots};

static int AddSelfMethod(PyTypeObject* type, const char* name,
                         vectorcallfunc call) {
  SelfMethod* method = PyObject_New(SelfMethod, type);
  int result;
  if (method == NULL) return -1;
  method->vectorcall = call;
  result =
      PyObject_SetAttrString((PyObject*)event_type, name, (PyObject*)method);
  Py_DECREF(method);
  return result;
}

static int AddSelfMethods(void) {
  PyTypeObject* type = (PyTypeObject*)PyType_FromSpec(&self_method_spec);
  int result = type == NULL ||
                       AddSelfMethod(type, "__enter__", CallEnter) < 0 ||
                       AddSelfMethod(type, "__exit__", CallExit) < 0
                   ? -1
                   : 0;
  Py_XDECREF(type);
  return result;
}
#else
static PyObject* EventEnter(PyObject* self, PyObject* unused) {
  (void)unused;
  return Enter((Event*)self);
}

static PyObject* EventExit(PyObject* self, PyObject* const* args,
                           Py_ssize_t count) {
  (void)args;
  (void)count;
  return Exit((Event*)self);
}
#endif

/* ------------------------------------------------------------------------- */
/* What else an object has */

static PyObject* EventRepr(PyObject* object) {
  PyObject* name = ((Event*)object)->name;
  return PyUnicode_FromFormat("RecordEvent(%R)", name ? name : Py_None);
}

static PyObject* GetType(PyObject* object, void* unused) {
  Event* self = (Event*)object;
  (void)unused;
  if (self->given_type != NULL) {
    Py_INCREF(self->given_type);
    return self->given_type;
  }
  return enum_type == NULL ? PyLong_FromUnsignedLong(self->type)
                           : PyObject_CallFunction(enum_type, "I", self->type);
}

static PyObject* GetArguments(PyObject* object, void* unused) {
  Event* self = (Event*)object;
  (void)unused;
  return self->arguments == NULL ? PyDict_New() : PyDict_Copy(self->arguments);
}

PyDoc_STRVAR(
    event_doc,
    "RecordEvent(name, event_type=TracerEventType.PythonUserDefined, "
    "**arguments)\n"
    "--\n\n"
    "Records how long a piece of code takes, while a Profiler records.\n\n"
    "A context manager, a decorator, or a pair of begin() and end():\n\n"
    "    with stepscope.RecordEvent(\"DataPrepare\", rows=128):\n"
    "        batch = prepare()\n\n"
    "    @stepscope.RecordEvent(\"augment\")\n"
    "    def augment(image): ...\n\n"
    "Further keywords become arguments of the event in the timeline: numbers,\n"
    "text, or lists of integers.");

static PyMethodDef event_methods[] = {
    {"begin", EventBegin, METH_NOARGS, "Begins the event on this thread."},
    {"end", EventEnd, METH_NOARGS,
     "Ends what begin() began last; does nothing if nothing is open."},
    {"set", (PyCFunction)(void (*)(void))EventSet, METH_VARARGS | METH_KEYWORDS,
     "set(**arguments): adds arguments to the event while it is open."},
#if !EVENT_IS_ITS_OWN_METHOD
    {"__enter__", EventEnter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))EventExit, METH_FASTCALL, NULL},
#endif
    {NULL, NULL, 0, NULL}};
static PyMemberDef event_members[] = {
    {"name", T_OBJECT, offsetof(Event, name), READONLY, "The name."},
#if !defined(Py_LIMITED_API)
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Event, vectorcall), READONLY,
     NULL},
#endif
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef event_getters[] = {
    {"event_type", GetType, NULL, "What kind of event it is.", NULL},
    {"arguments", GetArguments, NULL, "The arguments it was made with.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot event_slots[] = {
    {Py_tp_doc, (void*)event_doc},  {Py_tp_new, EventNew},
    {Py_tp_init, EventInit},        {Py_tp_dealloc, EventDealloc},
    {Py_tp_repr, EventRepr},
#if defined(Py_LIMITED_API)
    {Py_tp_call, EventCall},
#else
    {Py_tp_call, PyVectorcall_Call},
#endif
    {Py_tp_methods, event_methods}, {Py_tp_members, event_members},
    {Py_tp_getset, event_getters},  {0, NULL}};
static PyType_Spec event_spec = {"stepscope.RecordEvent", sizeof(Event), 0,
#if defined(Py_LIMITED_API)
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
#else
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                                     Py_TPFLAGS_HAVE_VECTORCALL,
#endif
                                 event_slots};

/* ------------------------------------------------------------------------- */
/* The module */

static PyObject* Enabled(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyBool_FromLong(stepscope_enabled());
}

static PyObject* SetEnum(PyObject* module, PyObject* type) {
  (void)module;
  Py_INCREF(type);
  Py_XDECREF(enum_type);
  enum_type = type;
  return None();
}

static PyMethodDef module_methods[] = {
    {"enabled", Enabled, METH_NOARGS, "True while events are recorded."},
    {"set_enum", SetEnum, METH_O, "The class of event types."},
    REQUEST_FUNCTIONS,
    {NULL, NULL, 0, NULL}};

/* Under `stepscope run` recording begins with the first event that the
 * injector hears of. Ours it does not hear of, so it is told that there may be
 * some from now on. */
static void WakeInjector(void) {
  void (*wake)(void);
  *(void**)&wake = dlsym(RTLD_DEFAULT, "stepscope_injector_wake_v1");
  if (wake != NULL) wake();
}

static int Execute(PyObject* module) {
  if (event_type != NULL) {
    PyErr_SetString(PyExc_ImportError,
                    "stepscope can be imported by one interpreter of a "
                    "process only");
    return -1;
  }
  event_type = (PyTypeObject*)PyType_FromSpec(&event_spec);
  if (event_type == NULL) return -1;
#if !defined(Py_LIMITED_API)
  event_type->tp_vectorcall = MakeEvent;
  if (AddTimedFunction(module) < 0) return -1;
#endif
#if EVENT_IS_ITS_OWN_METHOD
  if (AddSelfMethods() < 0) return -1;
#endif
  if (AddRequests(module) < 0) return -1;
  WakeInjector();
  Py_INCREF(event_type);
  return PyModule_AddObject(module, "RecordEvent", (PyObject*)event_type);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, Execute},
#if PY_VERSION_HEX >= 0x030C0000 && !defined(Py_LIMITED_API)
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT,
                                    "_event",
                                    "RecordEvent, in C.",
                                    0,
                                    module_methods,
                                    module_slots,
                                    NULL,
                                    NULL,
                                    NULL};

PyMODINIT_FUNC PyInit__event(void) { return PyModuleDef_Init(&module); }
