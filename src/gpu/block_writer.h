// SPDX-License-Identifier: Apache-2.0
//
// BlockWriter: lays records one behind the other into blocks of the host.
// Device thread only.
#pragma once

#include <stepscope/plugin.h>

#include <cstdint>
#include <cstring>

namespace stepscope::gpu {

class BlockWriter {
 public:
  void Start(const stepscope_plugin_host* host) {
    host_ = host;
    block_ = nullptr;
    used_ = records_ = 0;
  }

  // A zeroed record of `kind` with room for `count` pairs behind it; null: the
  // host has no block to give.
  template <typename Record>
  Record* Add(uint16_t kind, uint32_t name, uint32_t pairs = 0) {
    const size_t bytes = sizeof(Record) + pairs * sizeof(stepscope_record_pair);
    void* room = Room(bytes);
    if (room == nullptr) return nullptr;
    std::memset(room, 0, bytes);
    auto* record = static_cast<Record*>(room);
    record->head = {kind, static_cast<uint16_t>(bytes), name};
    return record;
  }
  template <typename Record>
  static stepscope_record_pair* Pairs(Record* record) {
    return reinterpret_cast<stepscope_record_pair*>(record + 1);
  }

  // Hands over what was written so far.
  void Commit() {
    if (block_ == nullptr) return;
    host_->commit_block(host_->context, block_, used_, records_);
    block_ = nullptr;
    used_ = records_ = 0;
  }

 private:
  void* Room(size_t bytes) {
    if (block_ != nullptr && used_ + bytes > STEPSCOPE_DEVICE_BLOCK_BYTES)
      Commit();
    if (block_ == nullptr) {
      block_ = static_cast<uint8_t*>(
          host_->reserve_block(host_->context, STEPSCOPE_DEVICE_BLOCK_BYTES));
      if (block_ == nullptr) return nullptr;
    }
    void* room = block_ + used_;
    used_ += static_cast<uint32_t>(bytes);
    ++records_;
    return room;
  }

  const stepscope_plugin_host* host_ = nullptr;
  uint8_t* block_ = nullptr;
  uint32_t used_ = 0;
  uint32_t records_ = 0;
};

}  // namespace stepscope::gpu
