// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/concluded_iterations.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/autograd_names.h"
#include "analysis/kinds.h"
#include "analysis/module_names.h"
#include "analysis/op_shapes.h"

namespace stepscope {
namespace {

// Fewer are no loop.
constexpr size_t kFewest = 3;
// No batch has more tokens; what says more is no shape of ids.
constexpr int64_t kMostIds = int64_t{1} << 31;

constexpr TypeSet kTrainingTypes = SetOf(STEPSCOPE_PROFILE_STEP) |
                                   SetOf(STEPSCOPE_BACKWARD) |
                                   SetOf(STEPSCOPE_OPTIMIZATION);
constexpr TypeSet kCallTypes =
    SetOf(STEPSCOPE_PYTHON_FUNCTION) | SetOf(STEPSCOPE_FORWARD);

bool HasStepsOrTrains(const EventTree& tree) {
  for (size_t i = 0; i < tree.threads().size(); ++i)
    if (tree.Has(i, kTrainingTypes)) return true;
  return AutogradNames(tree).any();
}

// By the shape of the ids: [sequences, tokens of each], or one token alone.
// Rows of ids of one dimension may be of any number of sequences.
IterationMark MarkOfTokenIds(const Shape& ids) {
  IterationMark mark;
  const bool one = ids.size() == 1 && ids[0] == 1;
  if (!one && ids.size() != 2) return mark;
  const int64_t sequences = ids[0];
  const int64_t tokens = one ? 1 : ids[1];
  if (sequences <= 0 || tokens <= 0 || sequences > kMostIds ||
      tokens > kMostIds / sequences)
    return mark;
  const bool prompt = tokens > 1;
  mark.kind = prompt ? IterationKind::kPrefill : IterationKind::kDecode;
  mark.requests = sequences;
  mark.tokens_context = prompt ? sequences * tokens : 0;
  mark.tokens_generation = prompt ? 0 : sequences;
  return mark;
}

// The names that the two rules look for.
struct LoopNames {
  LoopNames(const EventTree& tree, const ModuleNames& module_names)
      : modules(module_names),
        embedding(tree.trace().strings().Find("aten::embedding")),
        samples{tree.trace().strings().Find("aten::argmax"),
                tree.trace().strings().Find("aten::multinomial")} {}

  bool IsEmbedding(StringId name) const {
    return name == embedding && embedding != StringId();
  }
  bool HavePasses() const {
    return embedding != StringId() &&
           (samples[0] != StringId() || samples[1] != StringId());
  }
  bool IsSample(StringId name) const {
    return name != StringId() && (name == samples[0] || name == samples[1]);
  }

  const ModuleNames& modules;
  StringId embedding;
  StringId samples[2];
};

// A call, or what goes from one embedding to the next after a sample.
struct LoopTurn {
  Row row = kNoRow;
  Row embedding = kNoRow;
  int64_t end_ns = 0;
  bool sampled = false;
  std::set<uint32_t> operators;  // names of those that no other contains
};

// What one thread shows.
class ThreadTurns {
 public:
  ThreadTurns(const EventTree& tree, const LoopNames& names, size_t thread)
      : tree_(tree), trace_(tree.trace()), names_(names) {
    int64_t call_end = INT64_MIN;  // of spans
    int64_t operator_end = INT64_MIN;
    tree.ForEachNested(thread, [&](Row row, Interval span) {
      if (IsCall(row) && span.begin >= call_end) {
        call_end = span.end;
        calls_.push_back({row, kNoRow, tree_.end_ns(row), false, {}});
      }
      if (trace_.type()[row] != STEPSCOPE_OPERATOR || span.begin < operator_end)
        return;
      operator_end = span.end;
      AddOperator(row, span.begin < call_end);
    });
  }

  // Empty: no call takes most of the time again and again.
  std::vector<LoopTurn> Calls() const {
    struct Sum {
      int64_t time_ns = 0;
      size_t count = 0;
    };
    std::map<uint32_t, Sum> sums;  // by name
    int64_t all_ns = 0;
    for (const LoopTurn& call : calls_) {
      Sum& sum = sums[trace_.name()[call.row].v];
      sum.time_ns = SaturatingAdd(sum.time_ns, trace_.dur_ns()[call.row]);
      all_ns = SaturatingAdd(all_ns, trace_.dur_ns()[call.row]);
      ++sum.count;
    }
    const auto most = std::max_element(
        sums.begin(), sums.end(), [](const auto& a, const auto& b) {
          return a.second.time_ns < b.second.time_ns;
        });
    std::vector<LoopTurn> found;
    if (most == sums.end() || most->second.count < kFewest ||
        most->second.time_ns < all_ns - most->second.time_ns)
      return found;
    for (const LoopTurn& call : calls_)
      if (trace_.name()[call.row].v == most->first) found.push_back(call);
    return found;
  }

