// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "trace/build/nesting.h"

namespace stepscope {

Trace::Trace() = default;
Trace::~Trace() = default;

std::span<const Arg> Trace::args_of(Row row) const {
  const auto by_row = [](const Arg& arg, Row r) { return arg.row < r; };
  const std::span<const Arg> args = this->args();
  const auto first = std::lower_bound(args.begin(), args.end(), row, by_row);
  auto last = first;
  while (last != args.end() && last->row == row) ++last;
  return {first, last};
}

std::string Trace::raw_args(Row row) const {
  RawArgReader reader(*this);
  return std::string(reader.Get(row));
}

size_t Trace::bytes() const {
  constexpr size_t kRowBytes = sizeof(int64_t) * 2 + sizeof(StringId) +
                               sizeof(uint32_t) + sizeof(uint16_t) * 2;
  size_t bytes = size_t{size()} * kRowBytes + flows_.size() * sizeof(Flow) +
                 links_.view().size_bytes() +
                 counters_.size() * sizeof(CounterSample) + memory_.bytes() +
                 args().size_bytes() + arg_ints().size_bytes() +
                 args_.raw_refs.view().size_bytes();
  for (uint32_t i = 0; i < args_.raw.block_count(); ++i)
    bytes += args_.raw.block(i).stored().size();
  // A view, a hash and two slots beside the text.
  for (uint32_t i = 0; i < strings_.size(); ++i)
    bytes += strings_.view({i}).size() + sizeof(std::string_view) + 16;
  return bytes;
}

std::optional<int64_t> Trace::first_time_ns() const {
  std::optional<int64_t> first;
  const auto add = [&](int64_t time_ns) {
    first = std::min(first.value_or(time_ns), time_ns);
  };
  // Events of a track, and its counter values, lie in order of time.
  for (const Track& track : tracks_)
    if (track.first < track.last) add(start_ns()[track.first]);
  for (const CounterSample& sample : counters_) add(sample.time_ns);
  for (const MemoryEvent& event : memory_) add(event.time_ns);
  if (first || facts_.begin_ns != facts_.end_ns) add(facts_.begin_ns);
  return first;
}

const Nesting& Trace::nesting() const {
  std::call_once(nesting_once_, [this] {
    auto nesting = std::make_unique<Nesting>(
        ComputeNesting(start_ns(), dur_ns(), tracks_, Executor::Shared()));
    // Empty columns would pass for a trace of events without children.
    if (nesting->parent.size() != size()) throw std::bad_alloc();
    nesting_ = std::move(nesting);
  });
  return *nesting_;
}

std::span<const int64_t> Trace::self_ns() const {
  std::call_once(self_once_, [this] {
    Column<int64_t> self_ns =
        ComputeSelf(start_ns(), dur_ns(), nesting().parent.view(), tracks_,
                    Executor::Shared());
    if (self_ns.size() != size()) throw std::bad_alloc();
    self_ns_ = std::move(self_ns);
  });
  return self_ns_.view();
}

}  // namespace stepscope
