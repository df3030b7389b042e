// SPDX-License-Identifier: Apache-2.0
//
// Synthetic CIFAR-like data: coloured stripes in noise, 3 x 32 x 32, ten
// classes that differ in direction, spacing and tint. Stored encoded, as files
// on a disk would be, so that reading a sample includes decoding it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cnn_training/random.h"

namespace cnn {

inline constexpr int64_t kImageChannels = 3;
inline constexpr int64_t kImageSide = 32;
inline constexpr int64_t kImageSize = kImageChannels * kImageSide * kImageSide;
inline constexpr int32_t kClasses = 10;
// Samples in the set the program trains on: an epoch is 32 batches of 32.
inline constexpr int64_t kTrainingImages = 1024;

// Immutable after construction, so any number of threads may read it.
class Dataset {
 public:
  // The same `size` and `seed` make the same samples. REQUIRES: size > 0.
  Dataset(int64_t size, uint64_t seed);

  int64_t size() const { return static_cast<int64_t>(labels_.size()); }
  int32_t label(int64_t index) const {
    return labels_[static_cast<size_t>(index)];
  }
  // Pixels of one sample: interleaved RGB bytes, each stored as its difference
  // from the byte three before it, modulo 256.
  std::span<const uint8_t> encoded(int64_t index) const {
    return std::span(bytes_).subspan(static_cast<size_t>(index * kImageSize),
                                     static_cast<size_t>(kImageSize));
  }

 private:
  std::vector<int32_t> labels_;
  std::vector<uint8_t> bytes_;
};

// Undoes the encoding. REQUIRES: both spans hold kImageSize elements.
void DecodeImage(std::span<const uint8_t> encoded, std::span<uint8_t> pixels);

// Shifts the picture by up to 4 pixels (it wraps), changes its brightness, and
// writes it as three planes scaled to about [-1, 1]. (No mirroring: it would
// turn the stripes of one class into those of another.)
// REQUIRES: `pixels` and `image` hold kImageSize elements.
void AugmentImage(std::span<const uint8_t> pixels, Random& random,
                  float* image);

}  // namespace cnn
