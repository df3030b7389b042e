// SPDX-License-Identifier: Apache-2.0
#include "trace/build/order_check.h"

#include <algorithm>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stepscope {
namespace {

constexpr uint64_t kDisorder = uint64_t{1} << 63;

int64_t WrappingSum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

// The first of [first, last) that starts at `time_ns` or later. Out of the way
// of the loop that seldom needs it.
[[gnu::noinline]] size_t FirstFrom(const int64_t* start_ns, size_t first,
                                   size_t last, int64_t time_ns) {
  return static_cast<size_t>(
      std::lower_bound(start_ns + first, start_ns + last, time_ns) - start_ns);
}

}  // namespace

// An event and the one before it, [first, last) of the step.
void OrderCheck::Pairs::Add(const int64_t* start_ns, const int64_t* dur_ns,
                            size_t first, size_t last) {
  for (size_t i = first; i < last; ++i)
    AddOne(i, start_ns[i - 1], dur_ns[i - 1], start_ns[i], dur_ns[i]);
}

void OrderCheck::Pairs::AddOne(size_t i, int64_t start_before,
                               int64_t dur_before, int64_t start, int64_t dur) {
  const uint64_t step =
      static_cast<uint64_t>(start) - static_cast<uint64_t>(start_before);
  // Negative if it starts earlier, or as early and is longer.
  disorder |= step | ((step - 1) & (static_cast<uint64_t>(dur_before) -
                                    static_cast<uint64_t>(dur)));
  durs |= static_cast<uint64_t>(dur);
  const bool within = start < WrappingSum(start_before, dur_before);
  inner[i / 64] |= uint64_t{within} << (i % 64);
}

#if defined(__x86_64__)
namespace {

__attribute__((target("avx2"))) inline __m256i Load(const int64_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

}  // namespace

// The same for events [4, last), as far as they come in fours. Returns one past
// the last of them.
__attribute__((target("avx2"))) size_t OrderCheck::Pairs::AddFours(
    const int64_t* start_ns, const int64_t* dur_ns, size_t last) {
  const __m256i minus_one = _mm256_set1_epi64x(-1);
  __m256i all_durs = _mm256_setzero_si256();
  __m256i all_disorder = _mm256_setzero_si256();
  size_t i = 4;
  for (; i + 4 <= last; i += 4) {
    const __m256i start = Load(start_ns + i);
    const __m256i start_before = Load(start_ns + i - 1);
    const __m256i dur = Load(dur_ns + i);
    const __m256i dur_before = Load(dur_ns + i - 1);
    const __m256i step = _mm256_sub_epi64(start, start_before);
    const __m256i longer = _mm256_and_si256(_mm256_add_epi64(step, minus_one),
                                            _mm256_sub_epi64(dur_before, dur));
    all_disorder = _mm256_or_si256(all_disorder, _mm256_or_si256(step, longer));
    all_durs = _mm256_or_si256(all_durs, dur);
    const __m256i within =
        _mm256_cmpgt_epi64(_mm256_add_epi64(start_before, dur_before), start);
    inner[i / 64] |=
        static_cast<uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(within)))
        << (i % 64);
  }
  uint64_t lanes[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), all_durs);
  for (const uint64_t lane : lanes) durs |= lane;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), all_disorder);
  for (const uint64_t lane : lanes) disorder |= lane;
  return i;
}
#endif

void OrderCheck::Add(const int64_t* start_ns, const int64_t* dur_ns,
                     size_t count) {
  for (size_t done = 0; done < count; done += kStep) {
    const size_t n = std::min(count - done, kStep);
    // Each event opens one at most: the loop need not ask for room.
    if (outer_.size() < depth_ + n) outer_.resize(depth_ + n);
    AddSome(start_ns + done, dur_ns + done, n);
  }
}

void OrderCheck::AddSome(const int64_t* start_ns, const int64_t* dur_ns,
                         size_t count) {
  if (first_) {
    first_start_ = static_cast<uint64_t>(start_ns[0]);
    start_ = first_start_ - 1;
    first_ = false;
  }
  Pairs pairs;
  pairs.AddOne(0, static_cast<int64_t>(start_), static_cast<int64_t>(dur_),
               start_ns[0], dur_ns[0]);
  size_t done = 1;
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide && count >= 8) {
    pairs.Add(start_ns, dur_ns, 1, 4);
    done = pairs.AddFours(start_ns, dur_ns, count);
  }
#endif
  pairs.Add(start_ns, dur_ns, done, count);
  durs_ |= pairs.durs;
  disorder_ |= pairs.disorder;
  if (!Nest(start_ns, dur_ns, count, pairs)) disorder_ |= kDisorder;
  start_ = static_cast<uint64_t>(start_ns[count - 1]);
  dur_ = static_cast<uint64_t>(dur_ns[count - 1]);
}

