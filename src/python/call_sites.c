/* SPDX-License-Identifier: Apache-2.0
 *
 * From a code object to the number by which its calls are recorded. It is kept
 * in the code object itself (co_extra), where that is possible; the limited API
 * has none, and a table by address takes its place.
 */
#include "python/calls.h"

static PyObject* file_filter; /* callable */
static PyObject* file_root;   /* str */
static PyObject* decided;     /* dict: name of a file -> bool */
/* Of the filter. What a code object holds under another one does not count. */
static uint32_t filter_number;

/* ------------------------------------------------------------------------- */
/* Whether a file is wanted */

/* An error of ours is not the program's. But Ctrl-C may have come while the
 * filter ran: then it comes again. */
static void ForgetError(void) {
  int interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
  PyErr_Clear();
  if (interrupted) PyErr_SetInterrupt();
}

static int IsWanted(PyObject* file) {
  PyObject* answer = PyDict_GetItemWithError(decided, file);
  int wanted;
  if (answer != NULL) return answer == Py_True;
  if (PyErr_Occurred()) {
    ForgetError();
    return 0;
  }
  answer = PyObject_CallFunctionObjArgs(file_filter, file, NULL);
  wanted = answer == NULL ? -1 : PyObject_IsTrue(answer);
  Py_XDECREF(answer);
  if (wanted < 0) {
    ForgetError();
    return 0;
  }
  if (PyDict_SetItem(decided, file, wanted ? Py_True : Py_False) < 0)
    ForgetError();
  return wanted;
}

/* ------------------------------------------------------------------------- */
/* The name */

static PyObject* TextOf(PyObject* code, const char* attribute) {
  PyObject* text = PyObject_GetAttrString(code, attribute);
  if (text != NULL && !PyUnicode_Check(text)) {
    Py_DECREF(text);
    text = NULL;
  }
  return text;
}

/* co_qualname is there from 3.11 on. */
static PyObject* FunctionName(PyObject* code) {
  PyObject* name = TextOf(code, "co_qualname");
  if (name != NULL) return name;
  PyErr_Clear();
  return TextOf(code, "co_name");
}

/* Without the folder that the program was started in. */
static PyObject* ShownFile(PyObject* file) {
  Py_ssize_t length = PyUnicode_GetLength(file_root);
  if (length > 0 && PyUnicode_Tailmatch(file, file_root, 0, length, -1) == 1)
    return PyUnicode_Substring(file, length, PyUnicode_GetLength(file));
  Py_INCREF(file);
  return file;
}

/* "Model.forward (model.py:12)" */
static PyObject* SiteName(PyObject* code, PyObject* file) {
  PyObject* name = FunctionName(code);
  PyObject* shown = ShownFile(file);
  PyObject* line = PyObject_GetAttrString(code, "co_firstlineno");
  PyObject* result =
      name == NULL || shown == NULL || line == NULL
          ? NULL
          : PyUnicode_FromFormat("%U (%U:%S)", name, shown, line);
  PyObject* bytes = result == NULL ? NULL
                                   : PyUnicode_AsEncodedString(
                                         result, "utf-8", "backslashreplace");
  Py_XDECREF(name);
  Py_XDECREF(shown);
  Py_XDECREF(line);
  Py_XDECREF(result);
  return bytes;
}

static uint32_t MakeSite(PyObject* code) {
  stepscope_site site = {NULL, STEPSCOPE_PYTHON_FUNCTION, 0};
  PyObject* file = TextOf(code, "co_filename");
  PyObject* name = NULL;
  uint32_t id = kNotRecorded;
  if (file != NULL && IsWanted(file)) {
    name = SiteName(code, file);
    if (name != NULL && (site.name = PyBytes_AsString(name)) != NULL)
      id = stepscope_register_site(&site);
  }
  Py_XDECREF(file);
  Py_XDECREF(name);
  if (PyErr_Occurred()) ForgetError();
  return id;
}

/* ------------------------------------------------------------------------- */
/* Where the number is kept: 0 is nothing, else the filter's and the site's */

static uint64_t KeptWord(uint32_t site) {
  return (uint64_t)filter_number << 32 | site;
}

#if !defined(Py_LIMITED_API)
#if PY_VERSION_HEX >= 0x030C0000
#define RequestExtraIndex PyUnstable_Eval_RequestCodeExtraIndex
#define GetExtra PyUnstable_Code_GetExtra
#define SetExtra PyUnstable_Code_SetExtra
#else
#define RequestExtraIndex _PyEval_RequestCodeExtraIndex
#define GetExtra _PyCode_GetExtra
#define SetExtra _PyCode_SetExtra
#endif
static Py_ssize_t extra_index = -1;

static int PrepareKeeping(void) {
  if (extra_index < 0) extra_index = RequestExtraIndex(NULL);
  if (extra_index >= 0) return 0;
  PyErr_SetString(PyExc_RuntimeError,
                  "Python functions cannot be recorded: other tools use all "
                  "places that code objects have for them");
  return -1;
}

static uint64_t Kept(PyObject* code) {
  void* word = NULL;
  if (GetExtra(code, extra_index, &word) < 0) PyErr_Clear();
  return (uint64_t)(uintptr_t)word;
}

static void Keep(PyObject* code, uint32_t site) {
  if (SetExtra(code, extra_index, (void*)(uintptr_t)KeptWord(site)) < 0)
    PyErr_Clear();
}
#else
/* Direct-mapped. Each entry holds a reference, so that no other code object
 * can get the address. */
enum { kEntries = 16384 };
static struct {
  PyObject* code;
  uint64_t word;
} entries[kEntries];

static size_t EntryOf(PyObject* code) {
  uintptr_t address = (uintptr_t)code;
  return ((address >> 4) ^ (address >> 18)) % kEntries;
}

static int PrepareKeeping(void) { return 0; }

static uint64_t Kept(PyObject* code) {
  size_t at = EntryOf(code);
  return entries[at].code == code ? entries[at].word : 0;
}

static void Keep(PyObject* code, uint32_t site) {
  size_t at = EntryOf(code);
  PyObject* replaced = entries[at].code;
  Py_INCREF(code);
  entries[at].code = code;
  entries[at].word = KeptWord(site);
  Py_XDECREF(replaced);
}
#endif

uint32_t SiteOfCode(PyObject* code) {
  uint64_t word = Kept(code);
  uint32_t site;
  PyObject *type, *value, *traceback;
  if ((uint32_t)(word >> 32) == filter_number) return (uint32_t)word;
  if (file_filter == NULL) return kNotRecorded;
  /* A function may be seen for the first time while an exception leaves it. */
  PyErr_Fetch(&type, &value, &traceback);
  site = MakeSite(code);
  Keep(code, site);
  PyErr_Restore(type, value, traceback);
  return site;
}

int SetFilter(PyObject* filter, PyObject* root) {
  PyObject* answers;
  if (PrepareKeeping() < 0 || (answers = PyDict_New()) == NULL) return -1;
  Py_INCREF(filter);
  Py_XDECREF(file_filter);
  file_filter = filter;
  Py_INCREF(root);
  Py_XDECREF(file_root);
  file_root = root;
  Py_XDECREF(decided);
  decided = answers;
  ++filter_number;
  return 0;
}
