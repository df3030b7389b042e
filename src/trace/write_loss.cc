// SPDX-License-Identifier: Apache-2.0
#include "trace/write_loss.h"

#include <charconv>
#include <cstring>

#include "base/text.h"

namespace stepscope {
namespace {

// Numbers of Linux: the file may be read elsewhere.
std::string WhyText(int error) {
  switch (error) {
    case 0:
      return "the file could not be written";
    case 5:
      return "error on the disk";
    case 27:
      return "the file reached the largest size allowed";
    case 28:
      return "disk full";
    case 122:
      return "disk quota used up";
    default:
      return std::strerror(error);
  }
}

}  // namespace

WriteLoss FindWriteLoss(const Trace& trace) {
  WriteLoss loss;
  for (const ThreadReport& thread : trace.threads()) {
    loss.recorded += thread.recorded;
    for (const auto& [reason, count] : thread.dropped)
      if (reason == kDroppedByWrite) loss.dropped += count;
  }
  for (const Process& process : trace.processes()) {
    for (const auto& [key, value] : process.metadata) {
      if (trace.str(key) != "write_error") continue;
      const std::string_view text = trace.str(value);
      std::from_chars(text.data(), text.data() + text.size(), loss.error);
    }
  }
  return loss;
}

std::string WriteLossText(const WriteLoss& loss) {
  std::string text = WhyText(loss.error);
  if (loss.dropped == 0) return text;
  const double all =
      static_cast<double>(loss.dropped) + static_cast<double>(loss.recorded);
  return text + ", " + CountText(loss.dropped, "event") +
         Format(" dropped (%.0f %%)",
                100 * static_cast<double>(loss.dropped) / all);
}

}  // namespace stepscope
