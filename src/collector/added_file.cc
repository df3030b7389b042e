// SPDX-License-Identifier: Apache-2.0
//
// Files of other tools of this process, as parts in blocks of device records:
// into the session that records, by the way that these take; behind the end of
// a capture that is complete, where readers look, too.
#include <stepscope/external.h>
#include <stepscope/plugin.h>
#include <sys/stat.h>

#include <cstring>

#include "collector/capture_file.h"
#include "collector/core.h"
#include "collector/device_blocks.h"
#include "collector/error.h"
#include "collector/own_thread.h"
#include "collector/session.h"
#include "collector/sync.h"

namespace stepscope::collector {
namespace {

// The length of a record has 16 bits.
constexpr size_t kPartBytes = 60000;
constexpr size_t kRecordBytes = sizeof(stepscope_record_part) + kPartBytes;
constexpr size_t kPartsPerBlock = STEPSCOPE_DEVICE_BLOCK_BYTES / kRecordBytes;
static_assert(kRecordBytes % 8 == 0 && kRecordBytes < 0x10000);
constexpr int kWaitMs = 10000;
constexpr int kTries = 50;  // of 200 ms each

struct AddedFile {
  uint32_t kind;
  const uint8_t* bytes;
  size_t count;
  size_t done = 0;
};

// Fills a block with the next parts. Returns the bytes, of which records are a
// multiple of 8.
size_t Fill(AddedFile* file, uint8_t* to, uint32_t* records) {
  size_t size = 0;
  *records = 0;
  while (file->done < file->count && *records < kPartsPerBlock) {
    const size_t left = file->count - file->done;
    const size_t part = left < kPartBytes ? left : kPartBytes;
    const size_t padded = (part + 7) / 8 * 8;
    stepscope_record_part head = {};
    head.head.kind = STEPSCOPE_RECORD_PART;
    head.head.bytes = static_cast<uint16_t>(sizeof(head) + padded);
    head.offset = file->done;
    head.total = file->count;
    head.kind = file->kind;
    head.count = static_cast<uint32_t>(part);
    std::memcpy(to + size, &head, sizeof(head));
    std::memcpy(to + size + sizeof(head), file->bytes + file->done, part);
    std::memset(to + size + sizeof(head) + part, 0, padded - part);
    size += sizeof(head) + padded;
    file->done += part;
    ++*records;
  }
  return size;
}

int AddToSession(AddedFile* file, uint64_t session) {
  if (!EnsureDeviceBlocks())
    return Fail(STEPSCOPE_NO_MEMORY, "no memory for blocks of a file");
  while (file->done < file->count) {
    void* block = nullptr;
    for (int i = 0; i < kTries && block == nullptr; ++i)
      block = ReserveDeviceBlock(kPartsPerBlock * kRecordBytes, session, 0);
    if (block == nullptr)
      return Fail(STEPSCOPE_TIMEOUT,
                  "the capture is not written fast enough for this file");
    uint32_t records = 0;
    const size_t size = Fill(file, static_cast<uint8_t*>(block), &records);
    CommitDeviceBlock(block, size, records);
  }
  return STEPSCOPE_OK;
}

struct Sealed {
  AddedFile* file;
  char path[4096];
  bool written = false;
};

void AppendToSealed(void* argument) {
  auto* sealed = static_cast<Sealed*>(argument);
  struct stat now = {};
  CaptureFile capture;
  if (stat(sealed->path, &now) != 0) return;
  const auto size = static_cast<uint64_t>(now.st_size);
  // Numbers of blocks are for people who look at bytes.
  if (!capture.Reopen(sealed->path, size, size, 0)) return;
  constexpr size_t kHeads =
      sizeof(format::BlockHeader) + sizeof(format::DeviceHeader);
  static uint8_t block[kHeads + STEPSCOPE_DEVICE_BLOCK_BYTES];
  bool good = true;
  while (good && sealed->file->done < sealed->file->count) {
    format::DeviceHeader header = {};
    const size_t payload = Fill(sealed->file, block + kHeads, &header.records);
    std::memcpy(block + sizeof(format::BlockHeader), &header, sizeof(header));
    const uint64_t bytes = capture.Seal(block, sizeof(header) + payload,
                                        format::BlockKind::kDevice);
    good = capture.Append(block, bytes, 1, false) == AppendResult::kOk;
  }
  capture.Close();
  sealed->written = good;
}

// Guards the block above.
pthread_mutex_t sealed_mutex = PTHREAD_MUTEX_INITIALIZER;

int AddToSealed(AddedFile* file, uint64_t session) {
  const int complete = WaitSealed(session, kWaitMs);
  if (complete != STEPSCOPE_OK) return complete;
  Sealed sealed = {file, {}, false};
  const int found = SessionPath(session, sealed.path, sizeof(sealed.path));
  if (found != STEPSCOPE_OK) return found;
  const MutexLock lock(&sealed_mutex);
  if (RunApart(AppendToSealed, &sealed) && sealed.written) return STEPSCOPE_OK;
  return Fail(STEPSCOPE_IO, "%s: nothing can be added to it", sealed.path);
}

int AddFile(uint64_t session, uint32_t kind, const void* bytes, size_t count) {
  if (bytes == nullptr || count == 0)
    return Fail(STEPSCOPE_INVALID, "a file without bytes");
  AddedFile file = {kind, static_cast<const uint8_t*>(bytes), count};
  if (session == 0) session = CurrentSession();
  if (session == 0)
    return Fail(STEPSCOPE_NOT_RUNNING, "no session was recorded");
  for (const Session& one : core.sessions)
    if (one.id == session &&
        one.state.load(std::memory_order_acquire) == SessionState::kRecording)
      return AddToSession(&file, session);
  return AddToSealed(&file, session);
}

}  // namespace
}  // namespace stepscope::collector

extern "C" {

int stepscope_add_file(uint64_t session, uint32_t kind, const void* bytes,
                       size_t count) noexcept {
  namespace sc = stepscope::collector;
  const sc::ApiCall call;
  const int status = sc::AddFile(session, kind, bytes, count);
  if (status == STEPSCOPE_OK) sc::ClearLastError();
  return status;
}

}  // extern "C"
