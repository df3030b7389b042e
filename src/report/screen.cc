// SPDX-License-Identifier: Apache-2.0
#include "report/screen.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/looks.h"
#include "analysis/memory_script.h"
#include "analysis/name_class.h"
#include "analysis/summary_notes.h"
#include "analysis/tables/memory_peak.h"
#include "analysis/tables/memory_processes.h"
#include "base/file.h"
#include "base/name_display.h"
#include "base/shell_word.h"
#include "base/short_place.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/advice_text.h"
#include "report/screen_cells.h"
#include "report/screen_rows.h"
#include "trace/memory_levels.h"

namespace stepscope {
namespace {

constexpr size_t kNoteLines = 3;  // all notes together
constexpr size_t kFindings = 3;
constexpr size_t kFindingLines = 2;  // of one
constexpr size_t kHostRows = 10;
constexpr size_t kHostRowsBesideKernels = 6;
constexpr size_t kHostRowsBesideIterations = 3;
constexpr size_t kKernelRows = 6;
constexpr size_t kMemoryPlaces = 2;
constexpr size_t kPartWidth = 29;
constexpr size_t kBarWidth = 18;
constexpr size_t kNarrowest = 72;  // what the columns need

class ScreenRenderer {
 public:
  ScreenRenderer(const Summary& summary, const TableOptions& options)
      : summary_(summary),
        options_(options),
        width_(
            options.style.width == 0
                ? kScreenWidth
                : std::clamp(options.style.width, kNarrowest, kScreenWidth)) {}

  std::string Render() {
    Head();
    if (summary_.events.any) {
      if (!memory_alone_) Parts();
      Iterations();
      Findings();
      if (!memory_alone_) HostNames();
      Kernels();
      Memory();
      if (memory_alone_ && several_) MemoryOfProcesses();
      if (memory_alone_ && !several_) Holders();
    }
    Next();
    return std::move(out_);
  }

 private:
  void Head();
  std::string WhatWasRecorded() const;
  std::string StepsText() const;
  void Notes();
  void Parts();
  void Iterations();
  void Findings();
  void HostNames();
  void HostTable(const HostWork& work, size_t rows);
  void Workers(const HostWorkOfJob& job);
  void Kernels();
  void Memory();
  void Holders();
  void MemoryOfProcesses();
  void Next();

  void Line(std::string_view text = {}) {
    out_ += text;
    out_ += '\n';
  }
  // At most `lines` lines; all but the first begin with so many blanks.
  void Paragraph(const std::string& text, size_t indent, size_t lines) {
    for (const std::string& line : WrapInto(text, indent, width_, lines))
      Line(line);
  }
  static std::string Name(std::string_view name) {
    return VisibleText(ClearName(name.empty() ? kEmptyName : name));
  }
  // " of rank 1": others have such a device, too.
  static std::string Of(std::string_view process) {
    return process.empty() ? "" : " of " + VisibleText(process);
  }
  TimeUnit UnitOf(int64_t largest_ns) const {
    return ScreenUnit(options_.unit, largest_ns);
  }
  std::string Duration(int64_t ns) const {
    const TimeUnit unit = UnitOf(ns);
    return ScreenTime(ns, unit) + " " + std::string(TimeUnitName(unit));
  }
  // How many of `rows` to list; `usual` where the user has no wish.
  size_t Shown(size_t rows, size_t usual) const {
    const size_t top = options_.style.top;
    return std::min(rows, top == kScreenRows ? usual : top == 0 ? rows : top);
  }
  std::string_view TitleOf(StepPart part) const {
    return StepPartTitle(part, summary_.waterfall.device_events > 0);
  }
  std::string WordsOf(StepPart part) const {
    const Waterfall& waterfall = summary_.waterfall;
    if (part == StepPart::kUnexplained && waterfall.before_events_ns > 0)
      return Duration(waterfall.before_events_ns /
                      static_cast<int64_t>(waterfall.steps.size())) +
             " before the first event";
    return std::string(LookOf(part).words);
  }
  // The step, or what stands for it.
  std::string OfWhat() const {
    return summary_.has_steps ? "a step" : "the recording";
  }
  // What was read, as the user named it or as far as the trace says.
  std::string Input() const {
    const auto& sources = summary_.trace->sources();
    if (!options_.input.empty()) return options_.input;
    return sources.size() == 1 ? sources[0].path : "";
  }

