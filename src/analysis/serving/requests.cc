// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/requests.h"

#include <algorithm>
#include <utility>

#include "analysis/serving/bill.h"

namespace stepscope {
namespace {

// A recorder that was told of many tokens at once says so with one count; more
// copies of a gap do not move its percentiles.
constexpr int64_t kMostEqualGaps = 1000;

bool Reads(const Membership& member) {
  return member.kind == IterationKind::kPrefill;
}

// Splits the device time of iterations over their members.
class Biller {
 public:
  Biller(const IterationTable& iterations, BillRule rule)
      : iterations_(iterations), rule_(rule) {
    if (rule == BillRule::kDecodeFirst) decode_ns_ = MedianDecode();
  }

  // One part for each member; together the busy time of the iteration.
  std::span<const int64_t> Split(const IterationRow& one) {
    members_ = iterations_.members_of(one);
    parts_.assign(members_.size(), 0);
    if (rule_ == BillRule::kDecodeFirst && SplitDecodeFirst(one)) return parts_;
    weights_.clear();
    for (const Membership& member : members_)
      weights_.push_back(rule_ == BillRule::kRequests ? 1 : member.tokens);
    SplitByWeight(one.gpu_busy_ns, weights_, parts_);
    return parts_;
  }

 private:
  std::optional<int64_t> MedianDecode() const {
    std::vector<int64_t> busy;
    for (const IterationRow& one : iterations_.list)
      if (one.mark.kind == IterationKind::kDecode)
        busy.push_back(one.gpu_busy_ns);
    if (busy.empty()) return std::nullopt;
    return ComputeSpread(busy).p50_ns;
  }

  // False: not both kinds are there, or nobody knows what decoding takes.
  bool SplitDecodeFirst(const IterationRow& one) {
    const size_t prompts = static_cast<size_t>(
        std::count_if(members_.begin(), members_.end(), Reads));
    if (prompts == 0 || prompts == members_.size() || !decode_ns_) return false;
    const int64_t decode = std::min(*decode_ns_, one.gpu_busy_ns);
    SplitSome(
        decode, [](const Membership& m) { return !Reads(m); },
        [](const Membership&) { return int64_t{1}; });
    SplitSome(one.gpu_busy_ns - decode, Reads,
              [](const Membership& m) { return m.tokens; });
    return true;
  }

  template <typename Wanted, typename Weight>
  void SplitSome(int64_t total, Wanted wanted, Weight weight) {
    weights_.clear();
    for (const Membership& member : members_)
      if (wanted(member)) weights_.push_back(weight(member));
    some_.assign(weights_.size(), 0);
    SplitByWeight(total, weights_, some_);
    size_t next = 0;
    for (size_t i = 0; i < members_.size(); ++i)
      if (wanted(members_[i])) parts_[i] = some_[next++];
  }

  const IterationTable& iterations_;
  const BillRule rule_;
  std::optional<int64_t> decode_ns_;
  std::span<const Membership> members_;
  std::vector<int64_t> weights_;
  std::vector<int64_t> some_;
  std::vector<int64_t> parts_;
};

void AddIterations(const IterationTable& iterations, RequestTable& table) {
  Biller biller(iterations, table.rule);
  table.total_busy_ns = iterations.total_busy_ns;
  table.outside_ns = iterations.outside_ns;
  table.unknown_ns = iterations.unknown_ns;
  for (uint32_t i = 0; i < iterations.list.size(); ++i) {
    const IterationRow& one = iterations.list[i];
    const auto members = iterations.members_of(one);
    if (members.empty()) {
      table.outside_ns += one.gpu_busy_ns;
      continue;
    }
    const std::span<const int64_t> parts = biller.Split(one);
    for (size_t k = 0; k < members.size(); ++k) {
      RequestRow& request = table.list[members[k].request];
      (Reads(members[k]) ? request.gpu_prefill_ns : request.gpu_decode_ns) +=
          parts[k];
      request.gpu_ns += parts[k];
      request.iterations.push_back({i, members[k].kind, members[k].tokens,
                                    one.start_ns,
                                    SaturatingAdd(one.start_ns, one.host_ns),
                                    parts[k], one.repeats_another_rank});
    }
  }
}

// The times of tokens, in order, with how many came at each.
class TokenTimes {
 public:
  void Clear() { times_.clear(); }
  void Add(int64_t time_ns, int64_t count) {
    if (!times_.empty() && time_ns < times_.back().first)
      time_ns = times_.back().first;  // two ranks, or a stage that ran ahead
    times_.push_back({time_ns, count});
  }
  void Fill(RequestRow& request) {
    if (times_.empty()) return;
    request.first_token_ns = times_.front().first;
    request.last_token_ns = times_.back().first;
    gaps_.clear();
    for (size_t i = 1; i < times_.size(); ++i) {
      const int64_t count = std::max<int64_t>(times_[i].second, 1);
      const int64_t gap =
          SaturatingSubtract(times_[i].first, times_[i - 1].first) / count;
      gaps_.insert(gaps_.end(),
                   static_cast<size_t>(std::min(count, kMostEqualGaps)), gap);
    }
    request.token_gaps = ComputeSpread(gaps_);
  }

