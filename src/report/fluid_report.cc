// SPDX-License-Identifier: Apache-2.0
#include "report/fluid_report.h"

#include <algorithm>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/flat_map.h"
#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/text_style.h"

namespace stepscope {
namespace {

constexpr size_t kNameMargin = 4;
constexpr size_t kNumberWidth = 12;
constexpr size_t kShareWidth = 24;

struct Item {
  StringId name;
  uint32_t thread = 0;  // counted as threads began to record
  uint64_t calls = 0;
  int64_t cpu_ns = 0;
  int64_t gpu_ns = 0;
  TimeStats time;
  int64_t first_end_ns = INT64_MAX;
};

double InMilliseconds(int64_t ns) { return static_cast<double>(ns) / 1e6; }

// Six significant digits, as C++ streams print.
std::string Number(double value) {
  return Padded(Format("%g", value), kNumberWidth);
}

std::string Share(int64_t part, int64_t whole) {
  return Padded(Format("%f (%f)", InMilliseconds(part), Ratio(part, whole)),
                kShareWidth);
}

bool ComesFirst(const Item& a, const Item& b, FluidSort sort) {
  __extension__ using Wide = __int128;
  switch (sort) {
    case FluidSort::kCalls:
      return a.calls > b.calls;
    case FluidSort::kTotal:
      return a.time.total_ns > b.time.total_ns;
    case FluidSort::kMax:
      return a.time.max_ns > b.time.max_ns;
    case FluidSort::kMin:
      return a.time.min_ns > b.time.min_ns;
    case FluidSort::kAve:
      return static_cast<Wide>(a.time.total_ns) * b.calls >
             static_cast<Wide>(b.time.total_ns) * a.calls;
    case FluidSort::kFirstEnd:
      break;
  }
  return a.first_end_ns < b.first_end_ns;
}

class Report {
 public:
  Report(const Trace& trace, const FluidOptions& options)
      : tree_(trace), options_(options) {}

  std::string Render() {
    AddOwnWork();
    const uint32_t threads = NumberThreads();
    std::string out;
    if (threads > 1) out += Print(Collect(true), true);
    return out + Print(Collect(false), false);
  }

 private:
  void AddOwnWork() {
    const Trace& trace = tree_.trace();
    if (tree_.work().empty() || !own_gpu_ns_.Resize(trace.size())) return;
    for (const DeviceWork& work : tree_.work()) {
      if (work.owner == kNoRow) continue;
      int64_t& sum = own_gpu_ns_[work.owner];
      sum = SaturatingAdd(sum, trace.dur_ns()[work.row]);
    }
  }

  // Threads by their first event. Returns how many have any.
  uint32_t NumberThreads() {
    const Threads& threads = tree_.threads();
    std::vector<std::pair<int64_t, uint32_t>> starts;
    for (uint32_t i = 0; i < threads.size(); ++i) {
      const Track& track = tree_.trace().tracks()[threads[i].first_track];
      if (track.first == track.last) continue;
      starts.emplace_back(tree_.trace().start_ns()[track.first], i);
    }
    std::sort(starts.begin(), starts.end());
    number_.assign(threads.size(), 0);
    for (uint32_t i = 0; i < starts.size(); ++i) number_[starts[i].second] = i;
    return static_cast<uint32_t>(starts.size());
  }

  std::vector<Item> Collect(bool merged) const {
    const Trace& trace = tree_.trace();
    std::vector<Item> items;
    FlatMap slots;
    for (uint32_t i = 0; i < tree_.threads().size(); ++i) {
      const uint32_t thread = merged ? 0 : number_[i];
      tree_.threads().ForEachRow(i, [&](Row row) {
        if (IsApiCall(trace.type()[row])) return;
        const StringId name = trace.name()[row];
        uint32_t slot = slots.Insert(uint64_t{thread} << 32 | name.v);
        if (slot == FlatMap::kNew) {
          slot = slots.size() - 1;
          items.emplace_back();
          items.back().name = name;
          items.back().thread = thread;
        }
        Item& item = items[slot];
        const int64_t cpu = trace.dur_ns()[row];
        const int64_t gpu = own_gpu_ns_.empty() ? 0 : own_gpu_ns_[row];
        ++item.calls;
        item.cpu_ns = SaturatingAdd(item.cpu_ns, cpu);
        item.gpu_ns = SaturatingAdd(item.gpu_ns, gpu);
        item.time.Add(options_.state == FluidState::kCpu   ? cpu
                      : options_.state == FluidState::kGpu ? gpu
                                                           : cpu + gpu);
        item.first_end_ns = std::min(item.first_end_ns, tree_.end_ns(row));
      });
    }
    StableSort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
      if (a.thread != b.thread) return a.thread > b.thread;
      return ComesFirst(a, b, options_.sort);
    });
    return items;
  }

