// SPDX-License-Identifier: Apache-2.0
#include "exporters/kineto/args.h"

#include "base/json_check.h"
#include "exporters/arrows.h"
#include "exporters/chrome/args.h"
#include "exporters/chrome/json_text.h"
#include "exporters/chrome/raw_members.h"

namespace stepscope::kineto {
namespace {

std::string_view KeyOf(LinkSpace space) {
  return space == LinkSpace::kCorrelation ? "correlation" : LinkKey(space);
}

// Our recorder has lists of inputs as texts.
bool IsListKey(std::string_view key) {
  return key == "Input Dims" || key == "Input type" ||
         key == "Concrete Inputs" || key == "Input Strides";
}

}  // namespace

ArgWriter::ArgWriter(const Trace& trace, const Form& form,
                     chrome::EscapedNames& names, const RangeIds* ids)
    : trace_(trace), form_(form), names_(names), ids_(ids), raw_(trace) {
  if (ids == nullptr) return;
  for (const ForwardBackward& pair : FindForwardBackward(trace))
    forward_threads_[pair.backward] = trace.track()[pair.forward] + 1;
}

void ArgWriter::AppendKey(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  out += '"';
  out += keys_.Add(key);
  out += "\":";
}

void ArgWriter::AppendInt(std::string& out, std::string_view key,
                          int64_t value) {
  if (keys_.Contains(key)) return;
  AppendKey(out, key);
  chrome::AppendInt(out, value);
}

void ArgWriter::AppendOwn(std::string& out, const Arg& arg) {
  const std::string key(names_.Text(arg.key).view());
  AppendKey(out, key);
  const bool list = !form_.from_kineto && arg.kind == ArgKind::kText &&
                    IsListKey(key) &&
                    CheckJson(trace_.str(arg.text)) == JsonKind::kArray;
  if (list)
    out += trace_.str(arg.text);
  else
    chrome::AppendArgValue(out, trace_, arg);
}

// What the file said, byte for byte.
void ArgWriter::AppendRaw(std::string& out, std::string_view members) {
  if (members.empty()) return;
  const bool valid = chrome::ForEachMember(
      members, [&](std::string_view key, std::string_view) { keys_.Add(key); });
  if (valid) {
    if (out.back() != '{') out += ',';
    out += members;
    return;
  }
  chrome::ForEachRawMember(members,
                           [&](std::string_view key, std::string_view value) {
                             AppendKey(out, key);
                             out += value;
                           });
}

void ArgWriter::AppendIds(std::string& out, Row row, Word word) {
  if (word == Word::kPythonFunction) {
    AppendInt(out, "Python id", int64_t{row} + 1);
    return;
  }
  if (const uint64_t id = ids_->IdOf(row, word); id != 0)
    AppendInt(out, "External id", static_cast<int64_t>(id));
  // torch counts them only for its own observer of executions.
  if (form_.as_torch && IsRange(word)) AppendInt(out, "Record function id", 0);
  if (const auto it = forward_threads_.find(row); it != forward_threads_.end())
    AppendInt(out, "Fwd thread id", it->second);
  if (IsRange(word)) AppendInt(out, "Ev Idx", next_index_++);
}

void ArgWriter::Append(std::string& out, Row row, Word word,
                       std::span<const Arg> args, std::span<const Link> links) {
  keys_.Clear();
  for (const Arg& arg : args) AppendOwn(out, arg);
  AppendRaw(out, raw_.Get(row));
  for (const Link& link : links) {
    // Our importer makes these links beside what the file says.
    if (form_.from_kineto && link.space == LinkSpace::kExternal) continue;
    AppendInt(out, KeyOf(link.space), static_cast<int64_t>(link.id));
  }
  const Track& track = trace_.tracks()[trace_.track()[row]];
  if (track.kind == TrackKind::kStream) {
    AppendInt(out, "device", track.device);
    AppendInt(out, "stream", track.id);
  }
  if ((trace_.flags()[row] & kEventOpenAtEnd) != 0 &&
      !keys_.Contains("finished")) {
    AppendKey(out, "finished");
    out += "false";
  }
  if (ids_ != nullptr) AppendIds(out, row, word);
}

}  // namespace stepscope::kineto
