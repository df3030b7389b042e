// SPDX-License-Identifier: Apache-2.0
#include "analysis/op_shapes.h"

#include <algorithm>
#include <array>

#include "analysis/int_tree.h"
#include "analysis/raw_member.h"

namespace stepscope {
namespace {

constexpr std::string_view kTorchDims = "Input Dims";
constexpr std::string_view kTorchValues = "Concrete Inputs";
constexpr std::string_view kTorchTypes = "Input type";
constexpr std::string_view kPaddleShapes = "input_shapes";
constexpr std::string_view kOutput = "output_shape";
// Our own keys, and Paddle's parameters, by position: what is multiplied
// first, then what it is multiplied with.
constexpr std::array<std::array<std::string_view, 4>, 2> kParameters = {{
    {"input_shape", "x_shape", "X", "Input"},
    {"filter_shape", "weight_shape", "Y", "Filter"},
}};

// A list of lists of numbers; what is no such list has an empty shape.
std::vector<Shape> ShapeList(const IntTree& tree) {
  std::vector<Shape> shapes;
  for (const IntTree& item : tree.items)
    shapes.push_back(item.Numbers().value_or(Shape{}));
  return shapes;
}

// {"X": [[8, 16]], "Y": [[16, 4]]} or {"X": [8, 16], ...}
std::vector<Shape> ByParameter(const IntTree& tree) {
  std::vector<Shape> shapes(kParameters.size());
  bool any = false;
  for (size_t i = 0; i < kParameters.size(); ++i) {
    for (const std::string_view key : kParameters[i]) {
      const IntTree* item = tree.Find(key);
      if (item == nullptr) continue;
      if (item->items.size() == 1 && item->items[0].is_list)
        item = &item->items[0];
      shapes[i] = item->Numbers().value_or(Shape{});
      any = true;
      break;
    }
  }
  if (!any) shapes.clear();
  return shapes;
}

Shape ShapeOf(const Trace& trace, const Arg& arg) {
  const auto first =
      trace.arg_ints().begin() + static_cast<ptrdiff_t>(arg.list_first);
  return {first, first + static_cast<ptrdiff_t>(arg.list_count)};
}

// One of our own keys: where its list belongs.
void AddList(const Trace& trace, const Arg& arg, std::string_view key,
             OpShapes& shapes) {
  if (key == kOutput) shapes.output = ShapeOf(trace, arg);
  for (size_t i = 0; i < kParameters.size(); ++i) {
    const auto& keys = kParameters[i];
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    if (shapes.inputs.size() <= i) shapes.inputs.resize(i + 1);
    shapes.inputs[i] = ShapeOf(trace, arg);
  }
}

// One of the others' keys, whose value is JSON.
void AddText(std::string_view key, std::string_view json, OpShapes& shapes) {
  const bool dims = key == kTorchDims;
  if (json.empty() || (!dims && key != kTorchValues && key != kPaddleShapes))
    return;
  const std::optional<IntTree> tree = ParseIntTree(json);
  if (!tree) return;
  if (key == kTorchValues) {
    for (const IntTree& item : tree->items) shapes.values.push_back(item.text);
    return;
  }
  shapes.inputs = dims ? ShapeList(*tree) : ByParameter(*tree);
  shapes.text = json;
}

std::string ShapeText(const Shape& shape) {
  std::string text = "[";
  for (const int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

}  // namespace

const Shape& OpShapes::input(size_t i) const {
  static const Shape kNone;
  return i < inputs.size() ? inputs[i] : kNone;
}

OpShapes ShapesOf(const Trace& trace, Row row, std::string_view raw) {
  OpShapes shapes;
  for (const Arg& arg : trace.args_of(row)) {
    const std::string_view key = trace.str(arg.key);
    if (arg.kind == ArgKind::kIntList)
      AddList(trace, arg, key, shapes);
    else if (arg.kind == ArgKind::kJson || arg.kind == ArgKind::kText)
      AddText(key, trace.str(arg.text), shapes);
  }
  if (!raw.empty())
    for (const std::string_view key : {kTorchDims, kTorchValues, kPaddleShapes})
      AddText(key, RawMember(raw, key), shapes);
  if (shapes.text.empty() && shapes.known())
    for (const Shape& shape : shapes.inputs) shapes.text += ShapeText(shape);
  return shapes;
}

std::vector<std::string> InputTypesOf(const Trace& trace, Row row,
                                      std::string_view raw) {
  std::string_view json = raw.empty() ? "" : RawMember(raw, kTorchTypes);
  for (const Arg& arg : trace.args_of(row))
    if ((arg.kind == ArgKind::kJson || arg.kind == ArgKind::kText) &&
        trace.str(arg.key) == kTorchTypes)
      json = trace.str(arg.text);
  std::vector<std::string> types;
  const std::optional<IntTree> tree =
      json.empty() ? std::nullopt : ParseIntTree(json);
  if (tree)
    for (const IntTree& item : tree->items) types.push_back(item.text);
  return types;
}

}  // namespace stepscope
