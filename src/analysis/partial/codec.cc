// SPDX-License-Identifier: Apache-2.0
#include "analysis/partial/codec.h"

#include <utility>
#include <vector>

#include "analysis/partial/fields.h"
#include "base/hash.h"
#include "base/lz.h"
#include "base/text.h"

namespace stepscope {
namespace {

// A line of text and zero: no text file is taken for a partial, nor a partial
// that was sent as text for a whole one.
constexpr std::string_view kMagic("sspart\r\n", 8);
constexpr size_t kSectionHead = 24;  // plain bytes, packed bytes, hash
constexpr size_t kFileHead = kMagic.size() + 8;
// No rank has so much; a damaged length is not believed.
constexpr uint64_t kLargest = uint64_t{1} << 30;

void PutNumber(uint64_t value, std::string& out) {
  for (unsigned i = 0; i < 64; i += 8)
    out += static_cast<char>(value >> i & 0xff);
}

uint64_t NumberAt(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i)
    value |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

void PutSection(const std::string& plain, std::string& out) {
  const std::vector<uint8_t> packed =
      LzPack({reinterpret_cast<const uint8_t*>(plain.data()), plain.size()});
  const std::string_view text(reinterpret_cast<const char*>(packed.data()),
                              packed.size());
  PutNumber(plain.size(), out);
  PutNumber(packed.size(), out);
  PutNumber(Hash64(text) ^ plain.size(), out);
  out += text;
}

Error Damaged(size_t at, std::string_view what) {
  return Fail(ErrorCode::kCorrupt,
              "byte " + std::to_string(at) + ": " + std::string(what));
}

struct Section {
  std::string_view packed;
  size_t plain_size = 0;
  size_t end = 0;  // of the file's bytes
};

// The section at `at`, its checksum compared.
Result<Section> FindSection(std::string_view bytes, size_t at) {
  if (bytes.size() - at < kSectionHead)
    return Damaged(bytes.size(), "the partial is cut short");
  const uint64_t plain_size = NumberAt(bytes, at);
  const uint64_t packed_size = NumberAt(bytes, at + 8);
  const uint64_t hash = NumberAt(bytes, at + 16);
  const size_t first = at + kSectionHead;
  if (plain_size > kLargest || packed_size > kLargest)
    return Damaged(at, "a length that no partial has");
  if (packed_size > bytes.size() - first)
    return Damaged(bytes.size(), "the partial is cut short");
  Section section;
  section.packed = bytes.substr(first, static_cast<size_t>(packed_size));
  section.plain_size = static_cast<size_t>(plain_size);
  section.end = first + section.packed.size();
  if (Hash64(section.packed) != (hash ^ plain_size))
    return Damaged(first, "the checksum is not that of the bytes");
  return section;
}

// Its bytes; `at` is moved behind it.
Result<std::string> TakeSection(std::string_view bytes, size_t& at) {
  STEPSCOPE_TRY_ASSIGN(const Section section, FindSection(bytes, at));
  std::string plain(section.plain_size, '\0');
  if (!LzUnpack({reinterpret_cast<const uint8_t*>(section.packed.data()),
                 section.packed.size()},
                {reinterpret_cast<uint8_t*>(plain.data()), plain.size()}))
    return Damaged(at, "the bytes cannot be unpacked");
  at = section.end;
  return plain;
}

Status CheckFileHead(std::string_view bytes) {
  if (!IsPartial(bytes)) return Damaged(0, "not a partial of stepscope map");
  if (bytes.size() < kFileHead)
    return Damaged(bytes.size(), "the partial is cut short");
  const uint64_t version = NumberAt(bytes, kMagic.size());
  if (version == kPartialVersion) return Ok();
  return Damaged(
      kMagic.size(),
      Format("partial of version %llu, expected %u: run stepscope "
             "map again",
             static_cast<unsigned long long>(version), kPartialVersion));
}

// What refers to processes and sources refers to some that are there.
bool RefersToSomething(const PartialBody& body) {
  const auto in = [](const auto& list, auto index, size_t size) {
    for (const auto& one : list)
      if (index(one) >= size) return false;
    return true;
  };
  const size_t processes = body.processes.size();
  const auto process = [](const auto& one) { return one.process; };
  return in(body.devices, process, processes) &&
         in(body.waterfall.steps, process, processes) &&
         in(body.idle_devices, process, processes) &&
         in(
             body.processes,
             [](const PartialProcess& one) { return one.source; },
             body.sources.size());
}

template <typename Take>
Status ReadSection(std::string_view bytes, size_t& at, Take take) {
  const size_t begin = at;
  STEPSCOPE_TRY_ASSIGN(const std::string plain, TakeSection(bytes, at));
  PartialReader reader(plain);
  PartialFields fields(reader);
  take(fields);
  if (reader.done()) return Ok();
  return Damaged(begin, "the fields are not those of a partial");
}

}  // namespace

std::string EncodePartial(const Partial& partial) {
  Partial copy = partial;  // fields are handed out for reading and writing
  std::string out(kMagic);
  PutNumber(kPartialVersion, out);
  PartialWriter head;
  PartialFields(head).Head(copy.head);
  PutSection(head.Take(), out);
  PartialWriter body;
  PartialFields(body).Body(copy.body);
  PutSection(body.Take(), out);
  return out;
}

bool IsPartial(std::string_view begin) { return begin.starts_with(kMagic); }

Result<PartialHead> CheckPartial(std::string_view bytes) {
  STEPSCOPE_TRY(CheckFileHead(bytes));
  PartialHead head;
  size_t at = kFileHead;
  STEPSCOPE_TRY(
      ReadSection(bytes, at, [&](auto& fields) { fields.Head(head); }));
  STEPSCOPE_TRY_ASSIGN(const Section body, FindSection(bytes, at));
  if (body.end != bytes.size())
    return Damaged(body.end, "bytes behind the end of the partial");
  return head;
}

Result<Partial> DecodePartial(std::string_view bytes) {
  STEPSCOPE_TRY(CheckFileHead(bytes));
  Partial partial;
  size_t at = kFileHead;
  STEPSCOPE_TRY(
      ReadSection(bytes, at, [&](auto& fields) { fields.Head(partial.head); }));
  STEPSCOPE_TRY(
      ReadSection(bytes, at, [&](auto& fields) { fields.Body(partial.body); }));
  if (at != bytes.size())
    return Damaged(at, "bytes behind the end of the partial");
  if (!RefersToSomething(partial.body))
    return Damaged(kFileHead, "the fields are not those of a partial");
  return partial;
}

}  // namespace stepscope
