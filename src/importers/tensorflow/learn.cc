// SPDX-License-Identifier: Apache-2.0
//
// The part of TfTimeline that finds out what a node's texts say.
#include <stepscope/c.h>

#include "base/text.h"
#include "importers/tensorflow/timeline.h"

namespace stepscope::proto::tf {
namespace {

using Role = DeviceName::Role;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

bool IsTransfer(std::string_view op) {
  return op == "_Send" || op == "_Recv" || op == "_HostSend" ||
         op == "_HostRecv" || op == "RecvTensor" ||
         op.starts_with("Collective") || op.starts_with("Nccl") ||
         op.starts_with("_Nccl");
}

uint16_t StreamType(const TfText& text, std::string_view stream_kind) {
  if (Contains(stream_kind, "Memcpy") || Contains(text.name, "MEMCPY") ||
      Contains(text.label, "MEMCPY") || Contains(text.name, "Memcpy"))
    return STEPSCOPE_MEMCPY;
  if (Contains(text.name, "MEMSET") || Contains(text.label, "MEMSET") ||
      Contains(stream_kind, "Memset"))
    return STEPSCOPE_MEMSET;
  return STEPSCOPE_KERNEL;
}

// The name that receivers have which another worker sends to; their labels
// have a form of their own.
constexpr std::string_view kReceiver = "RecvTensor";

// The label knows better than the graph: some kernels are exchanged after it
// was written.
std::string_view OpOf(const TfText& text, const OpLabel& label) {
  if (text.name == kReceiver) return text.name;
  if (!label.op.empty()) return label.op;
  return text.defined != nullptr ? text.defined->op : std::string_view();
}

}  // namespace

void TfTimeline::NameSpan(const TfDevice& device, TfText& text) {
  text.named = true;
  if (device.parsed.role == Role::kExecutor) {
    text.defined = graph_.Find(device.name, text.name);
    const std::string_view op = OpOf(text, ParseOpLabel(text.label));
    text.span_name = out_.Intern(op.empty() ? text.name : op);
    text.type = IsTransfer(op) ? STEPSCOPE_COMMUNICATION : STEPSCOPE_OPERATOR;
  } else if (device.parsed.role == Role::kSync) {
    text.span_name = out_.Intern(text.name);
    text.type = STEPSCOPE_SYNCHRONIZATION;
  } else {
    text.span_name =
        out_.Intern(ParseKernelLabel(text.name, text.label).kernel);
    text.type = StreamType(text, device.parsed.stream_kind);
  }
}

void TfTimeline::Learn(const TfDevice& device, uint32_t process, TfText& text) {
  text.known = true;
  text.name_id = out_.Intern(text.name);
  args_.Begin();
  args_.AddText(name_key_, text.name);
  if (device.parsed.role == Role::kExecutor) {
    const OpLabel label = ParseOpLabel(text.label);
    const std::string_view op = OpOf(text, label);
    if (!op.empty()) args_.AddText(op_key_, op);
    if (text.name == kReceiver)
      LearnTransfer(text);
    else
      LearnInputs(text.defined != nullptr ? text.defined->inputs : label.inputs,
                  text);
    text.op = step_.ops.Add(text.name_id);
    text.links = args_.NewLinks(process, text.op);
  } else {
    const KernelLabel label = ParseKernelLabel(text.name, text.label);
    if (!text.label.empty()) args_.AddText("label", text.label);
    if (!label.op.empty()) args_.AddText(op_key_, label.op);
    // By the name of the operator: every execution of it has the same id, and
    // the last that began before the work is its launch.
    const uint32_t op = step_.ops.Find(label.node, out_.builder().strings());
    if (op != 0 && device.parsed.role != Role::kSync)
      text.links = args_.NewLinks(process, op);
  }
  args_.End(text);
}

void TfTimeline::LearnTransfer(const TfText& text) {
  const TransferLabel label = ParseTransferLabel(text.label);
  if (label.edge.empty()) {
    args_.AddText("label", text.label);
    return;
  }
  if (label.bytes >= 0) args_.AddInt("bytes", label.bytes);
  args_.AddText("edge", label.edge);
  args_.AddText("from", label.from);
  args_.AddText("to", label.to);
}

void TfTimeline::LearnInputs(const std::vector<std::string_view>& inputs,
                             TfText& text) {
  text.inputs_first = static_cast<uint32_t>(step_.inputs.size());
  text.inputs_count = static_cast<uint32_t>(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    args_.AddText(InputKey(i), inputs[i]);
    step_.inputs.push_back(inputs[i]);
  }
}

StringId TfTimeline::InputKey(size_t number) {
  constexpr size_t kKept = 64;
  if (number < input_keys_.size()) return input_keys_[number];
  const StringId key = out_.Intern(Format("input%zu", number));
  if (number == input_keys_.size() && number < kKept)
    input_keys_.push_back(key);
  return key;
}

}  // namespace stepscope::proto::tf
