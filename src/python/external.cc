// SPDX-License-Identifier: Apache-2.0
#include "python/external.h"

#include <nanobind/stl/pair.h>
#include <stepscope/external.h>

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "python/gil.h"

namespace nb = nanobind;

namespace {

using Clocks = std::pair<uint64_t, int64_t>;

// Names of attributes, made once per call: looking one up costs more than
// reading it.
struct Attributes {
  nb::str name{"name"};
  nb::str type{"type"};
  nb::str start{"start_ns"};
  nb::str end{"end_ns"};
  nb::str children{"children_node"};
};

// The events of trees as Paddle's _ProfilerResult.get_data() has them: for each
// thread a root that is no event, and below it nodes with a name, a type, two
// times and children.
class Collected {
 public:
  void AddTree(uint32_t thread, nb::handle root) {
    thread_ = thread;
    AddChildren(root);
    while (!open_.empty()) {
      const nb::object node = std::move(open_.back());
      open_.pop_back();
      AddEvent(node);
      AddChildren(node);
    }
  }

  const std::vector<stepscope_external_event>& events() const {
    return events_;
  }
  size_t found() const { return found_; }

 private:
  // The last comes first off the stack, so they are pushed from behind: names
  // are then numbered in the order of time.
  void AddChildren(nb::handle node) {
    const nb::object children = Get(node, attributes_.children);
    if (!children.is_valid() || !nb::isinstance<nb::list>(children)) return;
    const Py_ssize_t count = PyList_Size(children.ptr());
    for (Py_ssize_t i = count; i-- > 0;)
      open_.push_back(nb::borrow(PyList_GetItem(children.ptr(), i)));
  }

  void AddEvent(nb::handle node) {
    ++found_;
    stepscope_external_event event = {};
    long long type = 0;
    const nb::object name = Get(node, attributes_.name);
    if (!name.is_valid() || !Number(node, attributes_.type, &type) ||
        !Number(node, attributes_.start, &event.start_ns) ||
        !Number(node, attributes_.end, &event.end_ns))
      return;
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(name.ptr(), &length);
    if (text == nullptr) return PyErr_Clear();
    const std::string& kept =
        *names_.emplace(text, static_cast<size_t>(length)).first;
    event.name = kept.data();
    event.name_length = kept.size();
    event.type = static_cast<uint32_t>(type);
    event.thread = thread_;
    events_.push_back(event);
  }

  // Not valid if there is no such attribute, or it cannot be converted.
  static nb::object Get(nb::handle node, const nb::str& key) {
    PyObject* value = PyObject_GetAttr(node.ptr(), key.ptr());
    if (value == nullptr) PyErr_Clear();
    return nb::steal(value);
  }

  template <typename Integer>
  static bool Number(nb::handle node, const nb::str& key, Integer* number) {
    const nb::object value = Get(node, key);
    if (!value.is_valid()) return false;
    const nb::object whole = nb::steal(PyNumber_Long(value.ptr()));
    if (whole.is_valid()) *number = PyLong_AsLongLong(whole.ptr());
    if (PyErr_Occurred() == nullptr) return true;
    PyErr_Clear();
    return false;
  }

  const Attributes attributes_;
  uint32_t thread_ = 0;
  std::vector<nb::object> open_;
  std::unordered_set<std::string> names_;  // whose elements do not move
  std::vector<stepscope_external_event> events_;
  size_t found_ = 0;
};

// What of it became part of the capture, and of how many events. Fewer: the
// last error says why.
std::pair<size_t, size_t> AddTrees(const nb::dict& trees,
                                   const Clocks& since) {
  Collected collected;
  for (const auto& [thread, root] : trees)
    collected.AddTree(nb::cast<uint32_t>(thread), root);
  const stepscope_clock_pair clocks = {since.first, since.second};
  size_t added = 0;
  const GilReleased released;
  stepscope_add_external(collected.events().data(), collected.events().size(),
                         &clocks, &added);
  return {added, collected.found()};
}

}  // namespace

void AddExternal(nb::module_& m) {
  m.def("read_clocks", [] {
    stepscope_clock_pair now = {};
    stepscope_read_clocks(&now);
    return Clocks(now.tick, now.realtime_ns);
  });
  m.def("add_trees", &AddTrees);
}
