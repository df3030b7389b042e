// SPDX-License-Identifier: Apache-2.0
#include "exporters/perfetto/annotations.h"

#include "base/json_check.h"
#include "base/utf8.h"
#include "exporters/arrows.h"
#include "exporters/chrome/json_text.h"
#include "exporters/perfetto/facts.h"

namespace stepscope::perfetto {
namespace {

using proto::Message;

// Keys under which this file puts what is no argument.
bool IsReserved(std::string_view key) {
  if (key == "args" || key == "name_bytes") return true;
  for (const LinkSpace space : {LinkSpace::kCorrelation, LinkSpace::kExternal,
                                LinkSpace::kGraphNode, LinkSpace::kSequence})
    if (key == LinkKey(space)) return true;
  return false;
}

}  // namespace

void Annotations::Append(Message& event, Row row, std::span<const Arg> args,
                         std::span<const Link> links) {
  const uint16_t flags = trace_.flags()[row];
  const auto note = [&](EventFlag flag, std::string_view key) {
    if ((flags & flag) == 0) return;
    annotation_.Clear();
    annotation_.Uint(kAnnotationNameIid, packets_.KeyIid(key));
    annotation_.Uint(kBoolValue, 1);
    event.Sub(kDebugAnnotations, annotation_);
  };
  note(kEventOpenAtEnd, "open_at_end");
  note(kEventNameClipped, "name_clipped");
  note(kEventInferred, "inferred");
  if (!packets_.IsValid(trace_.name()[row])) {
    std::string hex;
    chrome::AppendHex(hex, trace_.str(trace_.name()[row]));
    AppendText(event, packets_.KeyIid(std::string_view("name_bytes")), hex);
  }
  for (const Arg& arg : args) AppendArg(event, arg);
  for (const Link& link : links) {
    annotation_.Clear();
    annotation_.Uint(kAnnotationNameIid, packets_.KeyIid(LinkKey(link.space)));
    annotation_.Uint(kIntValue, link.id);
    event.Sub(kDebugAnnotations, annotation_);
  }
  const std::string_view raw = raw_.Get(row);
  if (raw.empty()) return;
  std::string object(1, '{');
  object += raw;
  object += '}';
  annotation_.Clear();
  annotation_.Uint(kAnnotationNameIid,
                   packets_.KeyIid(std::string_view("args")));
  const bool json = CheckJson(object) == JsonKind::kObject;
  std::string text;
  AppendValidUtf8(text, object);
  annotation_.Text(json ? kLegacyJson : kStringValue, text);
  event.Sub(kDebugAnnotations, annotation_);
}

void Annotations::AppendText(Message& event, uint64_t key,
                             std::string_view text) {
  annotation_.Clear();
  annotation_.Uint(kAnnotationNameIid, key).Text(kStringValue, text);
  event.Sub(kDebugAnnotations, annotation_);
}

void Annotations::AppendArg(Message& event, const Arg& arg) {
  const uint64_t key = packets_.KeyIid(arg.key);
  annotation_.Clear();
  annotation_.Uint(kAnnotationNameIid, key);
  std::string text;
  switch (arg.kind) {
    case ArgKind::kInt:
      annotation_.Int(kIntValue, arg.int_value);
      break;
    case ArgKind::kDouble:
      annotation_.Double(kDoubleValue, arg.double_value);
      break;
    case ArgKind::kText:
      AppendValidUtf8(text, trace_.str(arg.text));
      annotation_.Text(kStringValue, text);
      break;
    case ArgKind::kJson: {
      const bool json = CheckJson(trace_.str(arg.text)) != JsonKind::kInvalid;
      AppendValidUtf8(text, trace_.str(arg.text));
      annotation_.Text(json ? kLegacyJson : kStringValue, text);
      break;
    }
    case ArgKind::kIntList: {
      Message value;
      for (uint32_t i = 0; i < arg.list_count; ++i) {
        value.Clear();
        value.Int(kIntValue, trace_.arg_ints()[arg.list_first + i]);
        annotation_.Sub(kArrayValues, value);
      }
      break;
    }
  }
  const bool reserved = IsReserved(trace_.str(arg.key));
  if (arg.clipped || reserved) {
    Message says;
    if (reserved) says.Uint(facts::kPlain, 1);
    if (arg.clipped) says.Uint(facts::kClipped, 1);
    annotation_.Sub(facts::kFacts, says);
  }
  event.Sub(kDebugAnnotations, annotation_);
}

}  // namespace stepscope::perfetto