  const Summary& summary_;
  const TableOptions& options_;
  const size_t width_;
  // Nothing in it has a duration: tables of time would be of zeros.
  const bool memory_alone_ = IsOfMemoryAlone(*summary_.trace);
  // Else amounts are all that is known of memory.
  const bool has_blocks_ =
      summary_.trace->strings().Find(kMemoryLevelsPlace) == StringId();
  // Each has an allocator of its own.
  const bool several_ = summary_.trace->processes().size() > 1;
  std::string out_;
};

std::string ScreenRenderer::WhatWasRecorded() const {
  const Trace& trace = *summary_.trace;
  std::string text(trace.format());
  const auto add = [&](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  const uint64_t ranks = summary_.ranks.ranks.size();
  if (ranks > 1) add(CountText(ranks, "rank"));
  // Several recordings of one process are no further ones.
  std::set<std::pair<StringId, int64_t>> on_hosts;
  uint64_t processes = 0;
  for (const Process& process : trace.processes())
    processes += process.host == StringId{} || process.pid < 0 ||
                 on_hosts.emplace(process.host, process.pid).second;
  if (processes > std::max<uint64_t>(ranks, 1))
    add(CountText(processes, "process", "processes"));
  if (!summary_.idle.devices.empty())
    add(CountText(summary_.idle.devices.size(), "device"));
  return text.empty() ? "" : " (" + text + ")";
}

std::string ScreenRenderer::StepsText() const {
  if (!summary_.events.any) return "The trace has no events.";
  if (memory_alone_)
    return (has_blocks_
                ? "A snapshot of memory: " +
                      CountText(summary_.trace->memory().size(), "event")
                : std::string("A timeline of memory by category")) +
           " over " +
           Duration(SaturatingSubtract(summary_.trace->end_ns(),
                                       summary_.trace->begin_ns())) +
           ".";
  if (!summary_.has_steps) {
    const uint64_t iterations = summary_.iterations.list.size();
    return iterations > 0
               ? CountText(iterations, "iteration") +
                     "; shares are of the whole recording, " +
                     Duration(summary_.total_ns) + "."
               : "No steps were marked: shares are of the whole recording, " +
                     Duration(summary_.total_ns) +
                     ". stepscope.step() after each iteration marks them.";
  }
  const StepTime& time = summary_.step_time;
  std::string text = CountText(time.steps, "step");
  if (time.steps < 2) return text + " of " + Duration(time.p50_ns) + ".";
  const TimeUnit unit = UnitOf(time.p50_ns);
  const auto between = [&](int64_t low, int64_t high) {
    return ScreenTime(low, unit) + " to " + ScreenTime(high, unit);
  };
  return text + " of " + Duration(time.p50_ns) +
         " (median); the middle half took " +
         between(time.p25_ns, time.p75_ns) + ", all " +
         between(time.min_ns, time.max_ns) + " " +
         std::string(TimeUnitName(unit)) + ".";
}

void ScreenRenderer::Head() {
  const std::string what = WhatWasRecorded();
  const std::string input = Input();
  const std::string name = VisibleText(
      input.empty() ? CountText(summary_.trace->sources().size(), "file")
                    : input);
  const size_t room = width_ - std::min(width_, DisplayWidth(what));
  // Of a path, its end says which it is.
  Line((name.size() <= room ? name : ShortenMiddle(name, room)) + what);
  Paragraph(StepsText(), 0, 2);
  Notes();
}

void ScreenRenderer::Notes() {
  std::vector<std::string> lines;
  size_t left_out = 0;
  for (const std::string& note : summary_.notes) {
    // What is missing can be seen, and steps have been spoken of.
    if (note.starts_with(kNothingRecorded) ||
        note.starts_with(kNoStepsRecorded) || !summary_.events.any)
      continue;
    const std::vector<std::string> wrapped =
        WrapInto("* " + VisibleText(note), 2, width_, 2);
    if (lines.size() + wrapped.size() > kNoteLines) {
      ++left_out;
      continue;
    }
    lines.insert(lines.end(), wrapped.begin(), wrapped.end());
  }
  for (const std::string& line : lines) Line(line);
  if (left_out > 0) {
    Line("* " + CountText(left_out, "more note") +
         ": --views step_time prints all notes.");
  }
}

void ScreenRenderer::Parts() {
  const Waterfall& waterfall = summary_.waterfall;
  if (waterfall.step_ns <= 0 || waterfall.steps.empty()) return;
  const auto steps = static_cast<int64_t>(waterfall.steps.size());
  const TimeUnit unit = UnitOf(waterfall.step_ns / steps);
  constexpr size_t kTimeWidth = 10;
  constexpr size_t kShareWidth = 7;
  Line();
  // Several processes, where no steps were marked.
  const std::string what = steps > 1 && !summary_.has_steps ? "time" : OfWhat();
  Line(Padded("Where " + what + " goes" + (steps > 1 ? ", on average" : ""),
              kPartWidth) +
       AlignedRight(TimeUnitName(unit), kTimeWidth) +
       AlignedRight("%", kShareWidth));
  for (size_t i = 0; i < kStepParts; ++i) {
    const int64_t ns = waterfall.part_ns[i];
    if (ns <= 0) continue;
    const auto part = static_cast<StepPart>(i);
    const double share = Ratio(ns, waterfall.step_ns);
    const std::string bar(
        static_cast<size_t>(share * static_cast<double>(kBarWidth) + 0.5), '#');
    Line(Shorten(Padded("  " + std::string(TitleOf(part)), kPartWidth) +
                     AlignedRight(ScreenTime(ns / steps, unit), kTimeWidth) +
                     AlignedRight(ScreenPercent(share), kShareWidth) + "  " +
                     Padded(bar, kBarWidth) + " " + WordsOf(part),
                 width_));
  }
}

// The loop of a server: what a step is to training.
void ScreenRenderer::Iterations() {
  const IterationTable& iterations = summary_.iterations;
  if (iterations.kinds.empty()) return;
  int64_t largest = 0;
  bool any_tokens = false;
  for (const IterationKindRow& row : iterations.kinds) {
    largest = std::max(largest, row.period.p99_ns);
    any_tokens = any_tokens || row.tokens_per_s;
  }
  const TimeUnit unit = UnitOf(largest);
  const std::string in = " " + std::string(TimeUnitName(unit));
  std::vector<std::string> heads = {
      "Iterations" + (iterations.concluded ? ", concluded"
                      : iterations.engine.empty()
                          ? std::string()
                          : " of " + VisibleText(iterations.engine)),
      "count", "period p50" + in, "p99" + in, "device p50" + in};
  if (any_tokens) heads.push_back("tokens/s");
  ScreenTable table(std::move(heads));
  for (const IterationKindRow& row : iterations.kinds) {
    const bool known = !row.period.histogram.empty();
    std::vector<std::string> cells = {
        std::string(NameOf(row.kind)), CountText(row.count),
        known ? ScreenTime(row.period.p50_ns, unit) : "",
        known ? ScreenTime(row.period.p99_ns, unit) : "",
        ScreenTime(row.gpu_busy_p50_ns, unit)};
    if (any_tokens) {
      cells.push_back(row.tokens_per_s ? CountText(static_cast<int64_t>(
                                             *row.tokens_per_s + 0.5))
                                       : "");
    }
    table.Add(std::move(cells));
  }
  Line();
  for (const std::string& line : table.Lines(width_)) Line(line);
}

void ScreenRenderer::Findings() {
  const Advice& advice = summary_.advice;
  Line();
  if (advice.findings.empty()) {
    Paragraph("Findings: none. " +
                  (advice.nothing.empty()
                       ? "Nothing that was looked for saves 3 % of " +
                             OfWhat() + " or more."
                       : VisibleText(advice.nothing.front())),
              2, 3);
    return;
  }
  const size_t shown = std::min(advice.findings.size(), kFindings);
  Line(shown < advice.findings.size()
           ? "Findings, the best " + std::to_string(shown) + " of " +
                 std::to_string(advice.findings.size())
           : std::string("Findings"));
  std::vector<std::string> savings;
  size_t widest = 0;
  for (size_t i = 0; i < shown; ++i) {
    // Others are of the median step.
    savings.push_back(ShortSavingText(advice.findings[i]) +
                      (advice.findings[i].average ? " on average" : ""));
    widest = std::max(widest, savings.back().size());
  }
  for (size_t i = 0; i < shown; ++i) {
    const std::string head =
        Format("  %zu. saves ", i + 1) + Padded(savings[i], widest) + "  ";
    Paragraph(head + VisibleText(advice.findings[i].finding), head.size(),
              kFindingLines);
  }
}

void ScreenRenderer::HostTable(const HostWork& work, size_t rows) {
  int64_t largest = 0;
  bool device = false;  // a column of zeros says nothing
  for (size_t i = 0; i < rows; ++i) {
    const HostRow& row = work.rows[i];
    largest = std::max({largest, row.cpu.total_ns, row.gpu.total_ns});
    device = device || row.gpu.total_ns > 0;
  }
  const TimeUnit unit = UnitOf(largest);
  const std::string what =
      summary_.operators.empty()
          ? summary_.user_defined.empty() ? "Python functions" : "Ranges"
          : "Operators and ranges";
  const std::string in = " " + std::string(TimeUnitName(unit));
  std::vector<std::string> heads = {what + " by self time", "self" + in, "%",
                                    "total" + in};
  if (device) heads.push_back("on device" + in);
  heads.push_back("calls");
  ScreenTable table(std::move(heads));
  for (size_t i = 0; i < rows; ++i) {
    const HostRow& row = work.rows[i];
    std::vector<std::string> cells = {
        Name(row.name), ScreenTime(row.self_cpu_ns, unit),
        ScreenPercent(Ratio(row.self_cpu_ns, work.self_ns)),
        ScreenTime(row.cpu.total_ns, unit)};
    if (device) cells.push_back(ScreenTime(row.gpu.total_ns, unit));
    cells.push_back(CountText(row.calls));
    table.Add(std::move(cells));
  }
  for (const std::string& line : table.Lines(width_)) Line(line);
}

void ScreenRenderer::HostNames() {
  const HostWorkOfJob job = CollectHostWork(summary_, options_.sort);
  if (!job.steps.rows.empty()) {
    Line();
    HostTable(job.steps,
              Shown(job.steps.rows.size(), !summary_.iterations.list.empty()
                                               ? kHostRowsBesideIterations
                                           : summary_.kernel.empty()
                                               ? kHostRows
                                               : kHostRowsBesideKernels));
  }
  Workers(job);
}

// One line: what the workers do matters when the steps wait for it.
void ScreenRenderer::Workers(const HostWorkOfJob& job) {
  constexpr size_t kNames = 2;
  constexpr size_t kNameWidth = 24;
  if (job.workers.rows.empty()) return;
  std::string text =
      "  In " +
      CountText(job.worker_processes, "worker process", "worker processes") +
      ", not counted above: ";
  for (size_t i = 0; i < std::min(kNames, job.workers.rows.size()); ++i) {
    const HostRow& row = job.workers.rows[i];
    text += (i > 0 ? ", " : "") + ShortenName(Name(row.name), kNameWidth) +
            " " + Duration(row.self_cpu_ns);
  }
  Line(Shorten(text + " (self)", width_));
}

void ScreenRenderer::Kernels() {
  if (summary_.kernel.empty()) return;
  const size_t rows = Shown(summary_.kernel.size(), kKernelRows);
  int64_t largest = 0;
  int64_t longest = 0;
  const auto average = [](const KernelRow& row) {
    return row.calls == 0 ? 0
                          : row.gpu.total_ns / static_cast<int64_t>(row.calls);
  };
  for (size_t i = 0; i < rows; ++i) {
    largest = std::max(largest, summary_.kernel[i].gpu.total_ns);
    longest = std::max(longest, average(summary_.kernel[i]));
  }
  const TimeUnit unit = UnitOf(largest);
  const TimeUnit each = UnitOf(longest);
  const auto in = [](std::string head, TimeUnit of) {
    return head + " " + std::string(TimeUnitName(of));
  };
  ScreenTable table({"Kernels by time on the device", in("total", unit), "%",
                     in("average", each), "calls"});
  for (size_t i = 0; i < rows; ++i) {
    const KernelRow& row = summary_.kernel[i];
    table.Add({Name(WithoutArguments(row.name)),
               ScreenTime(row.gpu.total_ns, unit), ScreenPercent(row.gpu.ratio),
               ScreenTime(average(row), each), CountText(row.calls)});
  }
  Line();
  for (const std::string& line : table.Lines(width_)) Line(line);
}

void ScreenRenderer::Memory() {
  if (memory_alone_ && several_) return;  // MemoryOfProcesses() has more of it
  struct Peak {
    int64_t allocated = 0;
    int64_t reserved = 0;
    std::string_view place;
    std::string_view process;
  };
  std::vector<Peak> peaks;
  for (const MemoryPlace& place : summary_.memory) {
    const Peak peak{
        place.stated_peak_allocated_bytes.value_or(place.peak_allocated_bytes),
        place.stated_peak_reserved_bytes.value_or(place.peak_reserved_bytes),
        place.place, place.process_name};
    if (peak.allocated > 0 || peak.reserved > 0) peaks.push_back(peak);
  }
  if (peaks.empty()) return;
  StableSort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) {
    return a.allocated > b.allocated;
  });
  peaks.resize(std::min(peaks.size(), kMemoryPlaces));
  std::string text;
  for (const Peak& peak : peaks) {
    text += (text.empty() ? "Peak memory: " : "; ") +
            VisibleText(ShortPlace(peak.place)) + Of(peak.process) + " " +
            BytesText(peak.allocated) + " allocated";
    if (peak.reserved > 0)
      text += ", " + BytesText(peak.reserved) + " reserved";
  }
  Line();
  Line(Shorten(text, width_));
}

// Who is first to be out of memory comes first.
void ScreenRenderer::MemoryOfProcesses() {
  const EventTree tree(*summary_.trace);
  const std::vector<MemoryOfProcess> all =
      ComputeMemoryOfProcesses(tree, StepTable(tree));
  if (all.empty()) return;
  ScreenTable table({"Peak of each process", "device", "allocated", "reserved",
                     "out of memory"});
  const size_t rows = Shown(all.size(), kHostRows);
  for (size_t i = 0; i < rows; ++i)
    table.Add({Name(all[i].process), VisibleText(all[i].device),
               BytesText(all[i].allocated_bytes),
               BytesText(all[i].reserved_bytes),
               CountText(all[i].out_of_memory)});
  Line();
  for (const std::string& line : table.Lines(width_)) Line(line);
}

// What the peak consists of.
void ScreenRenderer::Holders() {
  const std::vector<PeakOfDevice> peaks = ComputeMemoryPeaks(*summary_.trace);
  if (peaks.empty()) return;
  const PeakOfDevice& peak = peaks.front();
  ScreenTable table(
      {"Held at the peak of " + VisibleText(peak.device) + Of(peak.process),
       "category", "bytes", "%", "allocations"});
  const size_t rows = Shown(peak.live.size(), kHostRows);
  for (size_t i = 0; i < rows; ++i) {
    const HeldRow& row = peak.live[i];
    table.Add({Name(row.owner), std::string(row.category), BytesText(row.bytes),
               ScreenPercent(Ratio(row.bytes, peak.allocated_bytes)),
               CountText(row.allocations)});
  }
  Line();
  for (const std::string& line : table.Lines(width_)) Line(line);
}

void ScreenRenderer::Next() {
  struct Step {
    std::string command;
    std::string_view purpose;
  };
  const auto commands = [&](const std::string& trace) -> std::vector<Step> {
    if (!has_blocks_) return {{"stepscope view " + trace, "in a browser"}};
    if (memory_alone_)
      return {{"stepscope summary " + trace + " --views " +
                   (several_ ? "memory_processes" : "memory_peak"),
               several_ ? "by rank" : "by line"},
              {"stepscope view " + trace, "in a browser"},
              {"stepscope whatif " + trace + " --memory --device-memory 80GiB",
               "does it fit?"}};
    return {
        {"stepscope advise " + trace, "why, and what to try"},
        {"stepscope view " + trace, "timeline in a browser"},
        {"stepscope summary " + trace +
             (summary_.ranks.several()            ? " --views ranks,stragglers"
              : !summary_.iterations.list.empty() ? " --views iterations"
                                                  : " --views model,operator"),
         "tables"}};
  };
  constexpr std::string_view kHead = "Next: ";
  const auto widest = [](const std::vector<Step>& steps) {
    size_t width = 0;
    for (const Step& step : steps)
      width = std::max(width, DisplayWidth(step.command));
    return width;
  };
  // Standard input, or what lay in memory, cannot be read again.
  const std::string input = Input();
  const bool again = !options_.input.empty() ? input != "-" : FileExists(input);
  std::vector<Step> steps =
      commands(again ? ShellWord(VisibleText(input)) : "TRACE");
  if (kHead.size() + widest(steps) > width_) steps = commands("TRACE");
  const size_t width = widest(steps);
  constexpr size_t kPurpose = 24;  // room for each
  const bool explain = kHead.size() + width + kPurpose <= width_;
  Line();
  for (const Step& step : steps) {
    const std::string head = &step == &steps.front()
                                 ? std::string(kHead)
                                 : std::string(kHead.size(), ' ');
    Line(head + (explain ? Padded(step.command, width) + "  " +
                               std::string(step.purpose)
                         : step.command));
  }
}

}  // namespace

TextLayout UsualLayout(const TableOptions& options) {
  const bool tables = options.views || options.thread_sep ||
                      !options.op_detail || options.flops;
  return tables ? TextLayout::kTables : TextLayout::kScreen;
}

void FillScreenStyle(const ChosenStyle& chosen, TableOptions& options) {
  if (!chosen.sort) options.sort = SortKey::kSelf;
  if (!chosen.unit) options.unit = TimeUnit::kAuto;
  if (!chosen.top) options.style.top = kScreenRows;
}

SummaryOptions ScreenInputs(const TableOptions& options) {
  SummaryOptions inputs = options;
  inputs.views = kWaterfallView | kIdleView | kAdviceView | kOperatorView |
                 kUserDefinedView | kPythonView | kKernelView | kMemoryView |
                 kStepTimeView | kRanksView | kIterationView;
  inputs.thread_sep = true;
  inputs.op_detail = false;
  if (!inputs.steps) inputs.steps = StepChoice::Settled();
  return inputs;
}

std::string RenderScreen(const Summary& summary, const TableOptions& options) {
  return ScreenRenderer(summary, options).Render();
}

}  // namespace stepscope
