// SPDX-License-Identifier: Apache-2.0
#include "server/events/callers.h"

#include <stepscope/c.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/kinds.h"
#include "analysis/module_names.h"
#include "analysis/tables/python.h"
#include "analysis/views/event_argument.h"
#include "server/events/event_relations.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostModules = 12;
constexpr const char* kInside = " \u203a ";

// "train.py:54, step"; empty: the name says no line.
std::string PlaceText(std::string_view name) {
  const PythonName python = ParsePythonName(name);
  if (!python.line) return {};
  return std::string(python.file) + ":" + std::to_string(*python.line) + ", " +
         std::string(python.function);
}

// The first of the stack that torch writes into operators, innermost first.
std::string StackText(const Trace& trace, Row row) {
  const std::string raw = trace.raw_args(row);
  for (const char* key : {"Call stack", "call_stack"}) {
    const std::string stack = ArgumentText(trace, row, raw, key);
    if (!stack.empty()) return PlaceText(stack.substr(0, stack.find(';')));
  }
  return {};
}

}  // namespace

std::vector<EventFact> CallersOf(const EventTree& tree, Row row) {
  const Trace& trace = tree.trace();
  if (IsDeviceWork(trace.type()[row])) row = LaunchOf(tree, row);
  std::vector<std::string_view> modules;  // innermost first
  std::string place;
  std::string stated;
  for (Row at = row; at != kNoRow; at = tree.parent(at)) {
    const std::string_view name = trace.str(trace.name()[at]);
    if (trace.type()[at] == STEPSCOPE_PYTHON_FUNCTION) {
      const std::string_view module = ModuleIn(name);
      if (at != row && !module.empty()) modules.push_back(module);
      if (at != row && place.empty()) place = PlaceText(name);
    } else if (stated.empty()) {
      stated = StackText(trace, at);
    }
  }
  std::vector<EventFact> facts;
  if (!modules.empty()) {
    std::string path;
    if (modules.size() > kMostModules) {
      modules.resize(kMostModules);
      path = "\u2026";
    }
    for (auto module = modules.rbegin(); module != modules.rend(); ++module)
      path += (path.empty() ? "" : kInside) + std::string(*module);
    facts.push_back({"Module", std::move(path)});
  }
  if (place.empty()) place = std::move(stated);
  if (!place.empty()) facts.push_back({"Python", std::move(place)});
  return facts;
}

}  // namespace stepscope::server
