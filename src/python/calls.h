/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of Python functions as events: what the sources of the module
 * stepscope._calls share. CPython says what begins and ends, by sys.monitoring
 * from 3.12 on and by its profile function before; see
 * python/stepscope/_functions.py. Everything here runs with the GIL held.
 */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h> /* not in Python.h before 3.11 */
#include <stepscope/c.h>

/* ------------------------------------------------------------------------- */
/* Which functions, and by which number (call_sites.c) */

/* Number of a code object whose calls are not recorded. */
enum { kNotRecorded = 0 };

/* The number by which calls of the code are recorded, or kNotRecorded. Decided
 * at its first call, by asking the filter about its file. Raises nothing. */
uint32_t SiteOfCode(PyObject* code);

/* `filter` is asked with the name of a file and says whether its functions are
 * recorded; `root` is a str that is left out where the name of a file begins
 * with it. What was decided before is forgotten. -1: an exception is set. */
int SetFilter(PyObject* filter, PyObject* root);

/* ------------------------------------------------------------------------- */
/* What is open on each thread (call_stack.c) */

/* A function begins or goes on; or it ends, or waits to be resumed. Ends what
 * was called by it and never ended; nothing if it is not on the stack. */
void PushCall(PyObject* code, uint32_t site);
void PopCall(PyObject* code);

/* True if the function that this thread entered last has this code. */
int IsTopCall(PyObject* code);

/* Threads forget what they had open. At their next event they begin with the
 * functions that they are in. */
void BeginTracing(void);

/* Begins with the functions that the calling thread is in, if something
 * records. */
void JoinNow(void);

/* Ends all that is open on all threads. */
void EndTracing(void);
