// SPDX-License-Identifier: Apache-2.0
#include "trace/job/collective_rhythm.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/hash.h"
#include "trace/job/collective_kind.h"

namespace stepscope {
namespace {

using Beat = CollectiveRhythm::Beat;

constexpr size_t kEnough = 4;
// Ends of one collective scatter by less than the first, and by no more than
// the second where collectives are close together.
constexpr int64_t kScatterNs = 250'000;
constexpr int64_t kLeastScatterNs = 100'000;
constexpr int64_t kGapShare = 20;
constexpr double kDrift = 1.2e-4;  // between two clocks
// Who began to record later is found among the beats of the other.
constexpr size_t kAnchors = 4;

// Damaged files may say anything.
int64_t Minus(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < b ? INT64_MIN : INT64_MAX;
}

// Puts a kernel into a queue and returns.
bool OnlyEnqueues(std::string_view name) {
  return name.starts_with("c10d::") || name.starts_with("nccl:");
}

bool IsMeeting(std::string_view name) {
  return !OnlyEnqueues(name) && LeavesTogether(CollectiveKindOf(name));
}

void KeepFirst(std::vector<Beat>& beats) {
  std::sort(beats.begin(), beats.end(),
            [](const Beat& a, const Beat& b) { return a.end_ns < b.end_ns; });
  if (beats.size() > CollectiveRhythm::kMostBeats)
    beats.resize(CollectiveRhythm::kMostBeats);
}

int64_t MedianGap(const std::vector<Beat>& beats) {
  std::vector<int64_t> gaps;
  for (size_t i = 1; i < beats.size(); ++i)
    gaps.push_back(Minus(beats[i].end_ns, beats[i - 1].end_ns));
  const auto middle = gaps.begin() + static_cast<ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

// Compares two rhythms, the second shifted so that two beats fall together.
class Comparison {
 public:
  Comparison(const CollectiveRhythm& a, const CollectiveRhythm& b)
      : a_(a.beats),
        b_(b.beats),
        scatter_(std::clamp(std::min(MedianGap(a_), MedianGap(b_)) / kGapShare,
                            kLeastScatterNs, kScatterNs)) {}

  bool Agree() const {
    for (size_t i = 0; i < std::min(kAnchors, a_.size()); ++i)
      for (size_t j = 0; j < b_.size(); ++j)
        if (AgreeAt(i, j)) return true;
    for (size_t j = 0; j < std::min(kAnchors, b_.size()); ++j)
      for (size_t i = kAnchors; i < a_.size(); ++i)
        if (AgreeAt(i, j)) return true;
    return false;
  }

 private:
  bool AgreeAt(size_t anchor_a, size_t anchor_b) const {
    if (a_[anchor_a].name != b_[anchor_b].name) return false;
    const int64_t origin_a = a_[anchor_a].end_ns;
    const int64_t origin_b = b_[anchor_b].end_ns;
    size_t met = 0;
    size_t could = 0;  // beats of `b` while `a` was recorded
    size_t i = 0;
    for (const Beat& beat : b_) {
      const int64_t since = Minus(beat.end_ns, origin_b);
      const int64_t near =
          scatter_ +
          static_cast<int64_t>(kDrift * std::abs(static_cast<double>(since)));
      const auto apart = [&](const Beat& other) {
        return Minus(Minus(other.end_ns, origin_a), since);
      };
      if (apart(a_.front()) > near || apart(a_.back()) < -near) continue;
      ++could;
      while (i < a_.size() && apart(a_[i]) < -near) ++i;
      for (size_t k = i; k < a_.size() && apart(a_[k]) <= near; ++k) {
        if (a_[k].name != beat.name) continue;
        ++met;
        break;
      }
    }
    // A few fall together by chance.
    const size_t least = std::max(kEnough, std::min(a_.size(), b_.size()) / 2);
    return met >= least && met * 4 >= could * 3;
  }

  const std::vector<Beat>& a_;
  const std::vector<Beat>& b_;
  int64_t scatter_;
};

}  // namespace

CollectiveRhythm RhythmOf(const Trace& trace) {
  size_t ranks = 0;
  for (const Process& process : trace.processes()) ranks += process.rank >= 0;
  if (ranks != 1) return {};
  // By string, of names that occur: most strings are something else.
  constexpr uint64_t kUnknown = 0;
  constexpr uint64_t kNoMeeting = 1;
  std::vector<uint64_t> hashes(trace.strings().size(), kUnknown);
  std::vector<Beat> on_device;
  std::vector<Beat> on_host;
  const auto names = trace.name();
  for (Row row = 0; row < trace.size(); ++row) {
    uint64_t& hash = hashes[names[row].v];
    if (hash == kUnknown) {
      const std::string_view name = trace.str(names[row]);
      hash = IsMeeting(name) ? std::max<uint64_t>(2, Hash64(name)) : kNoMeeting;
    }
    if (hash == kNoMeeting) continue;
    if ((trace.flags()[row] & (kEventInstant | kEventOpenAtEnd)) != 0) continue;
    const Track& track = trace.tracks()[trace.track()[row]];
    if (trace.processes()[track.process].rank < 0) continue;
    auto& beats = track.kind == TrackKind::kThread ? on_host : on_device;
    beats.push_back({hash, trace.end_ns(row)});
  }
  CollectiveRhythm rhythm;
  rhythm.beats = std::move(on_device.empty() ? on_host : on_device);
  KeepFirst(rhythm.beats);
  return rhythm;
}

bool HaveOneRhythm(const CollectiveRhythm& a, const CollectiveRhythm& b) {
  if (a.beats.size() < kEnough || b.beats.size() < kEnough) return false;
  return Comparison(a, b).Agree();
}

}  // namespace stepscope
