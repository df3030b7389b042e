// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/allocator_history.h"

#include <stepscope/external.h>
#include <stepscope/plugin.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "format/block.h"
#include "importers/capture/history_join.h"
#include "importers/torch_memory/history.h"
#include "importers/torch_memory/pickle.h"
#include "importers/torch_memory/snapshot_reader.h"

namespace stepscope::capture {
namespace {

// No file of a process is larger; what states more is damaged.
constexpr uint64_t kMostBytes = uint64_t{16} << 30;

template <typename Record>
bool ReadRecord(std::span<const uint8_t> bytes, Record* record) {
  if (bytes.size() < sizeof(Record)) return false;
  std::memcpy(record, bytes.data(), sizeof(Record));
  return true;
}

class BytesInMemory : public torch_memory::ByteReader {
 public:
  BytesInMemory(std::span<const uint8_t> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    const size_t size = std::min(out.size(), bytes_.size());
    if (size > 0) std::memcpy(out.data(), bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return size;
  }
  const std::string& path() const override { return name_; }

 private:
  std::span<const uint8_t> bytes_;
  const std::string name_;
};

// The history as a trace of its own.
Result<History> ReadHistory(std::span<const uint8_t> bytes) {
  TraceBuilder builder;
  torch_memory::SnapshotReader reader(builder);
  BytesInMemory input(bytes, "the history of torch's allocator");
  torch_memory::Pickle pickle(input, builder.strings(), reader);
  STEPSCOPE_TRY_ASSIGN(const torch_memory::Value whole,
                       pickle.Read([] { return true; }));
  if (!reader.Finish(whole))
    return Fail(ErrorCode::kCorrupt,
                input.path() + ": a pickle of something else");
  torch_memory::FinishHistory(reader, builder);
  STEPSCOPE_TRY_ASSIGN(auto trace, builder.Finish());
  return History{std::move(trace), reader.has_times};
}

}  // namespace

bool AllocatorHistory::IsPart(std::span<const uint8_t> head) {
  stepscope_record_head record = {};
  return head.size() >= sizeof(format::DeviceHeader) &&
         ReadRecord(head.subspan(sizeof(format::DeviceHeader)), &record) &&
         record.kind == STEPSCOPE_RECORD_PART;
}

bool AllocatorHistory::AddBlock(std::span<const uint8_t> payload) {
  // What IsPart() saw may lie behind the block.
  if (payload.size() < sizeof(format::DeviceHeader)) return false;
  payload = payload.subspan(sizeof(format::DeviceHeader));
  while (!payload.empty()) {
    stepscope_record_part part = {};
    if (!ReadRecord(payload, &part) ||
        part.head.kind != STEPSCOPE_RECORD_PART ||
        part.head.bytes > payload.size() || part.head.bytes < sizeof(part) ||
        part.count > part.head.bytes - sizeof(part) || part.total > kMostBytes)
      return false;
    File& file = files_[part.kind];
    if (part.offset == 0) file = {{}, part.total};
    // A part before it is missing: so is the file.
    if (part.offset == file.bytes.size() && part.total == file.total) {
      const auto bytes = payload.subspan(sizeof(part), part.count);
      file.bytes.insert(file.bytes.end(), bytes.begin(), bytes.end());
    }
    payload = payload.subspan(part.head.bytes);
  }
  return true;
}

void AllocatorHistory::Join(const HistoryTarget& target) {
  const auto keep_told = [&] {
    for (const MemoryEvent& event : told_) target.builder.AddMemory(event);
    for (const MemoryEvent& event : driver_) target.builder.AddMemory(event);
  };
  const auto found = files_.find(STEPSCOPE_FILE_TORCH_MEMORY);
  if (found == files_.end()) return keep_told();
  const File& file = found->second;
  if (file.bytes.size() != file.total) {
    target.builder.AddNote(
        "the history of torch's allocator is not whole and was left out");
    return keep_told();
  }
  const auto history = ReadHistory(file.bytes);
  if (!history) {
    target.builder.AddNote("the history of torch's allocator was left out: " +
                           history.error().message);
    return keep_told();
  }
  JoinHistory(target, *history, std::move(told_), driver_);
}

}  // namespace stepscope::capture
