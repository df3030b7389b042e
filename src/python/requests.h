/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests and iterations of a server, for the module stepscope._event: what
 * its sources share.
 */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stepscope/c.h>

typedef struct Request {
  PyObject_HEAD PyObject* id; /* str */
  PyObject* traceparent;      /* str or NULL */
  PyObject* token;            /* of the context variable, inside `with` */
  int64_t tokens_in;          /* -1: not known */
  int64_t arrival_ns;         /* of CLOCK_MONOTONIC */
  int64_t made;               /* tokens so far, where a hook counts them */
  uint64_t number;
  uint32_t announced; /* generation of the recording that knows it */
  uint8_t how;        /* it became known: see trace/request_events.h */
  uint8_t fresh;      /* it arrives at this moment */
  uint8_t has_tokens;
  uint8_t ended;
} Request;

int64_t RequestClockNs(void);

/* The request of an id, or itself: a new reference, made if there is none.
 * NULL: an exception is set. */
Request* RequestOfId(PyObject* id);
/* Before anything that names it: says who it is, where nobody did yet. */
void NameRequest(Request* request);
/* [number, count] of requests, `count` values, 400 at most. */
void RecordTokenCounts(const int64_t* values, size_t count);

PyObject* MakeRequest(PyObject* module, PyObject* const* args, Py_ssize_t count,
                      PyObject* names);
PyObject* CurrentRequest(PyObject* module, PyObject* unused);
PyObject* MakeIteration(PyObject* module, PyObject* members);
PyObject* MakeBatch(PyObject* module, PyObject* const* args, Py_ssize_t count);
PyObject* Answered(PyObject* module, PyObject* const* args, Py_ssize_t count);

/* -1: an exception is set. */
int AddRequests(PyObject* module);
int AddIterations(PyObject* module);

#define REQUEST_FUNCTIONS                                                      \
  {"request", (PyCFunction)(void (*)(void))MakeRequest,                        \
   METH_FASTCALL | METH_KEYWORDS,                                              \
   "request(id, tokens=None, traceparent=None)\n--\n\n"                        \
   "A request has arrived at this server::\n\n"                                \
   "    with stepscope.request(\"req-1\", tokens=len(prompt)) as request:\n"   \
   "        async for token in engine.generate(prompt):\n"                     \
   "            request.token()\n\n"                                           \
   "tokens: of its prompt. traceparent: the caller's span, as in the header\n" \
   "of W3C trace context."},                                                   \
      {"current_request", CurrentRequest, METH_NOARGS,                         \
       "The request whose `with` the calling task or thread is in, or None."}, \
      {"batch", (PyCFunction)(void (*)(void))MakeBatch, METH_FASTCALL,         \
       "batch(items, id, counts, kinds, rest)\n--\n\n"                         \
       "iteration() of an engine's objects: `id` names their attribute; None:" \
       "\nthey are ids. counts: of their tokens, or one number for each.\n"    \
       "kinds: by id; None: all are of the kind `rest`."},                     \
      {"answered", (PyCFunction)(void (*)(void))Answered, METH_FASTCALL,       \
       "answered(items, live, id, tokens, ended, total)\n--\n\n"               \
       "The items, objects of an engine, have tokens for requests of "         \
       "`live`,\n"                                                             \
       "a dict by id. id, tokens and ended name attributes; tokens are the\n"  \
       "new ones, or all so far. Returns the ids of those that ended."},       \
  {                                                                            \
    "iteration", MakeIteration, METH_O,                                        \
        "iteration(members)\n--\n\n"                                           \
        "One iteration of a server's loop, as a context manager. `members` "   \
        "are the\nrequests in it, as (id, kind, tokens); kinds are prefill, "  \
        "decode, verify and\ndraft::\n\n"                                      \
        "    with stepscope.iteration([(\"req-1\", \"decode\", 1)]):\n"        \
        "        model(batch)"                                                 \
  }
