/* SPDX-License-Identifier: Apache-2.0
 *
 * From the name of an event, a str, to the number by which it is recorded.
 */
#include <string.h>

#include "python/event.h"

/* Direct-mapped, by the address of the str. Each entry holds a reference, so
 * that no other str can get the address. */
enum { kEntries = 1024 };
typedef struct Entry {
  PyObject* name;
  uint32_t type;
  uint32_t site;
} Entry;
static Entry table[kEntries];

static Entry* EntryOf(PyObject* name, uint32_t type) {
  uintptr_t address = (uintptr_t)name;
  return &table[((address >> 4) ^ (address >> 14) ^ type) % kEntries];
}

uint32_t FindSite(PyObject* name, uint32_t type) {
  Entry* entry = EntryOf(name, type);
  return entry->name == name && entry->type == type ? entry->site : 0;
}

static int WarnOfType(void) {
  return PyErr_WarnEx(
      PyExc_UserWarning,
      "Only TracerEvent Type in [TracerEventType.Dataloader, "
      "TracerEventType.ProfileStep, TracerEventType.Forward, "
      "TracerEventType.Backward, TracerEventType.Optimization, "
      "TracerEventType.PythonOp,TracerEventType.PythonUserDefined]"
      "                  can be recorded.",
      1);
}

uint32_t MakeSite(PyObject* name, uint32_t type) {
  stepscope_site site = {NULL, type, 0};
  PyObject* bytes = NULL;
  PyObject* replaced;
  Entry* entry;
  uint32_t id;
  if (type == kNoType) {
    WarnOfType();
    return 0;
  }
  /* A lone surrogate has no UTF-8; the event is worth more than its name. */
  bytes = PyUnicode_AsEncodedString(name, "utf-8", "backslashreplace");
  if (bytes == NULL || (site.name = PyBytes_AsString(bytes)) == NULL) {
    PyErr_Clear();
    Py_XDECREF(bytes);
    return 0;
  }
  id = stepscope_register_site(&site);
  Py_DECREF(bytes);
  if (site.id == 0) return id; /* refused for now: not kept */
  entry = EntryOf(name, type);
  replaced = entry->name;
  Py_INCREF(name);
  entry->name = name;
  entry->type = type;
  entry->site = id;
  Py_XDECREF(replaced);
  return id;
}

static int AddNumbers(stepscope_scope scope, const char* key,
                      PyObject* sequence) {
  enum { kMost = 400 }; /* as many as the collector keeps */
  int64_t values[kMost];
  Py_ssize_t count = PySequence_Size(sequence);
  Py_ssize_t i;
  if (count < 0) return 0;
  if (count > kMost) count = kMost;
  for (i = 0; i < count; ++i) {
    PyObject* item = PySequence_GetItem(sequence, i);
    int is_number = item != NULL && PyLong_Check(item);
    if (is_number) values[i] = PyLong_AsLongLong(item);
    Py_XDECREF(item);
    if (!is_number || PyErr_Occurred()) return 0;
  }
  stepscope_arg_i64s(scope, key, values, (size_t)count);
  return 1;
}

static int AddText(stepscope_scope scope, const char* key, PyObject* value) {
  PyObject* text = PyObject_Str(value);
  PyObject* bytes = text == NULL ? NULL
                                 : PyUnicode_AsEncodedString(
                                       text, "utf-8", "backslashreplace");
  if (bytes != NULL) {
    stepscope_arg_text(scope, key, PyBytes_AsString(bytes),
                       (size_t)PyBytes_Size(bytes));
  }
  Py_XDECREF(text);
  Py_XDECREF(bytes);
  return bytes != NULL;
}

static void AddArgument(stepscope_scope scope, const char* key,
                        PyObject* value) {
  if (PyLong_Check(value)) {
    long long number = PyLong_AsLongLong(value);
    if (number != -1 || !PyErr_Occurred()) {
      stepscope_arg_i64(scope, key, number);
      return;
    }
    PyErr_Clear(); /* too large: as text */
  } else if (PyFloat_Check(value)) {
    stepscope_arg_f64(scope, key, PyFloat_AsDouble(value));
    return;
  } else if (PyList_Check(value) || PyTuple_Check(value)) {
    if (AddNumbers(scope, key, value)) return;
    PyErr_Clear();
  }
  if (!AddText(scope, key, value)) PyErr_Clear();
}

void AddArguments(stepscope_scope scope, PyObject* arguments) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  if (scope.slot == NULL) return;
  while (PyDict_Next(arguments, &at, &key, &value)) {
    PyObject* bytes =
        PyUnicode_AsEncodedString(key, "utf-8", "backslashreplace");
    if (bytes == NULL) {
      PyErr_Clear();
      continue;
    }
    /* Its __str__ may do anything, also to the dict. */
    Py_INCREF(value);
    AddArgument(scope, PyBytes_AsString(bytes), value);
    Py_DECREF(value);
    Py_DECREF(bytes);
  }
}
