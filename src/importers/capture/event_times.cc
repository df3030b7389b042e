// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/event_times.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/wide_integer.h"

namespace stepscope::capture {
namespace {

using Segment = ClockMap::Segment;
using format::EventBatch;

// Segment::Advance for ticks base + t, t below 2^32, by products of 32 bits
// only, as vectors have them. Less the whole nanoseconds of the base. With
// base * fraction = (.., high, low) in words of 32 bits, the sums below are
// exact: (2^32 - 1)^2 + 2 (2^32 - 1) is the largest number of 64 bits.
struct Scale {
  uint32_t fraction_low, fraction_high;
  uint32_t low, high;
  uint32_t whole;

  uint64_t At(uint32_t t) const {
    const uint64_t carry = (uint64_t{t} * fraction_low + low) >> 32;
    return uint64_t{t} * whole +
           ((uint64_t{t} * fraction_high + high + carry) >> 32);
  }
};

// What a batch is converted by.
struct Plan {
  Scale scale;
  uint64_t base_ns;  // of ticks 0 of the batch
  uint64_t room;     // ticks to the end of the segment
};

bool MakePlan(const Segment& segment, int64_t offset_ns,
              const EventBatch& batch, Plan* plan) {
  const uint64_t base = batch.base - segment.tick;
  if (base >= segment.span || segment.whole > UINT32_MAX) return false;
  const UnsignedWideInteger product =
      UnsignedWideInteger{base} * segment.fraction;
  const auto part = static_cast<uint64_t>(product);
  plan->scale = {static_cast<uint32_t>(segment.fraction),
                 static_cast<uint32_t>(segment.fraction >> 32),
                 static_cast<uint32_t>(part), static_cast<uint32_t>(part >> 32),
                 static_cast<uint32_t>(segment.whole)};
  plan->base_ns = static_cast<uint64_t>(segment.ns + offset_ns) +
                  base * segment.whole + static_cast<uint64_t>(product >> 64);
  plan->room = segment.span - base;
  return true;
}

// Events from `first` on. True if all are plain.
bool ConvertEach(const Plan& plan, const EventBatch& batch, uint32_t first,
                 int64_t* start_ns, int64_t* dur_ns) {
  uint32_t odd = 0;
  uint32_t last = 0;
  for (uint32_t i = first; i < batch.count; ++i) {
    const uint32_t ticks = batch.dur[i] - 1;
    const uint32_t from = batch.from[i];
    const uint32_t to = from + ticks;
    odd |= static_cast<uint32_t>(ticks >= STEPSCOPE_DUR_LIMIT) |
           static_cast<uint32_t>(to < from);
    last = std::max(last, to);
    // From two absolute times, so that what nests in ticks nests in
    // nanoseconds.
    const uint64_t from_ns = plan.scale.At(from);
    start_ns[i] = static_cast<int64_t>(plan.base_ns + from_ns);
    dur_ns[i] = static_cast<int64_t>(plan.scale.At(to) - from_ns);
  }
  return odd == 0 && last < plan.room;
}

#if defined(__x86_64__)
#define STEPSCOPE_AVX2 __attribute__((target("avx2")))

// ConvertEach for the first events, as many as make whole vectors; sets `done`
// to their number. False also where it cannot be told at once: if the latest
// event, were it the longest, would not be plain.
template <bool kWhole>
STEPSCOPE_AVX2 bool ConvertFours(const Plan& plan, const EventBatch& batch,
                                 uint32_t* done, int64_t* start_ns,
                                 int64_t* dur_ns) {
  const __m256i fraction_low = _mm256_set1_epi64x(plan.scale.fraction_low);
  const __m256i fraction_high = _mm256_set1_epi64x(plan.scale.fraction_high);
  const __m256i low = _mm256_set1_epi64x(plan.scale.low);
  const __m256i high = _mm256_set1_epi64x(plan.scale.high);
  const __m256i whole = _mm256_set1_epi64x(plan.scale.whole);
  // Scale::At for four values.
  const auto at = [&](__m128i ticks) STEPSCOPE_AVX2 {
    const __m256i t = _mm256_cvtepu32_epi64(ticks);
    const __m256i carry = _mm256_srli_epi64(
        _mm256_add_epi64(_mm256_mul_epu32(t, fraction_low), low), 32);
    const __m256i part = _mm256_add_epi64(
        _mm256_add_epi64(_mm256_mul_epu32(t, fraction_high), high), carry);
    const __m256i ns = _mm256_srli_epi64(part, 32);
    return kWhole ? _mm256_add_epi64(_mm256_mul_epu32(t, whole), ns) : ns;
  };
  const __m256i base_ns =
      _mm256_set1_epi64x(static_cast<int64_t>(plan.base_ns));
  const __m128i minus_one = _mm_set1_epi32(-1);
  __m128i longest = _mm_setzero_si128();
  uint32_t i = 0;
  for (; i + 4 <= batch.count; i += 4) {
    const __m128i from =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(batch.from + i));
    const __m128i dur =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(batch.dur + i));
    const __m128i ticks = _mm_add_epi32(dur, minus_one);
    longest = _mm_max_epu32(longest, ticks);
    const __m256i from_ns = at(from);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(start_ns + i),
                        _mm256_add_epi64(base_ns, from_ns));
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(dur_ns + i),
        _mm256_sub_epi64(at(_mm_add_epi32(from, ticks)), from_ns));
  }
  *done = i;
  if (i == 0) return true;
  uint32_t lanes[4];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes), longest);
  const uint32_t ticks = *std::max_element(lanes, lanes + 4);
  const uint64_t latest = uint64_t{batch.from[i - 1]} + ticks;
  return ticks < STEPSCOPE_DUR_LIMIT && latest <= UINT32_MAX &&
         latest < plan.room;
}

bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#else
template <bool kWhole>
bool ConvertFours(const Plan&, const EventBatch&, uint32_t*, int64_t*,
                  int64_t*) {
  return true;
}
bool HasAvx2() { return false; }
#endif

}  // namespace

bool ConvertTimesPortably(const Segment& segment, int64_t offset_ns,
                          const EventBatch& batch, int64_t* start_ns,
                          int64_t* dur_ns) {
  Plan plan;
  return MakePlan(segment, offset_ns, batch, &plan) &&
         ConvertEach(plan, batch, 0, start_ns, dur_ns);
}

bool ConvertTimes(const Segment& segment, int64_t offset_ns,
                  const EventBatch& batch, int64_t* start_ns, int64_t* dur_ns) {
  Plan plan;
  if (!MakePlan(segment, offset_ns, batch, &plan)) return false;
  uint32_t done = 0;
  if (HasAvx2()) {
    // A counter that is faster than 1 GHz takes less than a nanosecond.
    const bool plain =
        segment.whole == 0
            ? ConvertFours<false>(plan, batch, &done, start_ns, dur_ns)
            : ConvertFours<true>(plan, batch, &done, start_ns, dur_ns);
    if (!plain) done = 0;
  }
  return ConvertEach(plan, batch, done, start_ns, dur_ns);
}

}  // namespace stepscope::capture
