// SPDX-License-Identifier: Apache-2.0
#include "trace/job/process_ending.h"

#include <signal.h>
#include <string.h>

#include <charconv>
#include <optional>

namespace stepscope {
namespace {

// The number behind `word`; nothing if `text` is not that.
std::optional<int> NumberBehind(std::string_view word, std::string_view text) {
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  int value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::string NameOf(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name
                         : "signal " + std::to_string(signal);
}

// Somebody asked it to end, as a parent asks its workers. All other signals
// that end a process are faults or force.
bool IsRequest(int signal) {
  switch (signal) {
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
    case SIGPIPE:
    case SIGALRM:
    case SIGUSR1:
    case SIGUSR2:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool IsStillRecorded(const Trace& trace) {
  for (const Process& process : trace.processes())
    for (const auto& [key, value] : process.metadata)
      if (trace.str(key) == kRecordingKey) return true;
  return false;
}

ProcessEnding DescribeEnding(std::string_view ended) {
  constexpr const char* kAllHere =
      " without closing the capture; all events are here";
  if (const std::optional<int> code = NumberBehind("exit ", ended))
    return {false,
            "ended by _exit (code " + std::to_string(*code) + ")" + kAllHere};
  if (const std::optional<int> signal = NumberBehind("signal ", ended)) {
    if (IsRequest(*signal))
      return {false, "was ended by " + NameOf(*signal) + kAllHere};
    return {true,
            "was killed by " + NameOf(*signal) +
                (*signal == SIGKILL ? " (by hand or for lack of memory)" : "") +
                "; all events up to then are here"};
  }
  if (ended == "exec")
    return {false,
            "executed another program; all events up to then are "
            "here"};
  return {false,
          "ended without closing the capture (by _exit or a signal); "
          "all events are here"};
}

std::string NameProcess(int64_t pid, std::string_view command) {
  constexpr size_t kLongest = 60;
  std::string shown(command.substr(0, kLongest));
  if (shown.size() < command.size()) {
    // Not in the middle of a character.
    while (!shown.empty() && (shown.back() & 0x80) != 0) shown.pop_back();
    shown += "...";
  }
  return "process " + std::to_string(pid) + " (" + shown + ")";
}

}  // namespace stepscope
