// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/request_log.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/serving/args_in_order.h"

namespace stepscope {
namespace {

// No request has more tokens; what says more is damaged.
constexpr int64_t kMostTokensOfRequest = 1'000'000'000'000;

}  // namespace

enum class RequestLog::What : uint8_t { kBegins, kTokens, kEnds };

struct RequestLog::Mark {
  What what = What::kBegins;
  uint32_t process = 0;
  int64_t time_ns = 0;
  std::array<int64_t, 4> numbers = {-1, -1, -1, -1};  // -1: not listed
  StringId id;
  StringId traceparent;
  StringId error;
};

// Reads the events of a trace; names are looked up once.
class RequestLog::Reader {
 public:
  explicit Reader(const Trace& trace)
      : trace_(trace),
        args_(trace),
        begins_(Find(kRequestBegins)),
        tokens_(Find(kRequestTokens)),
        ends_(Find(kRequestEnds)),
        key_(Find(kRequestKey)),
        id_(Find(kRequestIdKey)),
        traceparent_(Find(kTraceparentKey)),
        error_(Find(kRequestErrorKey)) {}

  // Adds the mark of an event, or, of tokens, one for each request; none where
  // it is none of those events, or has no number.
  void Read(Row row, Mark mark, std::vector<Mark>& marks) {
    const StringId name = trace_.name()[row];
    if (name == StringId()) return;
    if (name == begins_)
      mark.what = What::kBegins;
    else if (name == tokens_)
      mark.what = What::kTokens;
    else if (name == ends_)
      mark.what = What::kEnds;
    else
      return;
    mark.time_ns = trace_.start_ns()[row];
    std::span<const int64_t> numbers;
    for (const Arg& arg : args_.Of(row)) {
      if (arg.kind == ArgKind::kIntList && arg.key == key_) {
        numbers = trace_.arg_ints().subspan(arg.list_first, arg.list_count);
      } else if (arg.kind == ArgKind::kText) {
        if (arg.key == id_) mark.id = arg.text;
        if (arg.key == traceparent_) mark.traceparent = arg.text;
        if (arg.key == error_) mark.error = arg.text;
      }
    }
    if (mark.what == What::kTokens) {
      for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
        std::ranges::copy(numbers.subspan(i, 2), mark.numbers.begin());
        marks.push_back(mark);
      }
    } else if (!numbers.empty()) {
      const size_t count = std::min(numbers.size(), mark.numbers.size());
      std::ranges::copy(numbers.first(count), mark.numbers.begin());
      marks.push_back(mark);
    }
  }

 private:
  StringId Find(std::string_view text) const {
    return trace_.strings().Find(text);
  }

  const Trace& trace_;
  ArgsInOrder args_;
  StringId begins_, tokens_, ends_, key_, id_, traceparent_, error_;
};

std::vector<RequestLog::Mark> RequestLog::CollectMarks(const EventTree& tree) {
  const Trace& trace = tree.trace();
  Reader reader(trace);
  std::vector<Mark> marks;
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kThread ||
        (tree.census().types(i) & SetOf(kRequestType)) == 0)
      continue;
    for (Row row = track.first; row < track.last; ++row) {
      Mark mark;
      mark.process = track.process;
      if (trace.type()[row] == kRequestType) reader.Read(row, mark, marks);
    }
  }
  const auto comes_earlier = [](const Mark& a, const Mark& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.what < b.what;
  };
  if (!std::ranges::is_sorted(marks, comes_earlier))
    std::ranges::stable_sort(marks, comes_earlier);
  return marks;
}

RequestLog::RequestLog(const EventTree& tree) {
  const Trace& trace = tree.trace();
  const std::vector<Mark> marks = CollectMarks(tree);
  for (const Mark& mark : marks) {
    if (mark.what == What::kBegins) {
      Announce(trace, mark);
    } else if (mark.what == What::kEnds) {
      LoggedRequest& request =
          list_[Find(mark.process, mark.numbers[0], mark.time_ns)];
      request.end_ns = mark.time_ns;
      request.error = trace.str(mark.error);
    }
  }
  // A thread may see a token before another has said that the request came.
  for (const Mark& mark : marks) {
    if (mark.what != What::kTokens || mark.numbers[1] <= 0 ||
        mark.numbers[1] > kMostTokensOfRequest)
      continue;
    tokens_.push_back({Find(mark.process, mark.numbers[0], mark.time_ns),
                       mark.process, mark.time_ns, mark.numbers[1]});
  }
  latest_.clear();
  MergeProcesses();
  KeepTokensOfOneProcess();
}

RequestLog::Names& RequestLog::OfProcess(std::vector<Names>& names,
                                         uint32_t process) {
  if (names.size() <= process) names.resize(size_t{process} + 1);
  return names[process];
}

uint32_t RequestLog::Find(uint32_t process, int64_t number, int64_t time_ns) {
  Names& known = OfProcess(known_, process);
  const uint32_t slot = known.slots.Insert(static_cast<uint64_t>(number));
  if (slot != FlatMap::kNew) return known.requests[slot];
  known.requests.push_back(static_cast<uint32_t>(list_.size()));
  LoggedRequest request;
  request.process = process;
  request.first_seen_ns = time_ns;
  list_.push_back(request);
  return known.requests.back();
}

