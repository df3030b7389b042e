// SPDX-License-Identifier: Apache-2.0
#include "server/serving/serving.h"

#include <algorithm>

#include "analysis/serving/concluded_iterations.h"
#include "analysis/serving/iteration_mark.h"
#include "trace/chosen_steps.h"
#include "trace/request_events.h"

namespace stepscope::server {
namespace {

size_t BytesOf(const IterationTable& table) {
  return table.list.size() * sizeof(IterationRow) +
         table.members.size() * sizeof(Membership) +
         table.owners.size() * sizeof(uint32_t);
}

}  // namespace

bool MayServe(const EventTree& tree) {
  const Trace& trace = tree.trace();
  const auto& names = trace.strings();
  if (StepsWereChosen(trace) || names.Find(kMembersKey) != StringId() ||
      names.Find(kRequestKey) != StringId())
    return true;
  for (uint32_t i = 0; i < names.size(); ++i)
    if (ParseIterationMark(trace.str(StringId{i}))) return true;
  return MayConcludeIterations(tree);
}

Serving::Serving(const EventTree& tree)
    : tree_(tree), iterations_(ComputeIterations(tree)) {
  const std::vector<IterationRow>& list = iterations_.list;
  latest_end_ns_.reserve(list.size());
  of_thread_.resize(tree.threads().size());
  int64_t latest = INT64_MIN;
  for (uint32_t i = 0; i < list.size(); ++i) {
    latest = std::max(latest, EndOf(list[i]));
    latest_end_ns_.push_back(latest);
    const uint32_t thread = tree.thread_of(list[i].row);
    if (thread != kNoThread) of_thread_[thread].push_back(i);
  }
  const std::span<const DeviceWork> work = tree.work();
  for (size_t i = 0; i < iterations_.owners.size(); ++i) {
    const uint32_t track = tree.trace().track()[work[i].row];
    if (work_.empty() || work_.back().track != track)
      work_.push_back({track, i, i});
    work_.back().last = i + 1;
  }
  bytes_ = BytesOf(iterations_) + list.size() * sizeof(int64_t);
}

size_t Serving::FirstEndingAfter(int64_t time_ns) const {
  return static_cast<size_t>(
      std::upper_bound(latest_end_ns_.begin(), latest_end_ns_.end(), time_ns) -
      latest_end_ns_.begin());
}

const RequestTable& Serving::requests(BillRule bill) const {
  Requests& requests = requests_[static_cast<size_t>(bill)];
  std::call_once(requests.once, [&] {
    requests.table = ComputeRequests(iterations_, bill);
    size_t shares = 0;
    for (const RequestRow& one : requests.table.list)
      shares += one.iterations.size();
    bytes_ += requests.table.list.size() * sizeof(RequestRow) +
              shares * sizeof(RequestIteration);
  });
  return requests.table;
}

void Serving::ArrangeMembers() const {
  const std::vector<RequestRow>& requests = this->requests().list;
  std::vector<size_t>& first = members_.first;
  first.assign(iterations_.list.size() + 1, 0);
  for (const RequestRow& request : requests)
    for (const RequestIteration& one : request.iterations)
      ++first[one.index + 1];
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  members_.list.resize(first.back());
  std::vector<size_t> next(first.begin(), first.end() - 1);
  for (uint32_t i = 0; i < requests.size(); ++i) {
    const auto& list = requests[i].iterations;
    for (uint32_t at = 0; at < list.size(); ++at)
      members_.list[next[list[at].index]++] = {i, at};
  }
  bytes_ +=
      members_.list.size() * sizeof(Member) + first.size() * sizeof(size_t);
}

std::span<const Serving::Member> Serving::MembersOf(uint32_t iteration) const {
  std::call_once(members_.once, [this] { ArrangeMembers(); });
  const std::vector<size_t>& first = members_.first;
  return std::span(members_.list)
      .subspan(first[iteration], first[iteration + 1] - first[iteration]);
}

std::optional<uint32_t> Serving::OwnerOfWork(Row row) const {
  const uint32_t track = tree_.trace().track()[row];
  const std::span<const DeviceWork> work = tree_.work();
  for (const TrackWork& one : work_) {
    if (one.track != track) continue;
    const auto begin = work.begin() + static_cast<ptrdiff_t>(one.first);
    const auto end = work.begin() + static_cast<ptrdiff_t>(one.last);
    const auto found = std::lower_bound(
        begin, end, row, [](const DeviceWork& a, Row b) { return a.row < b; });
    if (found == end || found->row != row) return std::nullopt;
    const uint32_t owner =
        iterations_.owners[static_cast<size_t>(found - work.begin())];
    if (owner < iterations_.list.size()) return owner;
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<uint32_t> Serving::IterationOf(Row row) const {
  const uint32_t thread = tree_.thread_of(row);
  if (thread == kNoThread) return OwnerOfWork(row);
  const std::vector<IterationRow>& list = iterations_.list;
  const std::vector<uint32_t>& own = of_thread_[thread];
  const int64_t start = tree_.trace().start_ns()[row];
  const auto after = std::upper_bound(
      own.begin(), own.end(), start,
      [&](int64_t t, uint32_t i) { return t < list[i].start_ns; });
  if (after == own.begin()) return std::nullopt;
  const uint32_t index = *(after - 1);
  const int64_t end = tree_.end_ns(row);
  if (end <= EndOf(list[index])) return index;
  // What comes after the mark is of it only where it launched work, and not
  // where it goes on in the next one.
  const bool into_next = after != own.end() && end > list[*after].start_ns;
  if (into_next || tree_.gpu_ns(row) == 0) return std::nullopt;
  return index;
}

}  // namespace stepscope::server
