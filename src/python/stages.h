/* SPDX-License-Identifier: Apache-2.0
 *
 * The stages of a training step (Dataloader, Forward, Backward, Optimization)
 * as torch's own Python functions show them: what the sources of the module
 * stepscope._stages share. Everything here runs with the GIL held.
 */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stepscope/c.h>

/* Also the numbers that Python passes; see stepscope/_torch/targets.py. */
typedef enum StageKind {
  kDataloader = 0,
  kForward = 1,
  kBackward = 2,
  kOptimization = 3,
  kStageKinds = 4
} StageKind;

/* Who tells of stages while a Profiler runs: only one, or each call would be
 * seen twice. Also the numbers that Python passes. */
enum { kByNobody = 0, kByMonitoring = 1, kByFunctions = 2 };
extern int stages_active;

/* Which run of Profilers this is. What an older one left open is forgotten:
 * recording may stop in the middle of a stage. */
extern uint32_t stages_epoch;

/* A function of this kind is entered on this thread. `object` is its first
 * argument, borrowed; only needed if WantsObject(). */
void OpenStage(StageKind kind, PyObject* object);

/* It is left; `failed`: by an exception. Ignored if nothing is open: it was
 * entered before the Profiler started. */
void CloseStage(StageKind kind, int failed);

/* Is the first argument of such a function of use? */
int WantsObject(StageKind kind);

/* Names of modules (module_names.c): ranges of nn.Module calls. */
int ModulesAreNamed(void);
/* The site of a module, 0 if it cannot be recorded. `is_outermost`: it is
 * called by no other module, and what is in it is named after it. */
uint32_t SiteOfModule(PyObject* module, int is_outermost);

/* What the module consists of. */
int AddMonitoring(PyObject* module);
int AddModuleNames(PyObject* module);
#if !defined(Py_LIMITED_API)
int AddStageFunction(PyObject* module);
#endif

/* Not Py_RETURN_NONE: some headers leave the reference out for every version of
 * the limited API. */
static inline PyObject* NewNone(void) {
  Py_INCREF(Py_None);
  return Py_None;
}
