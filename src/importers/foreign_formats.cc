// SPDX-License-Identifier: Apache-2.0
#include "importers/foreign_formats.h"

#include <algorithm>

#include "base/shell_word.h"

namespace stepscope {
namespace {

bool IsTar(std::string_view head) {
  constexpr size_t kMagicAt = 257;
  return head.size() > kMagicAt + 5 && head.substr(kMagicAt, 5) == "ustar";
}

// The first message of a Chakra file is {version: "0.0.4"} behind its length.
bool IsChakra(std::string_view head) {
  if (head.size() < 5 || head[1] != '\x0a') return false;
  const auto message = static_cast<unsigned char>(head[0]);
  const auto version = static_cast<unsigned char>(head[2]);
  if (version < 3 || version > 16 || message < version + 2 ||
      head.size() < 3u + version)
    return false;
  const std::string_view text = head.substr(3, version);
  return text.find('.') != text.npos &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

// Torch's observer writes its schema first, and Chakra's tools keep it.
bool IsExecutionTrace(std::string_view head) {
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos || head[first] != '{') return false;
  const bool schema = head.find("\"schema\"") != head.npos;
  const bool nodes = head.find("\"nodes\"") != head.npos;
  const bool edges = head.find("\"ctrl_deps\"") != head.npos ||
                     head.find("\"ctrl\"") != head.npos ||
                     head.find("\"rf_id\"") != head.npos;
  return (schema && nodes) || (nodes && edges);
}

// The title of torch's page, and of ours.
bool IsMemoryPicture(std::string_view head) {
  return head.find("<title>GPU Memory Profile HTML</title>") != head.npos ||
         head.find("<title>Memory timeline</title>") != head.npos;
}

bool IsSpeedscope(std::string_view head) {
  return head.find("speedscope.app/file-format-schema.json") != head.npos;
}

// What Chromium and Node call a CPU profile: nodes of sampled calls.
bool IsCpuProfile(std::string_view head) {
  return head.find("\"callFrame\"") != head.npos &&
         head.find("\"nodes\"") != head.npos &&
         head.find("\"ph\"") == head.npos;
}

bool IsNsightReport(std::string_view path) {
  return path.ends_with(".nsys-rep") || path.ends_with(".qdrep") ||
         path.ends_with(".qdstrm");
}

}  // namespace

std::string NameForeignFormat(std::span<const uint8_t> bytes,
                              std::string_view path) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              bytes.size());
  const std::string word = ShellWord(std::string(path));
  // First what the bytes say: a pointer has the name of what it points to.
  if (head.starts_with("version https://git-lfs.github.com/spec/"))
    return "a Git LFS pointer, not the trace itself; fetch it with `git lfs "
           "pull`";
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06"))
    return "a zip archive; unpack it with `unzip " + word +
           "` and read what is in it";
  if (IsTar(head))
    return "a tar archive; unpack it with `tar -xf " + word +
           "` and read what is in it";
  if (head.starts_with(std::string_view("NVR\0", 4)) ||
      path.ends_with(".ncu-rep"))
    return "a report of Nsight Compute, which has kernel metrics and no "
           "timeline; record the program with `stepscope run` or `nsys "
           "profile`";
  if (IsNsightReport(path))
    return "a report of Nsight Systems; convert it with `nsys export --type "
           "sqlite " +
           word + "` and read the .sqlite file";
  if (IsMemoryPicture(head))
    return "a page of export_memory_timeline(), which has a picture and no "
           "figures; export it to a name that ends with .json.gz";
  if (IsSpeedscope(head))
    return "a speedscope file, which has samples; where py-spy wrote it, "
           "`py-spy record -f chrometrace` writes what can be read here";
  if (IsCpuProfile(head))
    return "a CPU profile of a JavaScript engine, which has samples; record "
           "the program with `node --trace-event-categories v8,node.perf` or "
           "in chrome://tracing";
  if (head.starts_with("PERFILE2"))
    return "a recording of perf, which has samples; record the program with "
           "`stepscope run`";
  if (IsChakra(head) || IsExecutionTrace(head))
    return "an execution trace (torch's ExecutionTraceObserver, Chakra), "
           "which has dependencies and no timeline; read the trace that "
           "torch.profiler exported in the same run";
  return {};
}

}  // namespace stepscope
