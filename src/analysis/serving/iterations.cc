// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/iterations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/device_queue.h"
#include "analysis/kinds.h"
#include "analysis/serving/concluded_iterations.h"
#include "analysis/serving/iteration_kinds.h"
#include "analysis/serving/shared_time.h"
#include "base/stable_sort.h"
#include "trace/chosen_steps.h"

namespace stepscope {
namespace {

constexpr TypeSet kMarkTypes =
    kUserDefinedTypes | SetOf(STEPSCOPE_PROFILE_STEP);

bool HasRequests(const EventTree& tree) {
  for (size_t i = 0; i < tree.threads().size(); ++i)
    if (tree.Has(i, SetOf(kRequestType))) return true;
  return false;
}

// The marks among the names of a trace; each name is looked at once.
class MarkNames {
 public:
  // `all`: every name is a mark.
  MarkNames(const Trace& trace, bool all)
      : trace_(trace), all_(all), known_(trace.strings().size()) {}

  const IterationMark* Find(StringId name) {
    uint32_t& known = known_[name.v];
    if (known == 0) {
      known = 1;
      auto mark = ParseIterationMark(trace_.str(name));
      if (!mark && all_) mark = MarkOfAnyName(trace_.str(name));
      if (mark) {
        marks_.push_back(*mark);
        known = static_cast<uint32_t>(marks_.size()) + 1;
      }
    }
    return known == 1 ? nullptr : &marks_[known - 2];
  }

 private:
  const Trace& trace_;
  const bool all_;
  std::vector<uint32_t> known_;  // 0: not asked yet; 1: not a mark
  std::vector<IterationMark> marks_;
};

// A request in the n-th iteration of its thread.
using Member = std::tuple<uint32_t, uint32_t, int64_t>;

// The iterations of a thread, [first, last) of all.
struct ThreadIterations {
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t near = 0;  // who was found last
};

class Finder {
 public:
  Finder(const EventTree& tree, IterationTable& table)
      : tree_(tree),
        trace_(tree.trace()),
        table_(table),
        names_(trace_, StepsWereChosen(trace_)),
        types_(StepsWereChosen(trace_) ? SetOf(STEPSCOPE_PROFILE_STEP)
                                       : kMarkTypes),
        members_(trace_) {
    if (members_.any() || HasRequests(tree))
      log_ = std::make_shared<RequestLog>(tree);
  }

  bool knows_requests() const { return log_ != nullptr; }
  bool FindMarks();
  // Where there are no marks.
  bool Conclude();
  void FindRepeats();
  void ShareDevices();
  void Finish();
  void SortByStart();

 private:
  void AddMarksOf(uint32_t thread);
  void AddConcluded(std::span<const ConcludedIteration> list, uint32_t process);
  // Calls `add(thread)` for each, which appends to the list.
  template <typename Add>
  void AddThreads(Add add);
  // A mark of its name, or of the members that it names; nothing: no mark.
  std::optional<IterationMark> MarkOf(Row row, uint32_t process);
  void AddNested(const IterationMark& inner, IterationRow& outer);
  void TakeMembers(IterationRow& iteration);
  // Of the thread, as of that time; kNone: before its first.
  uint32_t IndexAt(uint32_t thread, int64_t time_ns);
  uint32_t OwnerOf(const DeviceWork& work);
  void CountWork(const DeviceWork& work, uint32_t owner);
  // A thread with iterations; kNoThread: none launched it that is known of.
  uint32_t MarkedThreadOf(const DeviceWork& work) const;
  void AddIdleOf(const DeviceQueue& device);
  void AddWait(uint32_t thread, Interval gap, int64_t asked_ns);
  void AddHostIdle(uint32_t thread, Interval gap);
  bool AreOfOneProcess() const;
  // Adds the parts of `gap` to the iterations in whose windows they are.
  template <typename Add>
  void Spread(uint32_t thread, Interval gap, Add add);
  int64_t WindowEnd(uint32_t thread, uint32_t index) const;

  static constexpr uint32_t kNone = 0xffffffffu;

