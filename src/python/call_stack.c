/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that each thread is in, as far as they are recorded, with
 * their open events.
 *
 * A thread finds its stack by one pointer: more in static thread-local storage
 * may not fit where a library is loaded late. Stacks are never freed; that of a
 * thread that has ended goes to the next new one. That it has ended is noted
 * without the GIL, which a thread can no longer have by then.
 */
#include <pthread.h>
#include <stdlib.h>

#include "python/calls.h"

typedef struct OpenCall {
  stepscope_scope scope;
  PyObject* code; /* only compared: it may be gone */
  uint32_t site;
} OpenCall;

typedef struct CallStack {
  OpenCall* calls; /* outermost first */
  size_t depth;
  size_t capacity;
  uint32_t gate;    /* the session that the scopes are of */
  uint32_t tracing; /* the BeginTracing() that the calls are of */
  int owned;        /* by a thread that lives */
  struct CallStack* next;
} CallStack;

/* No session has this generation, see STEPSCOPE_TAKING_SLOT. */
#define kNoSession 0xffffffffu

static __thread CallStack* own_stack __attribute__((tls_model("initial-exec")));
static CallStack* all_stacks;
static uint32_t tracing_number = 1;
static pthread_key_t thread_end;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

/* Of libstepscope_inject.so, if `stepscope run` preloaded it: begins the
 * recording where it only waits for a first event. */
extern void stepscope_injector_wake_v1(void) __attribute__((weak));

static void GiveStackBack(void* stack) {
  __atomic_store_n(&((CallStack*)stack)->owned, 0, __ATOMIC_RELEASE);
}

static void WatchThreads(void) {
  (void)pthread_key_create(&thread_end, GiveStackBack);
}

static CallStack* TakeStack(void) {
  CallStack* stack = all_stacks;
  pthread_once(&thread_end_once, WatchThreads);
  while (stack != NULL && __atomic_load_n(&stack->owned, __ATOMIC_ACQUIRE) != 0)
    stack = stack->next;
  if (stack == NULL) {
    stack = calloc(1, sizeof(*stack));
    if (stack == NULL) return NULL;
    stack->next = all_stacks;
    all_stacks = stack;
  }
  stack->owned = 1;
  stack->tracing = 0;
  stack->gate = kNoSession;
  own_stack = stack;
  (void)pthread_setspecific(thread_end, stack);
  return stack;
}

static void EndCallsAbove(CallStack* stack, size_t depth) {
  while (stack->depth > depth)
    stepscope_end(stack->calls[--stack->depth].scope);
}

static int MakeRoom(CallStack* stack) {
  size_t capacity = stack->capacity == 0 ? 64 : 2 * stack->capacity;
  OpenCall* calls = realloc(stack->calls, capacity * sizeof(*calls));
  if (calls == NULL) return -1;
  stack->calls = calls;
  stack->capacity = capacity;
  return 0;
}

static inline void Push(CallStack* stack, PyObject* code, uint32_t site) {
  OpenCall* call;
  if (stack->depth == stack->capacity && MakeRoom(stack) < 0) return;
  call = &stack->calls[stack->depth++];
  call->code = code;
  call->site = site;
  call->scope = stepscope_begin_id(site);
}

/* ------------------------------------------------------------------------- */
/* A thread that is in the middle of something */

static void ReverseFrom(CallStack* stack, size_t first) {
  size_t last = stack->depth;
  while (first + 1 < last) {
    OpenCall swapped = stack->calls[first];
    stack->calls[first++] = stack->calls[--last];
    stack->calls[last] = swapped;
  }
}

static PyFrameObject* CallerOf(PyFrameObject* frame) {
#if defined(Py_LIMITED_API)
  PyObject* caller = PyObject_GetAttrString((PyObject*)frame, "f_back");
  if (caller == NULL) PyErr_Clear();
  if (caller == Py_None) {
    Py_DECREF(caller);
    caller = NULL;
  }
  return (PyFrameObject*)caller;
#else
  return PyFrame_GetBack(frame);
#endif
}

/* Lists the functions that the thread is in, without opening events. The
 * innermost is left out if it only begins now. */
static void ListFrames(CallStack* stack, int without_innermost) {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame != NULL) {
    PyFrameObject* caller;
    PyObject* code = (PyObject*)PyFrame_GetCode(frame);
    uint32_t site = without_innermost ? kNotRecorded : SiteOfCode(code);
    without_innermost = 0;
    if (site != kNotRecorded &&
        (stack->depth < stack->capacity || MakeRoom(stack) == 0)) {
      OpenCall call = {{NULL, 0}, code, site};
      stack->calls[stack->depth++] = call;
    }
    Py_DECREF(code);
    caller = CallerOf(frame);
    Py_DECREF(frame);
    frame = caller;
  }
  ReverseFrom(stack, 0);
}

/* The first event of a thread since tracing or a session began. NULL: there is
 * no memory. */
static CallStack* JoinSession(uint32_t gate, int begins) {
  CallStack* stack = own_stack == NULL ? TakeStack() : own_stack;
  size_t i;
  if (stack == NULL) return NULL;
  if (stack->tracing != tracing_number) {
    stack->tracing = tracing_number;
    stack->depth = 0;
    ListFrames(stack, begins);
  }
  if (gate == 0 && stepscope_injector_wake_v1 != NULL) {
    stepscope_injector_wake_v1();
    gate = stepscope_gate();
  }
  /* Events of an earlier session ended with it. */
  for (i = 0; i < stack->depth; ++i)
    stack->calls[i].scope = stepscope_begin_id(stack->calls[i].site);
  stack->gate = gate;
  return stack;
}

static inline CallStack* OwnStack(int begins) {
  CallStack* stack = own_stack;
  uint32_t gate = stepscope_gate();
  if (STEPSCOPE_UNLIKELY(stack == NULL || stack->gate != gate))
    return JoinSession(gate, begins);
  return stack;
}

/* ------------------------------------------------------------------------- */

void PushCall(PyObject* code, uint32_t site) {
  CallStack* stack = OwnStack(/*begins=*/1);
  if (stack != NULL) Push(stack, code, site);
}

int IsTopCall(PyObject* code) {
  const CallStack* stack = own_stack;
  return stack != NULL && stack->depth > 0 &&
         stack->calls[stack->depth - 1].code == code;
}

void PopCall(PyObject* code) {
  CallStack* stack = OwnStack(/*begins=*/0);
  size_t i;
  if (stack == NULL) return;
  i = stack->depth;
  if (i > 0 && stack->calls[i - 1].code == code) {
    stepscope_end(stack->calls[i - 1].scope);
    stack->depth = i - 1;
    return;
  }
  while (i > 0 && stack->calls[i - 1].code != code) --i;
  if (i > 0) EndCallsAbove(stack, i - 1);
}

void JoinNow(void) {
  if (stepscope_gate() != 0) (void)OwnStack(/*begins=*/0);
}

void BeginTracing(void) {
  CallStack* stack;
  ++tracing_number;
  for (stack = all_stacks; stack != NULL; stack = stack->next)
    stack->gate = kNoSession;
}

void EndTracing(void) {
  CallStack* stack;
  uint32_t gate = stepscope_gate();
  for (stack = all_stacks; stack != NULL; stack = stack->next) {
    if (stack->gate == gate) EndCallsAbove(stack, 0);
    stack->depth = 0;
    stack->gate = kNoSession;
  }
}
