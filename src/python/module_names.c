/* SPDX-License-Identifier: Apache-2.0
 *
 * From an nn.Module to the name of its range, such as
 * "ResNet.layer1.0.conv1". Python code walks over a model when it is first
 * called and names its modules here; see stepscope/_torch/names.py.
 */
#include "python/stages.h"

static PyObject* namer; /* NULL: modules are not recorded */
/* From the address of a module to its site. An entry is removed when the module
 * dies, so that no other object can be taken for it. */
static PyObject* site_of_address;

int ModulesAreNamed(void) { return namer != NULL; }

static uint32_t LookUp(PyObject* address) {
  PyObject* site = PyDict_GetItemWithError(site_of_address, address);
  if (site == NULL) {
    if (PyErr_Occurred()) PyErr_Clear();
    return 0;
  }
  return (uint32_t)PyLong_AsUnsignedLong(site);
}

uint32_t SiteOfModule(PyObject* module, int is_outermost) {
  PyObject* address = PyLong_FromVoidPtr(module);
  uint32_t site = 0;
  if (address == NULL) {
    PyErr_Clear();
    return 0;
  }
  site = LookUp(address);
  if (site == 0) {
    PyObject* result = PyObject_CallFunction(namer, "Oi", module, is_outermost);
    /* A model that cannot be walked over goes without names. */
    if (result == NULL) PyErr_Clear();
    Py_XDECREF(result);
    site = LookUp(address);
  }
  Py_DECREF(address);
  return site;
}

static PyObject* SetNamer(PyObject* module, PyObject* function) {
  PyObject* before = namer;
  (void)module;
  namer = NULL;
  if (function != Py_None) {
    Py_INCREF(function);
    namer = function;
  }
  Py_XDECREF(before);
  return NewNone();
}

/* name_module(address, name) */
static PyObject* NameModule(PyObject* module, PyObject* args) {
  PyObject *address, *number;
  stepscope_site site = {NULL, STEPSCOPE_PYTHON_USER_DEFINED, 0};
  uint32_t id;
  int result;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!s", &PyLong_Type, &address, &site.name))
    return NULL;
  id = stepscope_register_site(&site);
  if (site.id == 0) return NewNone(); /* refused for now: not kept */
  number = PyLong_FromUnsignedLong(id);
  if (number == NULL) return NULL;
  result = PyDict_SetItem(site_of_address, address, number);
  Py_DECREF(number);
  return result < 0 ? NULL : NewNone();
}

static PyObject* ForgetModule(PyObject* module, PyObject* address) {
  (void)module;
  if (PyDict_DelItem(site_of_address, address) < 0) PyErr_Clear();
  return NewNone();
}

static PyMethodDef methods[] = {
    {"set_namer", SetNamer, METH_O,
     "The function (module, is_outermost) that names modules, or None."},
    {"name_module", NameModule, METH_VARARGS,
     "name_module(address, name): the name of the range of a module."},
    {"forget_module", ForgetModule, METH_O, "The module at an address died."},
    {NULL, NULL, 0, NULL}};

int AddModuleNames(PyObject* module) {
  site_of_address = PyDict_New();
  if (site_of_address == NULL) return -1;
  return PyModule_AddFunctions(module, methods);
}
