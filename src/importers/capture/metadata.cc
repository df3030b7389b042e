// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/metadata.h"

#include <charconv>
#include <cstring>

namespace stepscope::capture {
namespace {

// Takes a T off the front; false if there is none.
template <typename T>
bool Take(Bytes& bytes, T* value) {
  if (bytes.size() < sizeof(T)) return false;
  std::memcpy(value, bytes.data(), sizeof(T));
  bytes = bytes.subspan(sizeof(T));
  return true;
}

std::string_view Text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool Metadata::AddProcess(Bytes payload) {
  while (!payload.empty()) {
    uint32_t key_bytes = 0;
    uint32_t value_bytes = 0;
    if (!Take(payload, &key_bytes) || !Take(payload, &value_bytes) ||
        payload.size() < uint64_t{key_bytes} + value_bytes)
      return false;
    const std::string_view all = Text(payload);
    process.emplace_back(all.substr(0, key_bytes),
                         all.substr(key_bytes, value_bytes));
    payload = payload.subspan(size_t{key_bytes} + value_bytes);
  }
  return true;
}

bool Metadata::AddClock(Bytes payload) {
  format::ClockHeader header = {};
  if (!Take(payload, &header)) return false;
  clock_kind = static_cast<format::ClockKind>(header.kind);
  if (header.nominal_hz != 0) nominal_hz = header.nominal_hz;
  for (uint32_t i = 0; i < header.count; ++i) {
    format::Anchor anchor = {};
    if (!Take(payload, &anchor)) return false;
    anchors.push_back(anchor);
  }
  return true;
}

bool Metadata::AddNames(Bytes payload) {
  while (!payload.empty()) {
    format::NameRecord record = {};
    if (!Take(payload, &record) || record.length > payload.size()) return false;
    sites.Add(record, Text(payload.first(record.length)));
    // The padding may be missing behind the last one.
    const uint64_t padded =
        format::NameRecordBytes(record.length) - sizeof(record);
    payload = payload.subspan(
        padded < payload.size() ? static_cast<size_t>(padded) : payload.size());
  }
  return true;
}

bool Metadata::AddThreads(Bytes payload, size_t entry_bytes) {
  while (payload.size() >= entry_bytes) {
    format::ThreadEntry entry;
    std::memcpy(&entry, payload.data(), sizeof(entry));
    payload = payload.subspan(entry_bytes);
    threads[entry.uid] = entry;
  }
  return payload.empty();
}

bool Metadata::AddUsage(Bytes payload) {
  format::UsageSample sample = {};
  while (Take(payload, &sample)) usage.push_back(sample);
  return payload.empty();
}

bool Metadata::AddEnd(Bytes payload) {
  format::EndRecord record = {};
  if (!Take(payload, &record)) return false;
  end = record;
  return true;
}

std::optional<std::string_view> Metadata::Find(std::string_view key) const {
  for (auto it = process.rbegin(); it != process.rend(); ++it)
    if (it->first == key) return it->second;
  return std::nullopt;
}

std::optional<int64_t> Metadata::FindInt(std::string_view key) const {
  const std::optional<std::string_view> text = Find(key);
  if (!text) return std::nullopt;
  int64_t value = 0;
  const auto [end_of_number, error] =
      std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end_of_number != text->data() + text->size())
    return std::nullopt;
  return value;
}

}  // namespace stepscope::capture
