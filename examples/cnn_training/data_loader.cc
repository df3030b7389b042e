// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/data_loader.h"

#include <stepscope/stepscope.h>

#include <numeric>
#include <string>
#include <utility>

#include "cnn_training/random.h"

namespace cnn {
namespace {

// Batches in work or waiting, for each thread.
constexpr int kPrefetchPerThread = 2;

// The order of samples in one epoch.
std::vector<int64_t> Shuffled(int64_t size, uint64_t seed, int64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed, static_cast<uint64_t>(epoch));
  for (int64_t i = size - 1; i > 0; --i) {
    std::swap(order[static_cast<size_t>(i)],
              order[static_cast<size_t>(random.Below(i + 1))]);
  }
  return order;
}

}  // namespace

DataLoader::DataLoader(const Dataset& dataset, DataLoaderOptions options)
    : dataset_(dataset),
      options_(options),
      slots_(static_cast<size_t>(options.threads * kPrefetchPerThread)) {
  workers_.reserve(static_cast<size_t>(options_.threads));
  for (int i = 0; i < options_.threads; ++i) {
    workers_.emplace_back([this, i] { Work(i); });
  }
}

DataLoader::~DataLoader() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  room_.notify_all();
  stop_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

Batch DataLoader::Next() {
  const stepscope::ReaderScope reader(this);
  std::unique_lock<std::mutex> lock(mutex_);
  Slot& slot = SlotOf(next_to_deliver_);
  ready_.wait(lock, [&] { return slot.ready; });
  Batch batch = std::move(slot.batch);
  slot.ready = false;
  ++next_to_deliver_;
  --ready_count_;
  stepscope::RecordCounter("batches ready", ready_count_);
  lock.unlock();
  room_.notify_one();
  return batch;
}

void DataLoader::Work(int worker) {
  stepscope::SetThreadName(("loader " + std::to_string(worker)).c_str());
  while (true) {
    int64_t index;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      room_.wait(lock, [&] {
        return stopping_ || next_to_make_ < next_to_deliver_ + capacity();
      });
      if (stopping_) return;
      index = next_to_make_++;
    }
    if (!WaitForStorage()) return;
    Batch batch = MakeBatch(index);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      SlotOf(index) = {std::move(batch), true};
      ++ready_count_;
      stepscope::RecordCounter("batches ready", ready_count_);
    }
    ready_.notify_one();
  }
}

bool DataLoader::WaitForStorage() {
  STEPSCOPE_EVENT("storage::read", stepscope::EventType::kUserDefined);
  std::unique_lock<std::mutex> lock(mutex_);
  return !stop_.wait_for(lock, options_.storage_latency,
                         [&] { return stopping_; });
}

Batch DataLoader::MakeBatch(int64_t index) const {
  stepscope::RecordEvent event("make_batch");
  event.Arg("batch", index);
  const int64_t size = options_.batch_size;
  const int64_t epoch = index / batches_per_epoch();
  const int64_t first = index % batches_per_epoch() * size;
  const std::vector<int64_t> order =
      Shuffled(dataset_.size(), options_.seed, epoch);
  Random random(~options_.seed, static_cast<uint64_t>(index));
  Batch batch{index, Tensor({size, kImageChannels, kImageSide, kImageSide}),
              std::vector<int32_t>(static_cast<size_t>(size))};
  std::vector<uint8_t> pixels(static_cast<size_t>(size * kImageSize));
  const auto pixels_of = [&](int64_t i) {
    return std::span(pixels).subspan(static_cast<size_t>(i * kImageSize),
                                     static_cast<size_t>(kImageSize));
  };
  {
    STEPSCOPE_EVENT("decode", stepscope::EventType::kUserDefined);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t sample = order[static_cast<size_t>(first + i)];
      batch.labels[static_cast<size_t>(i)] = dataset_.label(sample);
      DecodeImage(dataset_.encoded(sample), pixels_of(i));
    }
  }
  STEPSCOPE_EVENT("augment", stepscope::EventType::kUserDefined);
  for (int64_t i = 0; i < size; ++i) {
    AugmentImage(pixels_of(i), random, batch.images.image(i));
  }
  return batch;
}

DataLoader::Slot& DataLoader::SlotOf(int64_t index) {
  return slots_[static_cast<size_t>(index % capacity())];
}

}  // namespace cnn
