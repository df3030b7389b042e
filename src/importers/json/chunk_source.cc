// SPDX-License-Identifier: Apache-2.0
#include "importers/json/chunk_source.h"

#include <utility>

namespace stepscope::json {
namespace {

constexpr int kChunks = 3;  // parsed, ready, being read
// With more jobs waiting, who brings another does it himself. Bounds what
// they hold, and keeps both threads busy.
constexpr size_t kMaxJobs = 32;

}  // namespace

ChunkSource::ChunkSource(InputFile& input, size_t chunk_bytes, bool ahead)
    : input_(input), chunk_bytes_(chunk_bytes) {
  for (int i = 0; i < (ahead ? kChunks : 1); ++i) {
    chunks_.push_back(std::make_unique<Chunk>());
    chunks_.back()->buffer.reset(new char[Chunk::kRoom + chunk_bytes]);
    empty_.push_back(chunks_.back().get());
  }
  if (ahead) thread_ = std::thread([this] { Work(); });
}

ChunkSource::~ChunkSource() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  for_worker_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ChunkSource::Fill(Chunk& chunk) {
  const Result<size_t> got =
      input_.Read({reinterpret_cast<uint8_t*>(chunk.data()), chunk_bytes_});
  chunk.size = got ? *got : 0;
  chunk.status = got ? Ok() : Status(got.error());
  chunk.source_offset = input_.source_offset();
}

Chunk& ChunkSource::Next() {
  if (!thread_.joinable()) {
    Fill(*chunks_[0]);
    return *chunks_[0];
  }
  std::unique_lock lock(mutex_);
  if (current_ != nullptr) empty_.push_back(current_);
  for_worker_.notify_one();
  for_consumer_.wait(lock, [this] { return !full_.empty(); });
  current_ = full_.front();
  full_.pop_front();
  return *current_;
}

void ChunkSource::Run(std::function<void()> job) {
  if (!thread_.joinable()) {
    job();
    return;
  }
  std::unique_lock lock(mutex_);
  if (jobs_.size() >= kMaxJobs) {
    lock.unlock();
    job();
    return;
  }
  jobs_.push_back(std::move(job));
  for_worker_.notify_one();
}

void ChunkSource::Finish() {
  if (!thread_.joinable()) return;
  std::unique_lock lock(mutex_);
  // The consumer helps: what is left is his to wait for.
  while (!jobs_.empty()) {
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
  for_consumer_.wait(lock, [this] { return !busy_; });
}

void ChunkSource::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    for_worker_.wait(lock, [this] {
      return stop_ || !jobs_.empty() || (!empty_.empty() && !read_all_);
    });
    if (stop_) return;
    // The parser must not starve: a job only while he has something to do.
    const bool read = !empty_.empty() && !read_all_ &&
                      (full_.empty() || jobs_.empty());
    if (read) {
      Chunk* const chunk = empty_.front();
      empty_.pop_front();
      lock.unlock();
      Fill(*chunk);
      lock.lock();
      read_all_ = chunk->size < chunk_bytes_;
      full_.push_back(chunk);
      for_consumer_.notify_all();
      continue;
    }
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    job();
    lock.lock();
    busy_ = false;
    if (jobs_.empty()) for_consumer_.notify_all();
  }
}

}  // namespace stepscope::json
