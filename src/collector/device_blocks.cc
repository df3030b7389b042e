// SPDX-License-Identifier: Apache-2.0
#include "collector/device_blocks.h"

#include <stepscope/plugin.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/sync.h"
#include "format/block.h"

namespace stepscope::collector {
namespace {

constexpr uint32_t kBlocks = 16;
constexpr size_t kHeadBytes =
    sizeof(format::BlockHeader) + sizeof(format::DeviceHeader);
constexpr size_t kBlockBytes = kHeadBytes + STEPSCOPE_DEVICE_BLOCK_BYTES;
static_assert(kHeadBytes % 8 == 0 && kBlockBytes % 8 == 0);

struct Meta {
  uint64_t session;
  uint32_t device_type;
  uint32_t records;
  size_t bytes;
  std::atomic<bool> reserved;
};

std::atomic<uint8_t*> memory{nullptr};
std::atomic<uint32_t> block_links[kBlocks];  // links of both stacks
IndexStack free_blocks;
IndexStack handed_over;
Meta metas[kBlocks];

Session* FindSession(uint64_t id) {
  for (Session& session : core.sessions)
    if (session.NeedsRing() && session.id == id) return &session;
  return nullptr;
}

void Append(uint32_t index, uint8_t* block) {
  const Meta& meta = metas[index];
  Session* session = FindSession(meta.session);
  if (session == nullptr || meta.bytes == 0) return;
  const format::DeviceHeader header{meta.device_type, meta.records, {}};
  __builtin_memcpy(block + sizeof(format::BlockHeader), &header,
                   sizeof(header));
  const uint64_t bytes = session->file.Seal(block, sizeof(header) + meta.bytes,
                                            format::BlockKind::kDevice);
  const AppendResult result = session->file.Append(block, bytes, 1, false);
  if (result == AppendResult::kIoError) session->device_lost_io += meta.records;
  if (result == AppendResult::kFileLimit)
    session->device_lost_limit += meta.records;
}

}  // namespace

bool EnsureDeviceBlocks() {
  if (memory.load(std::memory_order_acquire) != nullptr) return true;
  void* fresh = mmap(nullptr, kBlocks * kBlockBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return false;
  uint8_t* none = nullptr;
  if (!memory.compare_exchange_strong(none, static_cast<uint8_t*>(fresh),
                                      std::memory_order_acq_rel)) {
    munmap(fresh, kBlocks * kBlockBytes);
    return true;
  }
  for (uint32_t i = 0; i < kBlocks; ++i) free_blocks.Push(block_links, i);
  return true;
}

void* ReserveDeviceBlock(size_t bytes, uint64_t session, uint32_t device_type) {
  uint8_t* base = memory.load(std::memory_order_acquire);
  if (base == nullptr || bytes > STEPSCOPE_DEVICE_BLOCK_BYTES) return nullptr;
  uint32_t index = free_blocks.Pop(block_links);
  for (int wait = 0; index == IndexStack::kNone && wait < 200; ++wait) {
    core.writer_sleeper.Wake();
    Pause(1000000);
    index = free_blocks.Pop(block_links);
  }
  if (index == IndexStack::kNone) return nullptr;
  metas[index].session = session;
  metas[index].device_type = device_type;
  metas[index].reserved.store(true, std::memory_order_relaxed);
  return base + index * kBlockBytes + kHeadBytes;
}

bool CommitDeviceBlock(void* block, size_t bytes, uint32_t records) {
  uint8_t* base = memory.load(std::memory_order_acquire);
  const auto at = reinterpret_cast<uintptr_t>(block) -
                  reinterpret_cast<uintptr_t>(base) - kHeadBytes;
  if (base == nullptr || at % kBlockBytes != 0 || at / kBlockBytes >= kBlocks ||
      bytes > STEPSCOPE_DEVICE_BLOCK_BYTES)
    return false;
  const auto index = static_cast<uint32_t>(at / kBlockBytes);
  if (!metas[index].reserved.exchange(false, std::memory_order_relaxed))
    return false;
  metas[index].bytes = bytes;
  metas[index].records = records;
  if (bytes == 0) {
    free_blocks.Push(block_links, index);
    return true;
  }
  handed_over.Push(block_links, index);
  core.writer_sleeper.Wake();
  return true;
}

uint32_t DrainDeviceBlocks() {
  uint8_t* base = memory.load(std::memory_order_acquire);
  if (base == nullptr || handed_over.empty()) return 0;
  uint32_t order[kBlocks];
  uint32_t count = 0;
  for (uint32_t i = handed_over.TakeAll();
       i != IndexStack::kNone && count < kBlocks;
       i = IndexStack::Next(block_links, i))
    order[count++] = i;
  for (uint32_t i = count; i-- > 0;) {  // oldest first
    Append(order[i], base + order[i] * kBlockBytes);
    free_blocks.Push(block_links, order[i]);
  }
  return count;
}

void ResetDeviceBlocksAfterFork() {
  if (memory.load(std::memory_order_relaxed) == nullptr) return;
  free_blocks.Reset();
  handed_over.Reset();
  for (uint32_t i = 0; i < kBlocks; ++i) {
    metas[i].reserved.store(false, std::memory_order_relaxed);
    free_blocks.Push(block_links, i);
  }
}

}  // namespace stepscope::collector
