// SPDX-License-Identifier: Apache-2.0
#include "python/external.h"

#include <nanobind/stl/pair.h>
#include <stepscope/external.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "python/gil.h"
#include "python/node_layout.h"

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

// Not valid if there is no such attribute, or it cannot be converted.
nb::object Get(nb::handle node, const nb::str& key) {
  PyObject* value = PyObject_GetAttr(node.ptr(), key.ptr());
  if (value == nullptr) PyErr_Clear();
  return nb::steal(value);
}

template <typename Integer>
bool GetNumber(nb::handle node, const nb::str& key, Integer* number) {
  const nb::object value = Get(node, key);
  if (!value.is_valid()) return false;
  const nb::object whole = nb::steal(PyNumber_Long(value.ptr()));
  if (whole.is_valid())
    *number = static_cast<Integer>(PyLong_AsLongLong(whole.ptr()));
  if (PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return false;
}

// The events of trees as Paddle's _ProfilerResult.get_data() has them: for each
// thread a root that is no event, and below it nodes with a name, a type, two
// times and children.
class Collected {
 public:
  // Parents come before their children, and what was first comes first.
  void AddTree(uint32_t thread, nb::handle root) {
    thread_ = thread;
    if (const auto layout = FindNodeLayout(Sample(root))) {
      AddFromMemory(*layout, NodeBehind(root.ptr()));
      return;
    }
    std::vector<nb::object> open = Children(root);
    while (!open.empty()) {
      const nb::object node = std::move(open.back());
      open.pop_back();
      AddNode(node);
      for (nb::object& child : Children(node)) open.push_back(std::move(child));
    }
  }

  const std::vector<stepscope_external_event>& events() const {
    return events_;
  }
  size_t found() const { return found_; }

 private:
  static constexpr size_t kSamples = 48;

  // The last one first: as a stack takes them.
  std::vector<nb::object> Children(nb::handle node) const {
    std::vector<nb::object> found;
    const nb::object children = Get(node, attributes_.children);
    if (!children.is_valid() || !nb::isinstance<nb::list>(children))
      return found;
    for (Py_ssize_t i = PyList_Size(children.ptr()); i-- > 0;)
      found.push_back(nb::borrow(PyList_GetItem(children.ptr(), i)));
    return found;
  }

  // False: it is no event.
  bool Read(nb::handle node, NodeSample* read) const {
    const nb::object name = Get(node, attributes_.name);
    Py_ssize_t length = 0;
    const char* text = name.is_valid()
                           ? PyUnicode_AsUTF8AndSize(name.ptr(), &length)
                           : nullptr;
    if (text == nullptr) {
      PyErr_Clear();
      return false;
    }
    read->name.assign(text, static_cast<size_t>(length));
    return GetNumber(node, attributes_.type, &read->type) &&
           GetNumber(node, attributes_.start, &read->start_ns) &&
           GetNumber(node, attributes_.end, &read->end_ns);
  }

  // The last nodes of the tree, as far as they say where things are.
  std::vector<NodeSample> Sample(nb::handle root) {
    std::vector<NodeSample> samples;
    std::vector<nb::object> open = Children(root);
    std::reverse(open.begin(), open.end());
    while (!open.empty() && samples.size() < kSamples) {
      const nb::object node = std::move(open.back());
      open.pop_back();
      NodeSample sample;
      if (!Read(node, &sample)) return {};
      sample.object = node.ptr();
      std::vector<nb::object> children = Children(node);
      for (auto at = children.rbegin(); at != children.rend(); ++at)
        sample.children.push_back(at->ptr());
      samples.push_back(std::move(sample));
      for (nb::object& child : children) open.push_back(std::move(child));
      sampled_.push_back(node);
    }
    for (nb::object& node : open) sampled_.push_back(std::move(node));
    return samples;
  }

  void AddNode(nb::handle node) {
    ++found_;
    NodeSample read;
    if (!Read(node, &read)) return;
    const std::string& name = *names_.insert(std::move(read.name)).first;
    Add(name.data(), name.size(), read.type, read.start_ns, read.end_ns);
  }

  void AddFromMemory(const NodeLayout& layout, const char* root) {
    std::vector<const char*> open;
    const auto open_children = [&](const char* node) {
      const char* const* begin = At<const char* const*>(node, layout.children);
      const char* const* end =
          At<const char* const*>(node, layout.children + sizeof(begin));
      while (end != begin) open.push_back(*--end);
    };
    open_children(root);
    while (!open.empty()) {
      const char* node = open.back();
      open.pop_back();
      ++found_;
      const char* name = At<const char*>(node, 0);
      Add(name, std::strlen(name), At<int32_t>(node, layout.type),
          At<int64_t>(node, layout.start), At<int64_t>(node, layout.end));
      open_children(node);
    }
  }

  template <typename Value>
  static Value At(const char* node, size_t offset) {
    Value value;
    std::memcpy(&value, node + offset, sizeof(value));
    return value;
  }

  // The name has to live as long as the events do.
  void Add(const char* name, size_t length, int32_t type, int64_t start_ns,
           int64_t end_ns) {
    events_.push_back(
        {name, length, static_cast<uint32_t>(type), thread_, start_ns, end_ns});
  }

  const Attributes attributes_;
  uint32_t thread_ = 0;
  std::vector<nb::object> sampled_;        // whose addresses were taken
  std::unordered_set<std::string> names_;  // whose elements do not move
  std::vector<stepscope_external_event> events_;
  size_t found_ = 0;
};

// What of it became part of the capture, and of how many events. Fewer: the
// last error says why.
std::pair<size_t, size_t> AddTrees(const nb::dict& trees, const Clocks& since) {
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
