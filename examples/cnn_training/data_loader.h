// SPDX-License-Identifier: Apache-2.0
//
// Makes batches on worker threads, ahead of the training thread, up to a bound.
// A batch costs mostly waiting: the storage is simulated by a fixed latency a
// batch, which threads can wait out side by side whatever the number of cores;
// decoding and augmenting are real work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "cnn_training/dataset.h"
#include "cnn_training/tensor.h"

namespace cnn {

struct Batch {
  int64_t index = 0;  // from 0, in the order of delivery
  Tensor images;      // batch x 3 x 32 x 32
  std::vector<int32_t> labels;
};

struct DataLoaderOptions {
  int threads = 1;
  int64_t batch_size = 16;
  std::chrono::milliseconds storage_latency{60};  // a batch
  uint64_t seed = 1;                              // order and augmentation
};

// Delivers an endless sequence of batches. It depends on the dataset, the
// batch size and the seed alone, not on the number or the timing of threads.
// Next() is for one thread.
class DataLoader {
 public:
  // The dataset must outlive the loader.
  // REQUIRES: threads >= 1, 1 <= batch_size <= dataset.size().
  DataLoader(const Dataset& dataset, DataLoaderOptions options);
  // Wakes workers out of any wait, and joins them.
  ~DataLoader();
  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;

  // The next batch; waits for it. This wait is what the profiler shows as
  // Dataloader time.
  Batch Next();

  int64_t batches_per_epoch() const {
    return dataset_.size() / options_.batch_size;
  }
  // Most batches that are ready or in work at one time.
  int64_t capacity() const { return static_cast<int64_t>(slots_.size()); }

 private:
  struct Slot {
    Batch batch;
    bool ready = false;
  };

  void Work(int worker);
  // False if the loader was stopped meanwhile.
  bool WaitForStorage();
  Batch MakeBatch(int64_t index) const;
  Slot& SlotOf(int64_t index);

  const Dataset& dataset_;
  const DataLoaderOptions options_;

  std::mutex mutex_;
  std::condition_variable room_;   // a slot was freed, or stopping
  std::condition_variable stop_;   // stopping: ends the wait for storage
  std::condition_variable ready_;  // a batch was finished
  std::vector<Slot> slots_;        // ring: batch i lives in i % capacity
  int64_t next_to_make_ = 0;
  int64_t next_to_deliver_ = 0;
  int64_t ready_count_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace cnn
