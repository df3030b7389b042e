// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/args.h"

#include <stepscope/c.h>

#include "base/json_check.h"
#include "exporters/arrows.h"
#include "exporters/chrome/json_text.h"
#include "exporters/chrome/raw_members.h"

namespace stepscope::chrome {
namespace {

void AppendIntList(std::string& out, const Trace& trace, const Arg& arg) {
  out += '[';
  for (uint32_t i = 0; i < arg.list_count; ++i) {
    if (i > 0) out += ',';
    AppendInt(out, trace.arg_ints()[arg.list_first + i]);
  }
  out += ']';
}

}  // namespace

void AppendArgValue(std::string& out, const Trace& trace, const Arg& arg) {
  switch (arg.kind) {
    case ArgKind::kInt:
      AppendInt(out, arg.int_value);
      break;
    case ArgKind::kDouble:
      AppendDouble(out, arg.double_value);
      break;
    case ArgKind::kText:
      AppendJsonString(out, trace.str(arg.text));
      break;
    case ArgKind::kIntList:
      AppendIntList(out, trace, arg);
      break;
    case ArgKind::kJson:
      if (CheckJson(trace.str(arg.text)) == JsonKind::kInvalid)
        AppendJsonString(out, trace.str(arg.text));
      else
        out += trace.str(arg.text);
      break;
  }
}

void ForEachRawMember(
    std::string_view members,
    const std::function<void(std::string_view, std::string_view)>& add) {
  if (members.empty() || ForEachMember(members, add)) return;
  std::string text(1, '"');
  const bool utf8 = AppendJsonEscaped(text, members);
  text += '"';
  add("raw_args", text);
  if (utf8) return;
  text.assign(1, '"');
  AppendHex(text, members);
  text += '"';
  add("raw_args.bytes", text);
}

void ArgWriter::Append(std::string& out, Row row, std::span<const Arg> args,
                       std::span<const Link> links, bool name_altered) {
  keys_.Clear();
  keys_.Add("start_time");
  keys_.Add("end_time");
  AppendNotes(out, row, args, name_altered);
  const Track& track = trace_.tracks()[trace_.track()[row]];
  bool of_operator = trace_.type()[row] == STEPSCOPE_OPERATOR &&
                     track.kind == TrackKind::kThread;
  for (const Arg& arg : args) AppendOwn(out, arg, of_operator);
  for (const Link& link : links)
    AppendKnown(out, args, LinkKey(link.space), static_cast<int64_t>(link.id));
  if (track.kind == TrackKind::kStream) {
    AppendKnown(out, args, "device", track.device);
    AppendKnown(out, args, "stream", track.id);
  }
  // What the file said beyond what we know, as it said it.
  ForEachRawMember(raw_.Get(row),
                   [&](std::string_view key, std::string_view value) {
                     AppendKey(out, key);
                     out += value;
                   });
  if (style_ == ChromeStyle::kPaddle)
    AppendPaddleDefaults(out, of_operator, track.kind == TrackKind::kStream);
}

// What Paddle writes for every event of a kind, and VisualDL reads unasked.
void ArgWriter::AppendPaddleDefaults(std::string& out, bool of_operator,
                                     bool device) {
  const auto add = [&](std::string_view key, std::string_view value) {
    if (keys_.Contains(key)) return;
    AppendKey(out, key);
    out += value;
  };
  if (device) add("correlation id", "0");
  // torch's word for shapes says more than an empty one of Paddle's.
  if (!of_operator || keys_.Contains("Input Dims")) return;
  add("input_shapes", "{}");
  add("input_dtypes", "{}");
  add("callstack", "\"\"");
}

void ArgWriter::AppendKnown(std::string& out, std::span<const Arg> args,
                            std::string_view key, int64_t value) {
  for (const Arg& arg : args) {
    if (arg.kind == ArgKind::kInt && arg.int_value == value &&
        trace_.str(arg.key) == key)
      return;
  }
  AppendKey(out, key);
  AppendInt(out, value);
}

void ArgWriter::AppendKey(std::string& out, std::string_view key) {
  out += ",\"";
  out += keys_.Add(key);
  out += "\":";
}

void ArgWriter::AppendBytes(std::string& out, std::string_view key,
                            StringId text) {
  AppendKey(out, key);
  out += '"';
  AppendHex(out, trace_.str(text));
  out += '"';
}

void ArgWriter::AppendNotes(std::string& out, Row row,
                            std::span<const Arg> args, bool name_altered) {
  uint16_t flags = trace_.flags()[row];
  auto note = [&](EventFlag flag, std::string_view key) {
    if ((flags & flag) == 0) return;
    AppendKey(out, key);
    out += "true";
  };
  note(kEventOpenAtEnd, "open_at_end");
  note(kEventNameClipped, "name_clipped");
  note(kEventInferred, "inferred");
  StringId name = trace_.name()[row];
  if (name_altered || !names_.EventStart(name).valid)
    AppendBytes(out, "name_bytes", name);
  std::string clipped;
  for (const Arg& arg : args) {
    if (!arg.clipped) continue;
    clipped += clipped.empty() ? "[\"" : ",\"";
    clipped += names_.Text(arg.key).view();
    clipped += '"';
  }
  if (clipped.empty()) return;
  AppendKey(out, "clipped_args");
  out += clipped + "]";
}

void ArgWriter::AppendOwn(std::string& out, const Arg& arg, bool of_operator) {
  EscapedNames::Fragment key = names_.Text(arg.key);
  std::string shown(key.view());
  bool key_valid = key.valid;
  AppendKey(out, shown);
  if (!of_operator || !AppendPaddleValue(out, shown, arg))
    AppendArgValue(out, trace_, arg);
  if (!key_valid) AppendBytes(out, shown + ".key_bytes", arg.key);
  if (arg.kind == ArgKind::kText || arg.kind == ArgKind::kJson) {
    std::string ignored;
    if (!AppendJsonEscaped(ignored, trace_.str(arg.text)))
      AppendBytes(out, shown + ".bytes", arg.text);
  }
}

// Operators carry "input_shapes": {input: [dims, ...]} and "input_dtypes":
// {input: [dtype, ...]}. What was recorded more simply is the input "X".
bool ArgWriter::AppendPaddleValue(std::string& out, std::string_view key,
                                  const Arg& arg) {
  bool shapes = key == "input_shapes";
  if (!shapes && key != "input_dtypes") return false;
  bool text = arg.kind == ArgKind::kText || arg.kind == ArgKind::kJson;
  if (text && CheckJson(trace_.str(arg.text)) == JsonKind::kObject) {
    out += trace_.str(arg.text);
    return true;
  }
  out += R"({"X":[)";
  AppendArgValue(out, trace_, arg);
  out += "]}";
  return true;
}

}  // namespace stepscope::chrome