 private:
  std::vector<std::pair<int64_t, int64_t>> times_;
  std::vector<int64_t> gaps_;
};

void FillFromTokens(const RequestLog& log, RequestTable& table) {
  const std::span<const LoggedTokens> tokens = log.tokens();
  TokenTimes times;
  for (size_t i = 0; i < tokens.size();) {
    RequestRow& request = table.list[tokens[i].request];
    const uint32_t index = tokens[i].request;
    times.Clear();
    int64_t count = 0;
    for (; i < tokens.size() && tokens[i].request == index; ++i) {
      times.Add(tokens[i].time_ns, tokens[i].count);
      count = SaturatingAdd(count, tokens[i].count);
    }
    times.Fill(request);
    request.tokens_out = count;
    request.token_times_recorded = true;
  }
}

// Where no token was recorded: a prompt that has been read gives one, and so
// does each iteration that decodes. It is there when the device is done.
void ConcludeTokens(const IterationTable& iterations, RequestRow& request) {
  TokenTimes times;
  int64_t read = 0;
  int64_t out = 0;
  bool guessed = false;  // how many of the proposed tokens were right
  int64_t prompt_done = 0;
  bool decodes = false;
  for (const RequestIteration& one : request.iterations) {
    if (one.repeats_another_rank) continue;
    const IterationRow& iteration = iterations.list[one.index];
    const int64_t end =
        std::max(iteration.device_end_ns.value_or(one.end_ns), one.end_ns);
    if (one.kind == IterationKind::kPrefill) {
      read = SaturatingAdd(read, one.tokens);
      prompt_done = end;
    } else if (one.kind == IterationKind::kDecode ||
               one.kind == IterationKind::kVerify) {
      if (!decodes && read > 0) times.Add(prompt_done, 1);
      decodes = true;
      guessed = guessed || one.kind == IterationKind::kVerify;
      times.Add(end, one.tokens);
      out = SaturatingAdd(out, one.tokens);
    }
  }
  const bool prompt_read =
      read > 0 &&
      (decodes || (request.tokens_in && read >= *request.tokens_in));
  if (!decodes && prompt_read) times.Add(prompt_done, 1);
  times.Fill(request);
  if ((decodes || prompt_read) && !guessed)
    request.tokens_out = out + (read > 0 ? 1 : 0);
}

// Before the recording: it was announced when something else happened to it.
bool CameBefore(const LoggedRequest& logged) {
  return logged.arrival_ns && *logged.arrival_ns < logged.first_seen_ns;
}

bool WholePromptWasRead(const RequestRow& request) {
  int64_t read = 0;
  for (const RequestIteration& one : request.iterations)
    if (one.kind == IterationKind::kPrefill && !one.repeats_another_rank)
      read = SaturatingAdd(read, one.tokens);
  return request.tokens_in && read >= *request.tokens_in;
}

// What was recorded first need not have been the first.
void ForgetBeginning(RequestRow& request) {
  request.first_iteration_ns.reset();
  request.first_token_ns.reset();
  request.tokens_out.reset();
}

// Each is moved once: a row is large.
void SortByBegin(std::vector<RequestRow>& list) {
  std::vector<std::pair<int64_t, size_t>> order;
  order.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i)
    order.emplace_back(list[i].arrival_ns.value_or(
                           list[i].first_iteration_ns.value_or(INT64_MAX)),
                       i);
  if (std::ranges::is_sorted(order)) return;
  std::ranges::sort(order);
  std::vector<RequestRow> sorted;
  sorted.reserve(list.size());
  for (const auto& [begin, i] : order) sorted.push_back(std::move(list[i]));
  list = std::move(sorted);
}

}  // namespace

int64_t RequestRow::iteration_count() const {
  return std::ranges::count(iterations, false,
                            &RequestIteration::repeats_another_rank);
}

std::optional<int64_t> RequestRow::tpot_ns() const {
  if (!first_token_ns || !last_token_ns || token_gaps.histogram.empty() ||
      !tokens_out || *tokens_out < 2)
    return std::nullopt;
  return SaturatingSubtract(*last_token_ns, *first_token_ns) /
         (*tokens_out - 1);
}

RequestTable ComputeRequests(const IterationTable& iterations, BillRule rule) {
  RequestTable table;
  table.rule = rule;
  if (iterations.requests == nullptr || iterations.requests->list().empty())
    return table;
  const RequestLog& log = *iterations.requests;
  table.list.reserve(log.list().size());
  for (const LoggedRequest& logged : log.list()) {
    RequestRow request;
    request.id = logged.id;
    request.traceparent = logged.traceparent;
    request.process = logged.process;
    request.tokens_in = logged.tokens_in;
    request.arrival_ns = logged.arrival_ns;
    request.end_ns = logged.end_ns;
    request.error = logged.error;
    table.list.push_back(std::move(request));
  }
  AddIterations(iterations, table);
  FillFromTokens(log, table);
  for (size_t i = 0; i < table.list.size(); ++i) {
    RequestRow& request = table.list[i];
    if (!request.iterations.empty())
      request.first_iteration_ns = request.iterations.front().start_ns;
    if (!request.token_times_recorded) ConcludeTokens(iterations, request);
    if (CameBefore(log.list()[i]) && !WholePromptWasRead(request))
      ForgetBeginning(request);
  }
  SortByBegin(table.list);
  return table;
}

RequestTable ComputeRequests(const Trace& trace, BillRule rule) {
  const EventTree tree(trace);
  return ComputeRequests(ComputeIterations(tree), rule);
}

}  // namespace stepscope
