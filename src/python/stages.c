/* SPDX-License-Identifier: Apache-2.0
 *
 * Which stages are open on a thread, and the module stepscope._stages.
 *
 * A stage is the outermost call of its kind on a thread. Modules that are
 * called while data are read (transforms) or gradients computed (recomputation
 * by checkpoints) are no Forward.
 */
#include "python/stages.h"

#include <stdlib.h>
#include <string.h>

int stages_active;
uint32_t stages_epoch = 1;

typedef struct ThreadStages {
  uint32_t epoch;
  uint32_t depth[kStageKinds];
  uint32_t capacity; /* of `modules` */
  stepscope_scope scope[kStageKinds];
  stepscope_read read;
  stepscope_scope* modules; /* one for each module that is being called */
} ThreadStages;
static __thread ThreadStages this_thread;

/* torch._C._current_graph_task_id; NULL: this torch has none. */
static PyObject* graph_task_id;
/* How many threads are in Backward. */
static uint32_t open_backwards;

static stepscope_site sites[kStageKinds] = {
    {"Dataloader", STEPSCOPE_DATALOADER, 0},
    {"Forward", STEPSCOPE_FORWARD, 0},
    {"Backward", STEPSCOPE_BACKWARD, 0},
    {"Optimization", STEPSCOPE_OPTIMIZATION, 0}};

static void ForgetModules(ThreadStages* thread) {
  free(thread->modules);
  thread->modules = NULL;
  thread->capacity = 0;
}

/* Does an engine of gradients run this? It calls modules on threads of its own,
 * too, to compute again what a checkpoint has thrown away. */
static int IsRecomputing(void) {
  PyObject* result;
  long id;
  if (graph_task_id == NULL) return open_backwards > 0;
  result = PyObject_CallObject(graph_task_id, NULL);
  id = result == NULL ? -1 : PyLong_AsLong(result);
  if (PyErr_Occurred()) PyErr_Clear();
  Py_XDECREF(result);
  return id != -1;
}

static int IsForward(const ThreadStages* thread) {
  return thread->depth[kDataloader] == 0 && thread->depth[kBackward] == 0 &&
         !IsRecomputing();
}

/* What tells data loaders apart for the benchmark timer: the dataset, because
 * each pass over a DataLoader has an iterator of its own. */
static const void* ReaderOf(PyObject* iterator) {
  PyObject* dataset =
      iterator == NULL ? NULL : PyObject_GetAttrString(iterator, "_dataset");
  const void* address = dataset;
  if (dataset == NULL) PyErr_Clear();
  Py_XDECREF(dataset);
  return address;
}

static void OpenModule(ThreadStages* thread, PyObject* module) {
  uint32_t at = thread->depth[kForward] - 1;
  stepscope_scope nothing = {NULL, 0};
  if (at >= thread->capacity) {
    uint32_t capacity = thread->capacity == 0 ? 16 : 2 * thread->capacity;
    stepscope_scope* modules;
    while (capacity <= at) capacity *= 2;
    modules = realloc(thread->modules, capacity * sizeof(*modules));
    if (modules == NULL) return;
    /* A module that could not be pushed before has nothing to end. */
    memset(modules + thread->capacity, 0,
           (capacity - thread->capacity) * sizeof(*modules));
    thread->modules = modules;
    thread->capacity = capacity;
  }
  thread->modules[at] = nothing;
  if (stepscope_gate() != 0 && module != NULL) {
    uint32_t site = SiteOfModule(module, at == 0);
    if (site != 0) thread->modules[at] = stepscope_begin_id(site);
  }
}

int WantsObject(StageKind kind) {
  return kind == kDataloader || (kind == kForward && ModulesAreNamed());
}

void OpenStage(StageKind kind, PyObject* object) {
  ThreadStages* thread = &this_thread;
  if (thread->epoch != stages_epoch) {
    ForgetModules(thread);
    memset(thread, 0, sizeof(*thread));
    thread->epoch = stages_epoch;
  }
  if (thread->depth[kind]++ == 0) {
    stepscope_scope nothing = {NULL, 0};
    if (kind == kDataloader) {
      thread->read = stepscope_reader_begin(ReaderOf(object));
    } else if (stepscope_gate() == 0 ||
               (kind == kForward && !IsForward(thread))) {
      thread->scope[kind] = nothing;
    } else {
      thread->scope[kind] = stepscope_begin_site(&sites[kind]);
    }
    if (kind == kBackward) ++open_backwards;
  }
  if (kind == kForward && ModulesAreNamed()) OpenModule(thread, object);
}

void CloseStage(StageKind kind, int failed) {
  ThreadStages* thread = &this_thread;
  uint32_t depth;
  if (thread->epoch != stages_epoch || thread->depth[kind] == 0) return;
  depth = --thread->depth[kind];
  if (kind == kForward && depth < thread->capacity)
    stepscope_end(thread->modules[depth]);
  if (depth != 0) return;
  if (kind == kDataloader) {
    /* StopIteration, too: there was no batch. */
    if (failed)
      stepscope_reader_cancel(thread->read);
    else
      stepscope_reader_end(thread->read);
    return;
  }
  stepscope_end(thread->scope[kind]);
  if (kind == kBackward && open_backwards > 0) --open_backwards;
  if (kind == kForward) ForgetModules(thread);
}

/* ------------------------------------------------------------------------- */
/* The module */

static PyObject* SetActive(PyObject* module, PyObject* on) {
  long value = PyLong_AsLong(on);
  (void)module;
  if (value == -1 && PyErr_Occurred()) return NULL;
  stages_active = (int)value;
  ++stages_epoch;
  open_backwards = 0;
  return NewNone();
}

static PyObject* SetGraphTask(PyObject* module, PyObject* function) {
  (void)module;
  Py_XDECREF(graph_task_id);
  graph_task_id = NULL;
  if (function != Py_None) {
    Py_INCREF(function);
    graph_task_id = function;
  }
  return NewNone();
}

static PyMethodDef methods[] = {
    {"set_active", SetActive, METH_O,
     "set_active(way): 1 by sys.monitoring, 2 by functions, 0 not at all. "
     "Forgets what is open."},
    {"set_graph_task", SetGraphTask, METH_O,
     "The function that tells the number of the graph task, or None."},
    {NULL, NULL, 0, NULL}};

static int Execute(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) < 0 || AddMonitoring(module) < 0 ||
      AddModuleNames(module) < 0)
    return -1;
#if !defined(Py_LIMITED_API)
  if (AddStageFunction(module) < 0) return -1;
#endif
  return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, Execute},
#if PY_VERSION_HEX >= 0x030C0000 && !defined(Py_LIMITED_API)
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "_stages",
                                        "The stages of a training step, in C.",
                                        0,
                                        NULL,
                                        slots,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__stages(void) { return PyModuleDef_Init(&definition); }