  const EventTree& tree_;
  const Trace& trace_;
  IterationTable& table_;
  MarkNames names_;
  const TypeSet types_;
  MemberReader members_;
  std::shared_ptr<RequestLog> log_;
  std::vector<Membership> found_;  // of the mark that was read last
  std::vector<ThreadIterations> threads_;
  std::vector<bool> launched_;  // by row, counted
};

void Finder::TakeMembers(IterationRow& iteration) {
  if (found_.empty() || iteration.member_count > 0) return;
  iteration.first_member = static_cast<uint32_t>(table_.members.size());
  iteration.member_count = static_cast<uint32_t>(found_.size());
  table_.members.insert(table_.members.end(), found_.begin(), found_.end());
}

void Finder::AddNested(const IterationMark& inner, IterationRow& outer) {
  // What the large model checks is what the iteration is about.
  const bool more = inner.says() > outer.mark.says();
  const bool verifies =
      inner.says() == outer.mark.says() && inner.kind == IterationKind::kVerify;
  if (more || verifies) outer.mark = inner;
  // Tools put ranges in the manner of one engine around those of another; the
  // innermost are the engine's own.
  outer.mark.engine = inner.engine;
  TakeMembers(outer);
}

std::optional<IterationMark> Finder::MarkOf(Row row, uint32_t process) {
  found_.clear();
  const IterationMark* const named = names_.Find(trace_.name()[row]);
  const bool has_members =
      members_.any() && members_.Read(row, process, *log_, found_);
  if (!has_members && named == nullptr) return std::nullopt;
  if (!has_members) return *named;
  IterationMark mark = MarkOfMembers(found_);
  if (named != nullptr) mark.engine = named->engine;
  return mark;
}

void Finder::AddMarksOf(uint32_t thread) {
  std::vector<IterationRow>& list = table_.list;
  const uint32_t process = tree_.threads()[thread].process;
  int64_t outer_end = INT64_MIN;  // of spans
  tree_.ForEachNested(thread, [&](Row row, Interval span) {
    if ((SetOf(trace_.type()[row]) & types_) == 0) return;
    const std::optional<IterationMark> mark = MarkOf(row, process);
    if (!mark) return;
    ++table_.marks_seen;
    table_.marks_unparsed += mark->parsed ? 0 : 1;
    if (span.begin < outer_end) {
      ++table_.marks_nested;
      return AddNested(*mark, list.back());
    }
    outer_end = span.end;
    IterationRow iteration;
    iteration.name = trace_.str(trace_.name()[row]);
    iteration.mark = *mark;
    iteration.row = row;
    iteration.process = process;
    iteration.start_ns = trace_.start_ns()[row];
    iteration.host_ns = trace_.dur_ns()[row];
    TakeMembers(iteration);
    list.push_back(iteration);
  });
}

void Finder::AddConcluded(std::span<const ConcludedIteration> list,
                          uint32_t process) {
  for (const ConcludedIteration& one : list) {
    IterationRow iteration;
    iteration.name = trace_.str(trace_.name()[one.row]);
    iteration.mark = one.mark;
    iteration.row = one.row;
    iteration.process = process;
    iteration.start_ns = trace_.start_ns()[one.row];
    iteration.host_ns = SaturatingSubtract(one.end_ns, iteration.start_ns);
    table_.list.push_back(iteration);
  }
}

template <typename Add>
void Finder::AddThreads(Add add) {
  std::vector<IterationRow>& list = table_.list;
  threads_.resize(tree_.threads().size());
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    threads_[i].first = threads_[i].near = static_cast<uint32_t>(list.size());
    add(i);
    threads_[i].last = static_cast<uint32_t>(list.size());
    for (uint32_t k = threads_[i].first; k + 1 < threads_[i].last; ++k)
      list[k].period_ns =
          SaturatingSubtract(list[k + 1].start_ns, list[k].start_ns);
  }
}

bool Finder::FindMarks() {
  AddThreads([&](uint32_t thread) {
    if (tree_.Has(thread, types_)) AddMarksOf(thread);
  });
  return !table_.list.empty();
}

bool Finder::Conclude() {
  if (StepsWereChosen(trace_)) return false;
  const ConcludedIterations found = ConcludeIterations(tree_);
  if (found.rule.empty()) return false;
  AddThreads([&](uint32_t thread) {
    AddConcluded(found.threads[thread], tree_.threads()[thread].process);
  });
  table_.rule =
      found.rule + "; each owns what its thread launched up to the next one";
  table_.concluded = true;
  return true;
}

// The ranks of one engine work on the same requests under the same marks; what
// they call themselves says it alone only where nobody names the requests. Of
// iterations without a mark it says nothing: all have the name of the model.
void Finder::FindRepeats() {
  if (table_.concluded || AreOfOneProcess()) return;
  using Marks = std::pair<std::vector<std::string_view>, std::vector<Member>>;
  std::map<Marks, uint32_t> processes;
  for (const ThreadIterations& thread : threads_) {
    if (thread.first == thread.last) continue;
    Marks marks;
    for (uint32_t k = thread.first; k < thread.last; ++k) {
      marks.first.push_back(table_.list[k].name);
      for (const Membership& one : table_.members_of(table_.list[k]))
        marks.second.push_back({k - thread.first, one.request, one.tokens});
    }
    const uint32_t process = table_.list[thread.first].process;
    const uint32_t first =
        processes.try_emplace(std::move(marks), process).first->second;
    if (first == process) continue;
    for (uint32_t k = thread.first; k < thread.last; ++k)
      table_.list[k].repeats_another_rank = true;
  }
}

bool Finder::AreOfOneProcess() const {
  return std::ranges::all_of(table_.list, [&](const IterationRow& one) {
    return one.process == table_.list.front().process;
  });
}

uint32_t Finder::IndexAt(uint32_t thread, int64_t time_ns) {
  ThreadIterations& of = threads_[thread];
  const std::vector<IterationRow>& list = table_.list;
  // What is launched one after another is of one iteration or the next.
  for (uint32_t i = of.near; i < std::min(of.near + 2, of.last); ++i)
    if (list[i].start_ns <= time_ns &&
        (i + 1 == of.last || time_ns < list[i + 1].start_ns))
      return of.near = i;
  const auto first = list.begin() + of.first;
  const auto after = std::upper_bound(
      first, list.begin() + of.last, time_ns,
      [](int64_t t, const IterationRow& one) { return t < one.start_ns; });
  if (after == first) return kNone;
  return of.near = static_cast<uint32_t>(after - 1 - list.begin());
}

// An iteration, else its number of all (outside), else one more (unknown).
uint32_t Finder::OwnerOf(const DeviceWork& work) {
  const auto outside = static_cast<uint32_t>(table_.list.size());
  if (work.launch == kNoRow) return outside + 1;
  const uint32_t thread = tree_.thread_of(work.launch);
  if (thread == kNoThread) return outside + 1;
  const uint32_t index = IndexAt(thread, trace_.start_ns()[work.launch]);
  return index == kNone ? outside : index;
}

int64_t Finder::WindowEnd(uint32_t thread, uint32_t index) const {
  const IterationRow& one = table_.list[index];
  return index + 1 < threads_[thread].last
             ? table_.list[index + 1].start_ns
             : SaturatingAdd(one.start_ns, one.host_ns);
}

void Finder::CountWork(const DeviceWork& work, uint32_t owner) {
  if (owner >= table_.list.size()) return;
  IterationRow& one = table_.list[owner];
  const int64_t start = trace_.start_ns()[work.row];
  const int64_t end = tree_.end_ns(work.row);
  one.work_ns += end - start;
  one.device_end_ns = std::max(one.device_end_ns.value_or(end), end);
  if (one.period_ns) {
    const int64_t next = one.start_ns + *one.period_ns;
    one.late_ns += std::max<int64_t>(0, end - std::max(start, next));
  }
  one.kernels += trace_.type()[work.row] == STEPSCOPE_KERNEL;
  if (!launched_[work.launch]) {
    launched_[work.launch] = true;
    ++one.launches;
    one.graphs += trace_.type()[work.launch] == STEPSCOPE_GRAPH_LAUNCH;
  }
}

template <typename Add>
void Finder::Spread(uint32_t thread, Interval gap, Add add) {
  uint32_t index = IndexAt(thread, gap.begin);
  if (index == kNone) index = threads_[thread].first;
  for (; index < threads_[thread].last; ++index) {
    IterationRow& one = table_.list[index];
    if (one.start_ns >= gap.end) return;
    const Interval part = {std::max(gap.begin, one.start_ns),
                           std::min(gap.end, WindowEnd(thread, index))};
    if (part.begin < part.end) add(one, part);
  }
}

void Finder::AddHostIdle(uint32_t thread, Interval gap) {
  Spread(thread, gap, [](IterationRow& one, Interval part) {
    const int64_t inside_until = SaturatingAdd(one.start_ns, one.host_ns);
    const int64_t inside =
        std::max<int64_t>(0, std::min(part.end, inside_until) - part.begin);
    one.idle.host_inside += inside;
    one.idle.host_between += part.end - part.begin - inside;
  });
}

uint32_t Finder::MarkedThreadOf(const DeviceWork& work) const {
  if (work.launch == kNoRow) return kNoThread;
  const uint32_t thread = tree_.thread_of(work.launch);
  return thread != kNoThread && threads_[thread].first < threads_[thread].last
             ? thread
             : kNoThread;
}

// Up to the begin of the launch the host had not asked for the work; from then
// on it waited.
void Finder::AddWait(uint32_t thread, Interval gap, int64_t asked_ns) {
  const int64_t asked = std::clamp(asked_ns, gap.begin, gap.end);
  AddHostIdle(thread, {gap.begin, asked});
  Spread(thread, {asked, gap.end}, [](IterationRow& one, Interval part) {
    one.idle.queued += part.end - part.begin;
  });
}

// A gap is a wait for the next work of an iteration, also where others' work
// comes in between: all gaps between two marks have a cause.
void Finder::AddIdleOf(const DeviceQueue& device) {
  std::vector<Interval> gaps;  // since the last work of an iteration
  int64_t until = INT64_MIN;
  Row last_launch = kNoRow;
  uint32_t last_thread = kNoThread;
  for (const uint32_t index : device.work) {
    const DeviceWork& work = tree_.work()[index];
    const int64_t start = trace_.start_ns()[work.row];
    const uint32_t thread = MarkedThreadOf(work);
    const bool of_one_graph =
        work.launch != kNoRow && work.launch == last_launch;
    if (until < start && of_one_graph && thread != kNoThread) {
      Spread(thread, {until, start}, [](IterationRow& one, Interval part) {
        one.idle.in_graph += part.end - part.begin;
      });
    } else if (until < start) {
      gaps.push_back({until, start});
    }
    if (thread != kNoThread) {
      for (const Interval& gap : gaps)
        AddWait(thread, gap, trace_.start_ns()[work.launch]);
      gaps.clear();
      last_thread = thread;
    }
    until = std::max(until, tree_.end_ns(work.row));
    last_launch = work.launch;
  }
  if (last_thread == kNoThread) return;
  gaps.push_back({until, INT64_MAX});
  for (const Interval& gap : gaps) AddHostIdle(last_thread, gap);
}

void Finder::ShareDevices() {
  launched_.resize(trace_.size());
  table_.owners.reserve(tree_.work().size());
  for (const DeviceWork& work : tree_.work())
    table_.owners.push_back(OwnerOf(work));
  const auto count = static_cast<uint32_t>(table_.list.size());
  SharedTime shared(count + 2);
  for (const DeviceQueue& device : QueuesByDevice(tree_)) {
    for (const uint32_t index : device.work) {
      const DeviceWork& work = tree_.work()[index];
      shared.Add(table_.owners[index],
                 {trace_.start_ns()[work.row], tree_.end_ns(work.row)});
      CountWork(work, table_.owners[index]);
    }
    shared.Settle();
    AddIdleOf(device);
  }
  for (uint32_t i = 0; i < count; ++i)
    table_.list[i].gpu_busy_ns = shared.of(i);
  table_.outside_ns = shared.of(count);
  table_.unknown_ns = shared.of(count + 1);
  table_.total_busy_ns = shared.total();
}

void Finder::Finish() {
  table_.requests = log_;
  table_.kinds = SumByKind(table_.list);
  std::string_view last;
  for (const IterationRow& one : table_.list) {
    if (one.mark.engine == last) continue;
    last = one.mark.engine;
    if (table_.engine.find(last) != std::string::npos) continue;
    if (!table_.engine.empty()) table_.engine += ", ";
    table_.engine += one.mark.engine;
  }
  SortByStart();
}

// Threads stood one behind the other; who owns what follows their iterations.
void Finder::SortByStart() {
  std::vector<IterationRow>& list = table_.list;
  if (std::ranges::is_sorted(list, {}, &IterationRow::start_ns)) return;
  std::vector<uint32_t> order(list.size());
  std::iota(order.begin(), order.end(), 0u);
  StableSort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return list[a].start_ns < list[b].start_ns;
  });
  std::vector<IterationRow> sorted;
  sorted.reserve(list.size());
  std::vector<uint32_t> place(list.size());
  for (const uint32_t from : order) {
    place[from] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(std::move(list[from]));
  }
  list = std::move(sorted);
  for (uint32_t& owner : table_.owners)
    if (owner < place.size()) owner = place[owner];
}

}  // namespace

IterationTable ComputeIterations(const EventTree& tree) {
  IterationTable table;
  Finder finder(tree, table);
  // Requests without iterations want to know how busy devices were, too.
  if (!finder.FindMarks() && !finder.Conclude() && !finder.knows_requests())
    return table;
  finder.FindRepeats();
  finder.ShareDevices();
  finder.Finish();
  return table;
}

}  // namespace stepscope
