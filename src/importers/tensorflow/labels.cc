// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/labels.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace stepscope::proto::tf {
namespace {

using Role = DeviceName::Role;

constexpr std::string_view kDataTypes[] = {"",
                                           "float32",
                                           "float64",
                                           "int32",
                                           "uint8",
                                           "int16",
                                           "int8",
                                           "string",
                                           "complex64",
                                           "int64",
                                           "bool",
                                           "qint8",
                                           "quint8",
                                           "qint32",
                                           "bfloat16",
                                           "qint16",
                                           "quint16",
                                           "uint16",
                                           "complex128",
                                           "float16",
                                           "resource",
                                           "variant",
                                           "uint32",
                                           "uint64",
                                           "float8_e5m2",
                                           "float8_e4m3fn",
                                           "",
                                           "",
                                           "",
                                           "int4",
                                           "uint4"};
constexpr uint64_t kFirstReferenceType = 100;

bool ParseInt(std::string_view text, int64_t* out) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

// "GPU" and 0 of ".../device:GPU:0" or, of 2016, ".../gpu:0".
void ParseBase(std::string_view base, DeviceName* out) {
  const size_t last = base.rfind(':');
  if (last == base.npos || !ParseInt(base.substr(last + 1), &out->number))
    return;
  base = base.substr(0, last);
  const std::string_view type = base.substr(base.find_last_of(":/") + 1);
  out->type = type == "gpu" ? "GPU" : type == "cpu" ? "CPU" : type;
}

}  // namespace

OpLabel ParseOpLabel(std::string_view label) {
  OpLabel result;
  // Older senders lack the closing parenthesis.
  size_t close = label.rfind(')');
  if (close == label.npos) close = label.size();
  const size_t open = label.substr(0, close).rfind('(');
  if (open == label.npos) return result;
  const size_t equals = label.substr(0, open).rfind(" = ");
  if (equals == label.npos) return result;
  result.op = label.substr(equals + 3, open - equals - 3);
  std::string_view inputs = label.substr(open + 1, close - open - 1);
  while (!inputs.empty()) {
    const size_t end = std::min(inputs.find(", "), inputs.size());
    // A sender names the device behind the tensor: "x @/job:..".
    const std::string_view input = inputs.substr(0, end);
    const size_t at = std::min(input.find(" @"), input.size());
    result.inputs.push_back(Trimmed(input.substr(0, at)));
    inputs.remove_prefix(std::min(end + 2, inputs.size()));
  }
  return result;
}

KernelLabel ParseKernelLabel(std::string_view node_name,
                             std::string_view label) {
  KernelLabel result;
  std::string_view annotation = node_name;
  const size_t at = label.find("@@");
  const size_t hash = label.find('#');
  if (at != label.npos && hash != label.npos && at + 2 < hash)
    annotation = label.substr(at + 2, hash - at - 2);
  const size_t colon = annotation.find(':');
  if (colon != annotation.npos) {
    result.node = annotation.substr(0, colon);
    const std::string_view rest = annotation.substr(colon + 1);
    result.op = rest.substr(0, rest.find(':'));
  }
  const size_t end =
      std::min({label.find(" regs:"), label.find(" grid:"), at, label.size()});
  result.kernel = Trimmed(label.substr(0, end));
  // A label without any of these may be a text of another kind.
  if (result.kernel.empty() || end == label.size())
    result.kernel = result.kernel.empty() ? node_name : result.kernel;
  return result;
}

TransferLabel ParseTransferLabel(std::string_view label) {
  TransferLabel result;
  if (label.starts_with('[')) {
    const size_t end = label.find(']');
    if (end == label.npos) return result;
    std::string_view size = label.substr(1, end - 1);
    if (size.ends_with('B')) size.remove_suffix(1);
    if (!ParseInt(size, &result.bytes)) result.bytes = -1;
    label = Trimmed(label.substr(end + 1));
  }
  const size_t from = label.find(" from ");
  const size_t to = from == label.npos ? from : label.find(" to ", from);
  if (to == label.npos) return result;
  result.edge = label.substr(0, from);
  result.from = label.substr(from + 6, to - from - 6);
  result.to = label.substr(to + 4);
  return result;
}

InputName ParseInput(std::string_view input) {
  if (input.starts_with('^')) return {input.substr(1), -1};
  const size_t colon = input.rfind(':');
  int64_t slot = 0;
  if (colon != input.npos && ParseInt(input.substr(colon + 1), &slot) &&
      slot >= 0)
    return {input.substr(0, colon), slot};
  return {input, 0};
}

DeviceName ParseDevice(std::string_view name) {
  constexpr std::string_view kStream = "/stream:";
  DeviceName result;
  size_t end = name.rfind(kStream);
  if (end != name.npos) {
    std::string_view stream = name.substr(end + kStream.size());
    if (const size_t angle = stream.find('<'); angle != stream.npos) {
      result.stream_kind = stream.substr(angle + 1);
      if (result.stream_kind.ends_with('>'))
        result.stream_kind.remove_suffix(1);
      stream = stream.substr(0, angle);
    }
    result.role = stream == "all" ? Role::kAllStreams : Role::kStream;
    if (!ParseInt(stream, &result.stream)) result.stream = -1;
  } else if (name.ends_with("/memcpy")) {
    result.role = Role::kCopies;
    end = name.rfind('/');
  } else if (name.ends_with("/sync")) {
    result.role = Role::kSync;
    end = name.rfind('/');
  }
  result.base = name.substr(0, end);
  ParseBase(result.base, &result);
  return result;
}

std::string_view DataTypeName(uint64_t type) {
  if (type > kFirstReferenceType) type -= kFirstReferenceType;
  return type < std::size(kDataTypes) ? kDataTypes[type] : "";
}

}  // namespace stepscope::proto::tf
