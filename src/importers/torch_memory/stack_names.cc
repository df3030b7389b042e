// SPDX-License-Identifier: Apache-2.0
#include "importers/torch_memory/stack_names.h"

#include <span>
#include <string_view>

#include "base/json_text.h"

namespace stepscope::torch_memory {
namespace {

std::span<const uint32_t> FramesOf(const SnapshotReader& reader,
                                   uint32_t stack) {
  const Stack& s = reader.stacks[stack];
  return std::span(reader.stack_frames).subspan(s.first, s.count);
}

bool IsPython(std::string_view file) {
  return file.ends_with(".py") || file.starts_with('<');
}

bool IsTorch(std::string_view file) {
  return file.starts_with("torch/") || file.find("/torch/") != file.npos ||
         file.find("/contextlib.py") != file.npos;
}

// "at::_ops::mm::call(...)" is aten::mm.
std::string_view OperatorOf(std::string_view function) {
  constexpr std::string_view kMark = "at::_ops::";
  const size_t at = function.find(kMark);
  if (at == function.npos) return {};
  const std::string_view rest = function.substr(at + kMark.size());
  const size_t end = rest.find("::");
  return end == rest.npos ? std::string_view() : rest.substr(0, end);
}

std::string LineText(std::string_view file, int64_t line) {
  return std::string(file) + ":" + std::to_string(line);
}

}  // namespace

StackNames::StackNames(const SnapshotReader& reader, const StringPool& strings,
                       uint32_t stack)
    : reader_(reader), strings_(strings), stack_(stack) {
  const Frame* python = nullptr;
  const Frame* own = nullptr;
  const Frame* first = nullptr;
  std::string_view op;
  for (const uint32_t i : FramesOf(reader, stack)) {
    const Frame& frame = reader.frames[i];
    const std::string_view file = strings.view(frame.file);
    // The outermost call of an operator is what the program asked for.
    if (python == nullptr)
      if (const auto called = OperatorOf(strings.view(frame.function));
          !called.empty())
        op = called;
    if (first == nullptr) first = &frame;
    if (!IsPython(file)) continue;
    if (python == nullptr) python = &frame;
    if (own == nullptr && !IsTorch(file)) own = &frame;
  }
  const Frame* const line = own != nullptr ? own : python;
  if (line != nullptr) line_ = LineText(strings.view(line->file), line->line);
  const Frame* const named = python != nullptr ? python : first;
  if (!op.empty())
    name_ = "aten::" + std::string(op);
  else if (named != nullptr)
    name_ = std::string(strings.view(named->function)) + " (" +
            LineText(strings.view(named->file), named->line) + ")";
}

std::string StackNames::FramesJson() const {
  std::string json = "\"frames\": [";
  bool first = true;
  for (const uint32_t i : FramesOf(reader_, stack_)) {
    const Frame& frame = reader_.frames[i];
    if (!first) json += ", ";
    first = false;
    AppendJsonString(json, std::string(strings_.view(frame.function)) + " (" +
                               LineText(strings_.view(frame.file), frame.line) +
                               ")");
  }
  return json + "]";
}

}  // namespace stepscope::torch_memory
