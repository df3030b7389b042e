// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/annotations.h"

#include <bit>
#include <optional>

#include "base/json_text.h"
#include "importers/perfetto/fields.h"

namespace stepscope::pftrace {
namespace {

using proto::Bytes;
using proto::Message;
using Holds = Annotation::Holds;

std::optional<LinkSpace> SpaceOf(std::string_view key) {
  if (key == "correlation id" || key == "correlation")
    return LinkSpace::kCorrelation;
  if (key == "External id") return LinkSpace::kExternal;
  if (key == "graph node id") return LinkSpace::kGraphNode;
  if (key == "Sequence number") return LinkSpace::kSequence;
  return std::nullopt;
}

uint16_t FlagOf(std::string_view key) {
  if (key == "open_at_end") return kEventOpenAtEnd;
  if (key == "name_clipped") return kEventNameClipped;
  if (key == "inferred") return kEventInferred;
  return 0;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool FromHex(std::string_view hex, std::string* out) {
  if (hex.size() % 2 != 0) return false;
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexDigit(hex[i]);
    const int low = HexDigit(hex[i + 1]);
    if (high < 0 || low < 0) return false;
    *out += static_cast<char>(high << 4 | low);
  }
  return true;
}

bool IsObject(std::string_view text) {
  return text.size() >= 2 && text.front() == '{' && text.back() == '}';
}

}  // namespace

Annotation Annotations::Read(Bytes bytes, const Sequence& sequence) const {
  Annotation found;
  found.bytes = bytes;
  const auto number = [&](Holds holds, const Message& message) {
    found.holds = holds;
    found.number = message.value();
  };
  const auto text = [&](Holds holds, const Message& message) {
    found.holds = holds;
    found.text = message.text();
  };
  Message message(bytes);
  while (message.Next()) {
    switch (message.tag()) {
      case tag::kKeyIid:
        found.key_iid =
            sequence.state ? sequence.state->keys.Find(message.value()) : kNone;
        break;
      case tag::kKey:
        found.key = message.text();
        break;
      case tag::kBool:
        number(Holds::kBool, message);
        break;
      case tag::kUint:
        number(Holds::kUint, message);
        break;
      case tag::kInt:
        number(Holds::kInt, message);
        break;
      case tag::kDouble:
        number(Holds::kDouble, message);
        break;
      case tag::kPointer:
        number(Holds::kPointer, message);
        break;
      case tag::kStringIid:
        number(Holds::kTextIid, message);
        break;
      case tag::kString:
        text(Holds::kText, message);
        break;
      case tag::kJson:
        text(Holds::kJson, message);
        break;
      case tag::kNested:
        text(Holds::kNested, message);
        break;
      case tag::kDictEntry:
        found.holds = Holds::kDict;
        break;
      case tag::kArrayValue:
        found.holds = Holds::kArray;
        break;
      case tag::kFacts: {
        Message fact(message.bytes());
        while (fact.Next()) {
          found.plain |= fact.tag() == proto::Varint(facts::kPlain);
          found.clipped |= fact.tag() == proto::Varint(facts::kClipped);
        }
        break;
      }
      default:
        break;
    }
  }
  return found;
}

std::string_view Annotations::KeyOf(const Annotation& annotation) const {
  return annotation.key_iid == kNone
             ? annotation.key
             : out_.builder().strings().view({annotation.key_iid});
}

std::string_view Annotations::TextOf(const Annotation& annotation,
                                     const Sequence& sequence) const {
  if (annotation.holds != Holds::kTextIid) return annotation.text;
  const uint32_t id =
      sequence.state ? sequence.state->texts.Find(annotation.number) : kNone;
  return id == kNone ? std::string_view() : out_.builder().strings().view({id});
}

StringId Annotations::KeyId(const Annotation& annotation) {
  return annotation.key_iid == kNone ? out_.Intern(annotation.key)
                                     : StringId{annotation.key_iid};
}

Annotations::About Annotations::ReadAbout(Bytes event,
                                          const Sequence& sequence) {
  About about;
  Message message(event);
  while (message.Next()) {
    if (message.tag() != tag::kAnnotation) continue;
    const Annotation annotation = Read(message.bytes(), sequence);
    if (annotation.holds == Holds::kBool) {
      about.flags |= FlagOf(KeyOf(annotation));
    } else if (annotation.holds == Holds::kText && !annotation.plain &&
               KeyOf(annotation) == "name_bytes") {
      std::string name;
      if (FromHex(annotation.text, &name)) {
        about.name = out_.Intern(name);
        about.has_name = true;
      }
    }
  }
  return about;
}

bool Annotations::Add(Row row, Bytes event, const Sequence& sequence, bool own,
                      bool more) {
  too_deep_ = false;
  raw_.clear();
  Message message(event);
  while (message.Next())
    if (message.tag() == tag::kAnnotation)
      AddOne(row, Read(message.bytes(), sequence), sequence, own, more);
  if (!raw_.empty()) out_.builder().AddRawArgs(row, raw_);
  return !too_deep_;
}

void Annotations::AddOne(Row row, const Annotation& annotation,
                         const Sequence& sequence, bool own, bool more) {
  TraceBuilder& builder = out_.builder();
  const std::string_view key = KeyOf(annotation);
  const auto typed = [&](ArgKind kind) -> Arg& {
    const StringId id = KeyId(annotation);
    Arg& arg = builder.NewArg(row, id);
    arg.kind = kind;
    arg.clipped = annotation.clipped;
    return arg;
  };
  const auto integer = [&] {
    typed(ArgKind::kInt).int_value = static_cast<int64_t>(annotation.number);
  };
  switch (annotation.holds) {
    case Holds::kInt:
      if (annotation.plain || !AddLink(row, annotation)) integer();
      return;
    case Holds::kUint:
      if (annotation.number > INT64_MAX) break;
      if (!AddLink(row, annotation)) integer();
      return;
    case Holds::kDouble:
      typed(ArgKind::kDouble).double_value =
          std::bit_cast<double>(annotation.number);
      return;
    case Holds::kText:
    case Holds::kTextIid: {
      const std::string_view text = TextOf(annotation, sequence);
      if (own && !annotation.plain) {
        if (key == "name_bytes") return;
        if (key == "args" && IsObject(text) && raw_.empty()) {
          raw_ = text.substr(1, text.size() - 2);
          return;
        }
      }
      const StringId value = out_.Intern(text);
      typed(ArgKind::kText).text = value;
      return;
    }
    case Holds::kJson: {
      if (own && !annotation.plain && key == "args" &&
          IsObject(annotation.text) && raw_.empty()) {
        raw_ = annotation.text.substr(1, annotation.text.size() - 2);
        return;
      }
      AddJson(row, KeyId(annotation), annotation.clipped, annotation.text);
      return;
    }
    case Holds::kBool:
      if (own && FlagOf(key) != 0) return;
      break;
    case Holds::kArray:
    case Holds::kNothing:
      if (AddList(row, annotation)) return;
      break;
    case Holds::kPointer:
    case Holds::kNested:
    case Holds::kDict:
      break;
  }
  std::string json;
  AppendValue(json, annotation, sequence, 0);
  if (more) {
    AddJson(row, KeyId(annotation), false, json);
    return;
  }
  if (!raw_.empty()) raw_ += ", ";
  AppendJsonString(raw_, key, InvalidUtf8::kKeep);
  raw_ += ": ";
  raw_ += json;
}

void Annotations::AddJson(Row row, StringId key, bool clipped,
                          std::string_view json) {
  const StringId value = out_.Intern(json);
  Arg& arg = out_.builder().NewArg(row, key);
  arg.kind = ArgKind::kJson;
  arg.clipped = clipped;
  arg.text = value;
}

bool Annotations::AddLink(Row row, const Annotation& annotation) {
  const auto space = SpaceOf(KeyOf(annotation));
  if (!space) return false;
  links_.push_back({row, *space, annotation.number});
  return true;
}

// An array of integers, which may be empty.
bool Annotations::AddList(Row row, const Annotation& annotation) {
  numbers_.clear();
  Message message(annotation.bytes);
  while (message.Next()) {
    if (message.tag() != tag::kArrayValue) continue;
    Message value(message.bytes());
    if (!value.Next() || value.tag() != tag::kInt) return false;
    numbers_.push_back(value.sint());
    if (value.Next()) return false;
  }
  Arg arg;
  arg.row = row;
  arg.key = KeyId(annotation);
  arg.kind = ArgKind::kIntList;
  arg.clipped = annotation.clipped;
  out_.builder().AddListArg(arg, numbers_);
  return true;
}

}  // namespace stepscope::pftrace
