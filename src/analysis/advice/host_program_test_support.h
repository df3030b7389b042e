// SPDX-License-Identifier: Apache-2.0
//
// HostProgram: draws a program whose steps are the host's alone, for tests of
// advice. Times are in microseconds.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/rules.h"
#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {

inline constexpr int kHostSteps = 10;
inline constexpr int kHostStepUs = 1000;

// The same events in all steps, or in one of them.
class HostProgram {
 public:
  HostProgram& Add(int begin, int end, const std::string& what) {
    for (int step = 0; step < kHostSteps; ++step) In(step, begin, end, what);
    return *this;
  }
  HostProgram& In(int step, int begin, int end, const std::string& what) {
    const int64_t at = int64_t{step} * kHostStepUs;
    lines_.push_back({(at + begin) * 1000, (at + end) * 1000, what});
    return *this;
  }
  HostProgram& LastStepEnds(int end) {
    last_end_ = end;
    return *this;
  }
  HostProgram& Raw(const std::string& text) {
    more_ += text;
    return *this;
  }

  Advice Ask() {
    for (int step = 0; step < kHostSteps; ++step) {
      In(step, 0, step == kHostSteps - 1 ? last_end_ : kHostStepUs - 10,
         "ProfileStep#" + std::to_string(step) + " ProfileStep");
    }
    std::stable_sort(
        lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
          return std::pair(a.begin, -a.end) < std::pair(b.begin, -b.end);
        });
    std::string text = more_ + "thread 1 main\n";
    for (const Line& line : lines_) {
      text += std::to_string(line.begin) + ".." + std::to_string(line.end) +
              " " + line.what + "\n";
    }
    trace_ = TraceFromText(text);
    SummaryOptions options;
    options.views = kAdviceView;
    summary_ = ComputeSummary(*trace_, options);
    return summary_.advice;
  }
  const Summary& summary() const { return summary_; }

 private:
  struct Line {
    int64_t begin;
    int64_t end;
    std::string what;
  };
  std::vector<Line> lines_;
  std::string more_;
  int last_end_ = kHostStepUs - 10;
  std::shared_ptr<const Trace> trace_;
  Summary summary_;
};

inline HostProgram Training() {
  HostProgram program;
  program.Add(10, 110, "forward Forward")
      .Add(120, 220, "backward Backward")
      .Add(230, 260, "Optimizer.step#SGD.step Optimization");
  return program;
}

inline const Finding* FindHost(const Advice& advice, std::string_view id) {
  for (const Finding& finding : advice.findings)
    if (finding.id == id) return &finding;
  return nullptr;
}

inline bool Says(const Finding& finding, std::string_view part) {
  return std::any_of(finding.evidence.begin(), finding.evidence.end(),
                     [&](const Evidence& evidence) {
                       return evidence.what.find(part) != std::string::npos;
                     });
}

}  // namespace stepscope
