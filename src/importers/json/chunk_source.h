// SPDX-License-Identifier: Apache-2.0
//
// ChunkSource: reads a file ahead of who parses it, on a thread of its own,
// and does small jobs for him there in between. So reading, decompressing and
// packing run beside parsing. Memory: three buffers. One consumer thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "importers/input/input_file.h"

namespace stepscope::json {

// What is read next: `size` bytes at `data`, and room for `kRoom` bytes before
// them.
struct Chunk {
  static constexpr size_t kRoom = size_t{256} << 10;

  char* data() { return buffer.get() + kRoom; }

  std::unique_ptr<char[]> buffer;
  size_t size = 0;             // less than asked for: the file ends here
  uint64_t source_offset = 0;  // bytes of the file read by then
  Status status = Ok();
};

class ChunkSource {
 public:
  // `ahead`: on a thread; else all happens inside Next() and Run().
  ChunkSource(InputFile& input, size_t chunk_bytes, bool ahead);
  ~ChunkSource();  // waits for the thread and drops jobs not begun
  ChunkSource(const ChunkSource&) = delete;
  ChunkSource& operator=(const ChunkSource&) = delete;

  size_t chunk_bytes() const { return chunk_bytes_; }
  // The next chunk; the one before is used again.
  Chunk& Next();
  // Does `job` some time before Finish() returns.
  void Run(std::function<void()> job);
  // Waits for all jobs.
  void Finish();

 private:
  void Fill(Chunk& chunk);
  void Work();

  InputFile& input_;
  const size_t chunk_bytes_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  Chunk* current_ = nullptr;

  std::mutex mutex_;
  std::condition_variable for_worker_;
  std::condition_variable for_consumer_;
  std::deque<Chunk*> empty_;
  std::deque<Chunk*> full_;
  std::deque<std::function<void()>> jobs_;
  bool busy_ = false;  // a job is being done
  bool read_all_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace stepscope::json
