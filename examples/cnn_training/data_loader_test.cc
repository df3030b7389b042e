// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/data_loader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "cnn_training/memory_pool.h"

namespace cnn {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kNoLatency{0};

std::vector<Batch> Take(const Dataset& dataset, DataLoaderOptions options,
                        int count) {
  DataLoader loader(dataset, options);
  std::vector<Batch> batches;
  for (int i = 0; i < count; ++i) batches.push_back(loader.Next());
  return batches;
}

bool Same(const Batch& a, const Batch& b) {
  return a.index == b.index && a.labels == b.labels &&
         std::ranges::equal(a.images.values(), b.images.values());
}

TEST(DatasetTest, DecodingUndoesEncoding) {
  // Encoded by hand: each byte minus the one three before it.
  std::vector<uint8_t> encoded(static_cast<size_t>(kImageSize), 0);
  encoded[0] = 250;
  encoded[3] = 10;  // wraps: 250 + 10 = 4 modulo 256
  std::vector<uint8_t> pixels(encoded.size());
  DecodeImage(encoded, pixels);
  EXPECT_EQ(pixels[0], 250);
  EXPECT_EQ(pixels[1], 0);
  EXPECT_EQ(pixels[3], 4);
  EXPECT_EQ(pixels[6], 4);
}

TEST(DatasetTest, SamplesHaveAllClassesAndMidGreyMean) {
  const Dataset dataset(200, 1);
  std::set<int32_t> labels;
  std::vector<uint8_t> pixels(static_cast<size_t>(kImageSize));
  double sum = 0.0;
  for (int64_t i = 0; i < dataset.size(); ++i) {
    labels.insert(dataset.label(i));
    DecodeImage(dataset.encoded(i), pixels);
    for (uint8_t pixel : pixels) sum += pixel;
  }
  EXPECT_EQ(labels.size(), static_cast<size_t>(kClasses));
  // Without decoding, differences modulo 256 would not average to 128.
  EXPECT_NEAR(sum / static_cast<double>(200 * kImageSize), 127.5, 2.0);
}

TEST(DataLoaderTest, ThreadsDoNotChangeTheBatches) {
  const Dataset dataset(64, 1);
  const auto one = Take(dataset, {1, 16, kNoLatency, 7}, 20);
  const auto four = Take(dataset, {4, 16, kNoLatency, 7}, 20);
  const auto other_seed = Take(dataset, {4, 16, kNoLatency, 8}, 1);
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].index, static_cast<int64_t>(i));
    EXPECT_TRUE(Same(one[i], four[i])) << "batch " << i;
  }
  EXPECT_FALSE(Same(one[0], other_seed[0]));
  // A second epoch shuffles and augments anew.
  EXPECT_NE(one[0].labels, one[4].labels);
}

TEST(DataLoaderTest, AnEpochHasEverySampleOnce) {
  const Dataset dataset(64, 1);
  std::vector<int32_t> seen;
  for (const Batch& batch : Take(dataset, {2, 16, kNoLatency, 3}, 4)) {
    seen.insert(seen.end(), batch.labels.begin(), batch.labels.end());
  }
  std::vector<int32_t> all;
  for (int64_t i = 0; i < 64; ++i) all.push_back(dataset.label(i));
  std::ranges::sort(seen);
  std::ranges::sort(all);
  EXPECT_EQ(seen, all);
}

TEST(DataLoaderTest, ThreadsWaitOutTheLatencySideBySide) {
  const Dataset dataset(64, 1);
  const auto seconds = [&](int threads) {
    const auto start = Clock::now();
    Take(dataset, {threads, 8, milliseconds(50), 3}, 8);
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  // Eight batches of 50 ms: one after another they need 0.4 s on any machine,
  // and four threads about 0.1 s on one that is not busy all the time.
  EXPECT_GE(seconds(1), 0.4);
  double four = seconds(4);
  for (int i = 0; i < 50 && four >= 0.4; ++i) four = seconds(4);
  EXPECT_LT(four, 0.4);
}

TEST(DataLoaderTest, StopsInTheMiddleOfAStorageWait) {
  const Dataset dataset(64, 1);
  const DataLoader loader(dataset, {4, 8, std::chrono::hours(1), 3});
  std::this_thread::sleep_for(milliseconds(20));
  // It ends at all: the test's own limit is shorter than the wait.
}

TEST(DataLoaderTest, PrefetchIsBoundedAndMemoryComesBack) {
  const Dataset dataset(64, 1);
  const uint64_t before = MemoryPool::Get().allocated_bytes();
  const uint64_t batch_bytes = 8 * kImageSize * sizeof(float);
  {
    const DataLoader loader(dataset, {2, 8, kNoLatency, 3});
    const uint64_t full =
        before + static_cast<uint64_t>(loader.capacity()) * batch_bytes;
    const auto give_up = Clock::now() + std::chrono::seconds(100);
    while (MemoryPool::Get().allocated_bytes() < full &&
           Clock::now() < give_up) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    // Time for a loader without a bound to go past it.
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_EQ(MemoryPool::Get().allocated_bytes(), full);
  }
  EXPECT_EQ(MemoryPool::Get().allocated_bytes(), before);
}

}  // namespace
}  // namespace cnn