  std::string Name(const Item& item, bool merged) const {
    const std::string name =
        Shorten(VisibleText(tree_.trace().str(item.name)), kLongestTextName);
    return merged ? name : Format("thread%u::", item.thread) + name;
  }

  std::string Print(const std::vector<Item>& items, bool merged) const {
    static constexpr const char* kPlaces[] = {"CPU", "CUDA", "All"};
    static constexpr const char* kDomains[] = {
        "event first end time", "number of calls", "total time",
        "maximum time",         "minimum time",    "average time"};
    std::string out =
        "\n------------------------->     Profiling Report     "
        "<-------------------------\n\n";
    if (merged) out += "Note! This Report merge all thread info into one.\n";
    out += Format(
        "Place: %s\nTime unit: ms\nSorted by %s in descending order "
        "in the same thread\n\n",
        kPlaces[static_cast<size_t>(options_.state)],
        kDomains[static_cast<size_t>(options_.sort)]);
    const bool all = options_.state == FluidState::kAll;
    size_t width = 0;
    std::vector<int64_t> totals;  // by thread
    for (const Item& item : items) {
      width = std::max(width, DisplayWidth(Name(item, merged)));
      if (item.thread >= totals.size()) totals.resize(item.thread + 1);
      totals[item.thread] =
          SaturatingAdd(totals[item.thread], item.time.total_ns);
    }
    width += kNameMargin;
    out += Padded("Event", width) + Padded("Calls", kNumberWidth) +
           Padded("Total", kNumberWidth);
    if (all) {
      out += Padded("CPU Time (Ratio)", kShareWidth) +
             Padded("GPU Time (Ratio)", kShareWidth);
    }
    for (const char* head : {"Min.", "Max.", "Ave.", "Ratio."})
      out += Padded(head, kNumberWidth);
    out += '\n';
    for (const Item& item : items) {
      const int64_t total = item.time.total_ns;
      out += Padded(Name(item, merged), width) +
             Padded(std::to_string(item.calls), kNumberWidth) +
             Number(InMilliseconds(total));
      if (all) out += Share(item.cpu_ns, total) + Share(item.gpu_ns, total);
      out += Number(InMilliseconds(item.time.min_or_zero())) +
             Number(InMilliseconds(item.time.max_ns)) +
             Number(InMilliseconds(total) / static_cast<double>(item.calls)) +
             Number(Ratio(total, totals[item.thread])) + '\n';
    }
    return out + '\n';
  }

  const EventTree tree_;
  const FluidOptions options_;
  Column<int64_t> own_gpu_ns_;
  std::vector<uint32_t> number_;  // by thread
};

}  // namespace

std::optional<FluidState> ParseFluidState(std::string_view text) {
  if (text == "CPU") return FluidState::kCpu;
  if (text == "GPU") return FluidState::kGpu;
  if (text == "All") return FluidState::kAll;
  return std::nullopt;
}

std::optional<FluidSort> ParseFluidSort(std::string_view text) {
  if (text == "calls") return FluidSort::kCalls;
  if (text == "total") return FluidSort::kTotal;
  if (text == "max") return FluidSort::kMax;
  if (text == "min") return FluidSort::kMin;
  if (text == "ave") return FluidSort::kAve;
  return std::nullopt;
}

std::string RenderFluidReport(const Trace& trace, const FluidOptions& options) {
  return Report(trace, options).Render();
}

}  // namespace stepscope
