// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_report.h"

#include <filesystem>
#include <utility>

#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/record/run_folder.h"
#include "cli/record/saved_windows.h"
#include "importers/capture/write_scan.h"
#include "trace/job/process_ending.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// Texts about processes, each once.
class ProcessLines {
 public:
  void Add(pid_t pid, const std::string& command, const std::string& text) {
    for (Line& line : lines_) {
      if (line.text != text) continue;
      ++line.count;
      return;
    }
    lines_.push_back({text, NameProcess(pid, command), 1});
  }
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const Line& line : lines_) {
      texts.push_back((line.count == 1
                           ? line.first
                           : CountText(line.count) + " processes (" +
                                 line.first.substr(sizeof("process ") - 1) +
                                 " and others)") +
                      ": " + line.text);
    }
    return texts;
  }

 private:
  struct Line {
    std::string text;
    std::string first;
    uint64_t count;
  };
  std::vector<Line> lines_;
};

}  // namespace

std::vector<std::string> DescribeProcesses(
    const std::vector<CaptureEnding>& ended,
    const std::vector<RunningCapture>& running) {
  ProcessLines lines;
  for (const CaptureEnding& one : ended) {
    const ProcessEnding ending = DescribeEnding(one.ended);
    if (!one.error.empty())
      lines.Add(one.pid, one.command,
                "its last events stay in its live file: " + one.error);
    else if (ending.cut_short)
      lines.Add(one.pid, one.command, ending.text);
  }
  for (const RunningCapture& one : running)
    lines.Add(one.pid, one.command,
              "still runs; its capture is completed when it ends, until then "
              "its live file is in " +
                  fs::path(one.live).parent_path().string());
  return lines.Texts();
}

void ReportRun(const std::string& folder, bool fresh, bool quiet,
               const std::vector<std::string>& lines) {
  const std::vector<CaptureFileInfo> captures = CapturesIn(folder);
  const std::vector<SavedWindow> windows = SavedWindowsIn(folder);
  if (captures.empty() && windows.empty()) {
    PrintError(
        "nothing was recorded: the command ended at once, waited for a step or "
        "range that did not come, or cleared its environment");
    std::error_code ignored;
    if (fresh) fs::remove(folder, ignored);
    return;
  }
  for (const std::string& line : lines) PrintError("note: " + line);
  for (const CaptureFileInfo& capture : captures) {
    const Result<WriteLoss> loss =
        capture::ScanWriteLoss((fs::path(folder) / capture.name).string());
    if (loss && loss->any())
      PrintError(capture.name + " is incomplete: " + WriteLossText(*loss));
  }
  if (quiet) return;
  uint64_t bytes = 0;
  for (const CaptureFileInfo& capture : captures) bytes += capture.bytes;
  const std::string shown = ShownFolder(folder);
  for (const SavedWindow& window : windows)
    PrintError("saved " + ShownFolder(window.path) + ", " +
               CountText(window.files, "capture"));
  if (captures.empty()) return;
  PrintError("recorded " + CountText(captures.size(), "capture") +
             Format(", %.2f MB, in ", static_cast<double>(bytes) / 1e6) +
             shown);
  PrintError("see it with: stepscope summary " + shown);
  PrintError("what to try: stepscope advise " + shown);
  PrintError("timeline:    stepscope view " + shown);
}

}  // namespace stepscope