  // Empty: the passes are too few, or each is of other operators. The last may
  // be cut off; what it launched is no other's.
  const std::vector<LoopTurn>& Passes() {
    std::map<std::set<uint32_t>, size_t> alike;
    size_t whole = 0;
    size_t most = 0;
    for (const LoopTurn& pass : passes_) {
      if (!pass.sampled) continue;
      ++whole;
      most = std::max(most, ++alike[pass.operators]);
    }
    if (whole < kFewest || most <= whole / 2) passes_.clear();
    return passes_;
  }

 private:
  bool IsCall(Row row) const {
    return names_.modules.Has(row) ||
           (trace_.type()[row] == STEPSCOPE_FORWARD &&
            !IsConcludedPass(trace_, row));
  }

  // `row`: an operator that no other one contains.
  void AddOperator(Row row, bool in_call) {
    const StringId name = trace_.name()[row];
    const bool reads = names_.IsEmbedding(name);
    if (reads && in_call && calls_.back().embedding == kNoRow)
      calls_.back().embedding = row;
    if (reads && (passes_.empty() || passes_.back().sampled))
      passes_.push_back({row, row, tree_.end_ns(row), false, {}});
    if (passes_.empty()) return;
    LoopTurn& pass = passes_.back();
    pass.operators.insert(name.v);
    const bool samples = names_.IsSample(name);
    if (samples || !pass.sampled) pass.end_ns = tree_.end_ns(row);
    pass.sampled = pass.sampled || samples;
  }

  const EventTree& tree_;
  const Trace& trace_;
  const LoopNames& names_;
  std::vector<LoopTurn> calls_;
  std::vector<LoopTurn> passes_;
};

// From what iterations were concluded, in words.
class RuleWords {
 public:
  explicit RuleWords(const Trace& trace) : trace_(trace) {}

  void AddCall(Row row) {
    const std::string_view name = trace_.str(trace_.name()[row]);
    const std::string_view module = ModuleIn(name);
    Add(module.empty() ? "Forward events " + std::string(name)
                       : "calls of nn.Module " + std::string(module));
  }
  void AddPasses() {
    Add("operators, aten::embedding to aten::argmax or aten::multinomial");
  }
  std::string Take() {
    return words_.empty() ? std::string()
                          : "iterations concluded from " + words_;
  }

 private:
  void Add(std::string what) {
    if (!said_.insert(what).second) return;
    if (!words_.empty()) words_ += "; ";
    words_ += what;
  }

  const Trace& trace_;
  std::set<std::string> said_;
  std::string words_;
};

}  // namespace

bool MayConcludeIterations(const EventTree& tree) {
  if (HasStepsOrTrains(tree)) return false;
  const ModuleNames modules(tree);
  if (modules.any() || LoopNames(tree, modules).HavePasses()) return true;
  for (size_t i = 0; i < tree.threads().size(); ++i)
    if (tree.Has(i, SetOf(STEPSCOPE_FORWARD))) return true;
  return false;
}

ConcludedIterations ConcludeIterations(const EventTree& tree) {
  const Trace& trace = tree.trace();
  ConcludedIterations found;
  found.threads.resize(tree.threads().size());
  if (HasStepsOrTrains(tree)) return found;
  const ModuleNames modules(tree);
  const LoopNames names(tree, modules);
  RawArgReader raw(trace);
  RuleWords rule(trace);
  for (size_t i = 0; i < found.threads.size(); ++i) {
    const bool calls = tree.Has(i, SetOf(STEPSCOPE_FORWARD)) ||
                       (modules.any() && tree.Has(i, kCallTypes));
    const bool reads =
        names.embedding != StringId() && tree.Has(i, SetOf(STEPSCOPE_OPERATOR));
    if (!calls && !reads) continue;
    ThreadTurns turns(tree, names, i);
    std::vector<LoopTurn> chosen = turns.Calls();
    if (!chosen.empty()) {
      rule.AddCall(chosen.front().row);
    } else if (chosen = turns.Passes(); !chosen.empty()) {
      rule.AddPasses();
    }
    for (const LoopTurn& turn : chosen) {
      ConcludedIteration one{turn.row, turn.end_ns, {}};
      if (turn.embedding != kNoRow)
        one.mark = MarkOfTokenIds(
            ShapesOf(trace, turn.embedding, raw.Get(turn.embedding)).input(1));
      found.threads[i].push_back(one);
    }
  }
  found.rule = rule.Take();
  return found;
}

}  // namespace stepscope
