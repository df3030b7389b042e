/* SPDX-License-Identifier: Apache-2.0
 *
 * answered(): the tokens of a whole batch as one event. Hooks of engines call
 * it once per iteration, with the engine's own objects.
 */
#include "python/requests.h"

enum { kMostValues = 400 }; /* of a list, in the collector */

typedef struct Answers {
  PyObject* live; /* dict: id -> Request */
  PyObject* id;   /* names of attributes */
  PyObject* tokens;
  PyObject* ended;
  int total;           /* `tokens` are all of a request, not the new ones */
  PyObject* ended_ids; /* list, or NULL: none */
  size_t used;
  int64_t values[kMostValues];
} Answers;

static void Flush(Answers* self) {
  if (self->used > 0) RecordTokenCounts(self->values, self->used);
  self->used = 0;
}

static void AddTokens(Answers* self, Request* request, Py_ssize_t given) {
  int64_t count = given;
  if (self->total) {
    count -= request->made;
    request->made = given;
  }
  if (count <= 0 || request->ended) return;
  request->has_tokens = 1;
  if (!stepscope_enabled()) return;
  NameRequest(request);
  if (self->used == kMostValues) Flush(self);
  self->values[self->used++] = (int64_t)request->number;
  self->values[self->used++] = count;
}

/* -1: an exception is set; as of what follows. */
static int AddEnded(Answers* self, PyObject* id) {
  if (self->ended_ids == NULL && (self->ended_ids = PyList_New(0)) == NULL)
    return -1;
  return PyList_Append(self->ended_ids, id);
}

/* Of an item whose request goes on, or ends. */
static int AddAnswer(Answers* self, PyObject* item, int ends) {
  PyObject* tokens;
  Py_ssize_t count;
  int result = -1;
  PyObject* id = PyObject_GetAttr(item, self->id);
  PyObject* known;
  if (id == NULL) return -1;
  known = PyDict_GetItemWithError(self->live, id);
  if (known == NULL) {
    result = PyErr_Occurred() ? -1 : 0;
  } else if ((tokens = PyObject_GetAttr(item, self->tokens)) != NULL) {
    count = tokens == Py_None ? 0 : PyObject_Length(tokens);
    Py_DECREF(tokens);
    if (count >= 0) {
      AddTokens(self, (Request*)known, count);
      result = ends ? AddEnded(self, id) : 0;
    }
  }
  Py_DECREF(id);
  return result;
}

static int ReadAnswer(Answers* self, PyObject* item) {
  PyObject* ended = PyObject_GetAttr(item, self->ended);
  int ends = ended != Py_None;
  if (ended == NULL) return -1;
  Py_DECREF(ended);
  /* Nobody listens, and nothing has to be remembered. */
  if (!ends && !self->total && !stepscope_enabled()) return 0;
  return AddAnswer(self, item, ends);
}

PyObject* Answered(PyObject* module, PyObject* const* args, Py_ssize_t count) {
  Answers self = {0};
  PyObject* items;
  PyObject* item;
  (void)module;
  if (count != 6 || !PyDict_Check(args[1])) {
    PyErr_SetString(PyExc_TypeError,
                    "answered() takes items, a dict, the names of three "
                    "attributes, and whether tokens are all of a request");
    return NULL;
  }
  self.live = args[1];
  self.id = args[2];
  self.tokens = args[3];
  self.ended = args[4];
  self.total = PyObject_IsTrue(args[5]);
  items = PyObject_GetIter(args[0]);
  if (items == NULL) return NULL;
  while ((item = PyIter_Next(items)) != NULL) {
    int result = ReadAnswer(&self, item);
    Py_DECREF(item);
    if (result < 0) break;
  }
  Py_DECREF(items);
  Flush(&self);
  if (PyErr_Occurred()) {
    Py_XDECREF(self.ended_ids);
    return NULL;
  }
  return self.ended_ids != NULL ? self.ended_ids : PyTuple_New(0);
}