void RequestLog::Announce(const Trace& trace, const Mark& mark) {
  const int64_t number = mark.numbers[0];
  const bool named_by_iteration = mark.numbers[3] == 1;
  Names& latest = OfProcess(latest_, mark.process);
  const uint32_t slot =
      mark.id == StringId() ? FlatMap::kNew : latest.slots.Insert(mark.id.v);
  if (named_by_iteration && slot != FlatMap::kNew &&
      !list_[latest.requests[slot]].end_ns) {
    // Of which the recorder does not know that it is still at work.
    Names& known = OfProcess(known_, mark.process);
    if (known.slots.Insert(static_cast<uint64_t>(number)) == FlatMap::kNew)
      known.requests.push_back(latest.requests[slot]);
  }
  const uint32_t index = Find(mark.process, number, mark.time_ns);
  LoggedRequest& request = list_[index];
  if (mark.id != StringId()) {
    request.id = trace.str(mark.id);
    if (slot == FlatMap::kNew)
      latest.requests.push_back(index);
    else
      latest.requests[slot] = index;
  }
  if (mark.traceparent != StringId())
    request.traceparent = trace.str(mark.traceparent);
  if (mark.numbers[1] >= 0 && mark.numbers[1] <= kMostTokensOfRequest)
    request.tokens_in = mark.numbers[1];
  if (!named_by_iteration && !request.arrival_ns)
    request.arrival_ns =
        SaturatingSubtract(mark.time_ns, std::max<int64_t>(mark.numbers[2], 0));
}

// Of those with one id, in order of time, each joins the latest of another
// process that had not ended.
void RequestLog::MergeProcesses() {
  const auto of_first = [&](const LoggedRequest& one) {
    return one.process == list_.front().process;
  };
  if (std::ranges::all_of(list_, of_first)) return;
  std::map<std::string_view, std::vector<uint32_t>> by_id;
  for (uint32_t i = 0; i < list_.size(); ++i)
    if (!list_[i].id.empty()) by_id[list_[i].id].push_back(i);
  std::vector<uint32_t> joined(list_.size());
  for (uint32_t i = 0; i < joined.size(); ++i) joined[i] = i;
  for (auto& [id, same] : by_id) {
    if (same.size() > 1) MergeOfId(same, joined);
  }
  Renumber(joined);
}

void RequestLog::MergeOfId(std::vector<uint32_t>& same,
                           std::vector<uint32_t>& joined) {
  const auto begin_of = [&](uint32_t i) {
    return list_[i].arrival_ns.value_or(list_[i].first_seen_ns);
  };
  if (!std::ranges::is_sorted(same, {}, begin_of))
    std::ranges::stable_sort(same, {}, begin_of);
  // By process, those that may go on, as indices of `same`. Who has ended
  // before one of them has ended before all that follow, so that an id that is
  // used again and again costs no more than others.
  std::map<uint32_t, std::vector<size_t>> going_on;
  for (size_t i = 0; i < same.size(); ++i) {
    const LoggedRequest& later = list_[same[i]];
    std::optional<size_t> latest;
    for (auto& [process, open] : going_on) {
      if (process == later.process) continue;
      while (!open.empty()) {
        const LoggedRequest& last = list_[same[open.back()]];
        if (!last.end_ns || *last.end_ns >= begin_of(same[i])) break;
        open.pop_back();
      }
      if (!open.empty()) latest = std::max(latest.value_or(0), open.back());
    }
    if (!latest) {
      going_on[later.process].push_back(i);
      continue;
    }
    joined[same[i]] = same[*latest];
    LoggedRequest& first = list_[same[*latest]];
    if (!first.arrival_ns) first.arrival_ns = later.arrival_ns;
    if (!first.tokens_in) first.tokens_in = later.tokens_in;
    if (first.traceparent.empty()) first.traceparent = later.traceparent;
    if (first.error.empty()) first.error = later.error;
    if (!first.end_ns) first.end_ns = later.end_ns;
  }
}

void RequestLog::Renumber(std::vector<uint32_t>& joined) {
  std::deque<LoggedRequest> kept;
  std::vector<uint32_t> numbers(joined.size());
  for (uint32_t i = 0; i < joined.size(); ++i) {
    if (joined[i] != i) continue;
    numbers[i] = static_cast<uint32_t>(kept.size());
    kept.push_back(list_[i]);
  }
  list_ = std::move(kept);
  const auto now = [&](uint32_t before) { return numbers[joined[before]]; };
  for (Names& known : known_)
    for (uint32_t& request : known.requests) request = now(request);
  for (LoggedTokens& tokens : tokens_) tokens.request = now(tokens.request);
}

// They stand by time already; what is left is to deal them out.
void RequestLog::SortTokens() {
  if (std::ranges::is_sorted(tokens_, {}, &LoggedTokens::request)) return;
  std::vector<size_t> next(list_.size() + 1);
  for (const LoggedTokens& one : tokens_) ++next[one.request + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<LoggedTokens> sorted(tokens_.size());
  for (const LoggedTokens& one : tokens_) sorted[next[one.request]++] = one;
  tokens_ = std::move(sorted);
}

// A front end knows when a token left, an engine when it was made: the two must
// not be counted together.
void RequestLog::KeepTokensOfOneProcess() {
  SortTokens();
  size_t kept = 0;
  for (size_t i = 0; i < tokens_.size();) {
    const uint32_t request = tokens_[i].request;
    size_t last = i;
    bool own = false;
    for (; last < tokens_.size() && tokens_[last].request == request; ++last)
      own = own || tokens_[last].process == list_[request].process;
    const uint32_t process = own ? list_[request].process : tokens_[i].process;
    for (; i < last; ++i)
      if (tokens_[i].process == process) tokens_[kept++] = tokens_[i];
  }
  tokens_.resize(kept);
}

}  // namespace stepscope
