// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/dataset.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace cnn {
namespace {

constexpr int64_t kMaxShift = 4;
constexpr float kAmplitude = 45.0F;  // of the stripes, in byte values
constexpr float kNoise = 80.0F;      // largest noise, in byte values

// Pixels of one sample of class `label`, before encoding.
void DrawImage(int32_t label, Random& random, std::span<uint8_t> pixels) {
  constexpr float kPi = std::numbers::pi_v<float>;
  const float angle = kPi * static_cast<float>(label) / kClasses;
  const float pitch = label % 2 == 0 ? 0.6F : 1.0F;  // radians a pixel
  const float step_x = pitch * std::cos(angle);
  const float step_y = pitch * std::sin(angle);
  const float tint = 0.5F * static_cast<float>(label % 3);
  const float phase = random.Uniform(0.0F, 2.0F * kPi);
  size_t at = 0;
  for (int64_t y = 0; y < kImageSide; ++y) {
    for (int64_t x = 0; x < kImageSide; ++x) {
      for (int64_t c = 0; c < kImageChannels; ++c) {
        const float wave = std::sin(phase + step_x * static_cast<float>(x) +
                                    step_y * static_cast<float>(y) +
                                    tint * static_cast<float>(c));
        const float value =
            128.0F + kAmplitude * wave + random.Uniform(-kNoise, kNoise);
        pixels[at++] = static_cast<uint8_t>(std::clamp(value, 0.0F, 255.0F));
      }
    }
  }
}

void EncodeImage(std::span<uint8_t> pixels) {
  for (size_t i = pixels.size(); i-- > kImageChannels;) {
    pixels[i] = static_cast<uint8_t>(pixels[i] - pixels[i - kImageChannels]);
  }
}

}  // namespace

Dataset::Dataset(int64_t size, uint64_t seed)
    : labels_(static_cast<size_t>(size)),
      bytes_(static_cast<size_t>(size * kImageSize)) {
  for (int64_t i = 0; i < size; ++i) {
    Random random(seed, static_cast<uint64_t>(i));
    const auto label = static_cast<int32_t>(random.Below(kClasses));
    const auto pixels = std::span(bytes_).subspan(
        static_cast<size_t>(i * kImageSize), static_cast<size_t>(kImageSize));
    labels_[static_cast<size_t>(i)] = label;
    DrawImage(label, random, pixels);
    EncodeImage(pixels);
  }
}

void DecodeImage(std::span<const uint8_t> encoded, std::span<uint8_t> pixels) {
  std::copy_n(encoded.begin(), kImageChannels, pixels.begin());
  for (size_t i = kImageChannels; i < encoded.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(encoded[i] + pixels[i - kImageChannels]);
  }
}

void AugmentImage(std::span<const uint8_t> pixels, Random& random,
                  float* image) {
  const int64_t shift_x = random.Below(2 * kMaxShift + 1) - kMaxShift;
  const int64_t shift_y = random.Below(2 * kMaxShift + 1) - kMaxShift;
  const float scale = random.Uniform(0.9F, 1.1F) / 128.0F;
  for (int64_t c = 0; c < kImageChannels; ++c) {
    for (int64_t y = 0; y < kImageSide; ++y) {
      const int64_t from_y = (y + shift_y + kImageSide) % kImageSide;
      for (int64_t x = 0; x < kImageSide; ++x) {
        const int64_t from_x = (x + shift_x + kImageSide) % kImageSide;
        const auto at = static_cast<size_t>(
            (from_y * kImageSide + from_x) * kImageChannels + c);
        *image++ = (static_cast<float>(pixels[at]) - 128.0F) * scale;
      }
    }
  }
}

}  // namespace cnn
