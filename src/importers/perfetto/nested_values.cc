// SPDX-License-Identifier: Apache-2.0
//
// Values of annotations as JSON.
#include <bit>
#include <charconv>
#include <cmath>

#include "base/json_text.h"
#include "base/text.h"
#include "importers/perfetto/annotations.h"
#include "importers/perfetto/fields.h"

namespace stepscope::pftrace {
namespace {

using proto::Bytes;
using proto::Message;
using Holds = Annotation::Holds;

// With the exact bytes, whatever they are: the raw arguments keep them.
void AppendRawString(std::string& out, std::string_view bytes) {
  stepscope::AppendJsonString(out, bytes, InvalidUtf8::kKeep);
}

void AppendDouble(std::string& out, double value) {
  if (!std::isfinite(value)) {
    AppendRawString(out, std::isnan(value) ? "NaN"
                         : value > 0       ? "Infinity"
                                           : "-Infinity");
    return;
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end.ptr);
}

}  // namespace

void Annotations::AppendValue(std::string& out, const Annotation& annotation,
                              const Sequence& sequence, int depth) {
  switch (annotation.holds) {
    case Holds::kNothing:
      out += "null";
      return;
    case Holds::kBool:
      out += annotation.number != 0 ? "true" : "false";
      return;
    case Holds::kUint:
      out += std::to_string(annotation.number);
      return;
    case Holds::kInt:
      out += std::to_string(static_cast<int64_t>(annotation.number));
      return;
    case Holds::kDouble:
      AppendDouble(out, std::bit_cast<double>(annotation.number));
      return;
    case Holds::kText:
    case Holds::kTextIid:
      AppendRawString(out, TextOf(annotation, sequence));
      return;
    case Holds::kPointer:
      out += Format("\"0x%llx\"",
                    static_cast<unsigned long long>(annotation.number));
      return;
    case Holds::kJson:
      // It may be no JSON, and then others would be none either.
      AppendRawString(out, annotation.text);
      return;
    case Holds::kNested:
      AppendNested(out,
                   {reinterpret_cast<const uint8_t*>(annotation.text.data()),
                    annotation.text.size()},
                   depth + 1);
      return;
    case Holds::kDict:
    case Holds::kArray:
      break;
  }
  if (depth >= kMaxDepth) {
    too_deep_ = true;
    out += "null";
    return;
  }
  const bool dict = annotation.holds == Holds::kDict;
  const uint32_t wanted = dict ? tag::kDictEntry : tag::kArrayValue;
  out += dict ? '{' : '[';
  bool first = true;
  Message message(annotation.bytes);
  while (message.Next()) {
    if (message.tag() != wanted) continue;
    const Annotation inner = Read(message.bytes(), sequence);
    if (!first) out += ", ";
    first = false;
    if (dict) {
      AppendRawString(out, KeyOf(inner));
      out += ": ";
    }
    AppendValue(out, inner, sequence, depth + 1);
  }
  out += dict ? '}' : ']';
}

// Keys and values of a dictionary stand apart, in the same order.
void Annotations::AppendNested(std::string& out, Bytes value, int depth) {
  if (depth >= kMaxDepth) {
    too_deep_ = true;
    out += "null";
    return;
  }
  std::vector<std::string_view> keys;
  std::vector<Bytes> entries, items;
  std::string scalar = "null";
  Message message(value);
  while (message.Next()) {
    switch (message.tag()) {
      case tag::kNestedKey:
        keys.push_back(message.text());
        break;
      case tag::kNestedEntry:
        entries.push_back(message.bytes());
        break;
      case tag::kNestedItem:
        items.push_back(message.bytes());
        break;
      case tag::kNestedInt:
        scalar = std::to_string(message.sint());
        break;
      case tag::kNestedDouble:
        scalar.clear();
        AppendDouble(scalar, message.real());
        break;
      case tag::kNestedBool:
        scalar = message.value() != 0 ? "true" : "false";
        break;
      case tag::kNestedString:
        scalar.clear();
        AppendRawString(scalar, message.text());
        break;
      default:
        break;
    }
  }
  if (entries.empty() && items.empty()) {
    out += scalar;
    return;
  }
  const bool dict = !entries.empty();
  out += dict ? '{' : '[';
  for (size_t i = 0; i < (dict ? entries : items).size(); ++i) {
    if (i > 0) out += ", ";
    if (dict) {
      AppendRawString(out, i < keys.size() ? keys[i] : std::string_view());
      out += ": ";
    }
    AppendNested(out, dict ? entries[i] : items[i], depth + 1);
  }
  out += dict ? '}' : ']';
}

}  // namespace stepscope::pftrace