// Stops only at events that begin inside the one before. Those in between
// stand side by side: of them only who is last, or last before the end of what
// encloses them, can reach beyond it. Where there are many to stop at, it is
// less work to go through all.
bool OrderCheck::Nest(const int64_t* start_ns, const int64_t* dur_ns,
                      size_t count, const Pairs& pairs) {
  constexpr size_t kWord = 64;
  constexpr int kMany = kWord / 3;
  for (size_t first = 0; first < count; first += kWord) {
    const uint64_t inner = pairs.inner[first / kWord];
    const size_t n = std::min(count - first, kWord);
    const int64_t end_before =
        first == 0 ? EndBefore()
                   : WrappingSum(start_ns[first - 1], dur_ns[first - 1]);
    const bool nested =
        std::popcount(inner) > kMany
            ? NestEach(start_ns + first, dur_ns + first, n, end_before)
            : NestInner(start_ns + first, dur_ns + first, n, end_before, inner);
    if (!nested) return false;
  }
  return true;
}

bool OrderCheck::NestEach(const int64_t* start_ns, const int64_t* dur_ns,
                          size_t count, int64_t end_before) {
  int64_t* const bottom = outer_.data();
  int64_t* top = bottom + depth_;
  int64_t open_end = open_end_;
  bool nested = true;
  for (size_t i = 0; i < count && nested; ++i) {
    const int64_t begin = start_ns[i];
    if (begin < end_before) {
      *top++ = open_end;
      open_end = end_before;
    } else {
      while (begin >= open_end && top != bottom) open_end = *--top;
    }
    end_before = WrappingSum(begin, dur_ns[i]);
    nested = end_before <= open_end;
  }
  depth_ = static_cast<size_t>(top - bottom);
  open_end_ = open_end;
  return nested;
}

bool OrderCheck::NestInner(const int64_t* start_ns, const int64_t* dur_ns,
                           size_t count, int64_t end_before, uint64_t inner) {
  int64_t* const bottom = outer_.data();
  int64_t* top = bottom + depth_;
  int64_t open_end = open_end_;
  const auto end_of = [&](size_t i) {
    return WrappingSum(start_ns[i], dur_ns[i]);
  };
  // Closes what is over when the last of [first, last), side by side, begins.
  const auto side_by_side = [&](size_t first, size_t last) {
    const int64_t begin = start_ns[last - 1];
    while (begin >= open_end && top != bottom) {
      size_t inside = last - 1;  // one past those that begin in what is open
      if (inside > first && start_ns[inside - 1] >= open_end) [[unlikely]]
        inside = FirstFrom(start_ns, first, inside, open_end);
      if (inside > first && end_of(inside - 1) > open_end) return false;
      open_end = *--top;
    }
    return end_of(last - 1) <= open_end;
  };
  bool nested = true;
  size_t first = 0;
  for (; nested && inner != 0; inner &= inner - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(inner));
    nested = i == first || side_by_side(first, i);
    *top++ = open_end;
    open_end = i == 0 ? end_before : end_of(i - 1);
    first = i;
  }
  nested = nested && side_by_side(first, count);
  depth_ = static_cast<size_t>(top - bottom);
  open_end_ = open_end;
  return nested;
}

void OrderCheck::AddOpen(int64_t start_ns) {
  // Who began at the same time and ended is shorter, and stands before it.
  const bool shorter_before = !first_ &&
                              start_ns == static_cast<int64_t>(start_) &&
                              EndBefore() != kNever;
  const int64_t no_time = 0;
  Add(&start_ns, &no_time, 1);
  if (shorter_before || open_end_ != kNever) disorder_ |= kDisorder;
  dur_ = static_cast<uint64_t>(kNever) - start_;
  open_levels_.push_back(depth_ + 1);
}

void OrderCheck::End(int64_t end_ns) {
  // Those above it are of levels up to depth_ + 1, the event before.
  if (open_levels_.empty() || open_levels_.back() > depth_ + 1) {
    disorder_ |= kDisorder;
    return;
  }
  const size_t level = open_levels_.back();
  open_levels_.pop_back();
  bool late = static_cast<int64_t>(start_) > end_ns;
  if (level == depth_ + 1) {
    dur_ = static_cast<uint64_t>(end_ns) - start_;
  } else {
    late |= EndBefore() > end_ns;
    for (size_t above = level + 1; above < depth_; ++above)
      late |= outer_[above] > end_ns;
    if (level < depth_) late |= open_end_ > end_ns;
    (level < depth_ ? outer_[level] : open_end_) = end_ns;
  }
  if (late) disorder_ |= kDisorder;
}

}  // namespace stepscope
