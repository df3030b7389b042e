// SPDX-License-Identifier: Apache-2.0
#include "exporters/output_name.h"

namespace stepscope {
namespace {

constexpr KnownSuffix kSuffixes[] = {
    {".paddle_trace.json", "paddle", true},
    {".pt.trace.json", "kineto", true},
    {".json", "chrome", true},
    {".sscap", "capture", false},
    {".pftrace", "perfetto", false},
    {".perfetto-trace", "perfetto", false},
    {".pb", "paddle", false},
    {".fluid", "fluid", false},
    {".cuda.csv", "cuda-profile", true},
};

}  // namespace

std::span<const KnownSuffix> KnownSuffixes() { return kSuffixes; }

Compression CompressionOf(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::kGzip;
  if (path.ends_with(".zst")) return Compression::kZstd;
  return Compression::kNone;
}

std::string_view WithoutCompression(std::string_view path) {
  if (CompressionOf(path) != Compression::kNone)
    path.remove_suffix(path.size() - path.rfind('.'));
  return path;
}

const KnownSuffix* SuffixOf(std::string_view path) {
  path = WithoutCompression(path);
  for (const KnownSuffix& known : kSuffixes)
    if (path.ends_with(known.suffix)) return &known;
  return nullptr;
}

bool HasSuffix(std::string_view path) {
  path = WithoutCompression(path);
  const size_t slash = path.rfind('/');
  if (slash != path.npos) path.remove_prefix(slash + 1);
  const size_t dot = path.rfind('.');
  return dot != path.npos && dot > 0;  // ".trace" is a hidden file's name
}

std::string SuffixList() {
  std::string list;
  for (const KnownSuffix& known : kSuffixes)
    list += (list.empty() ? "" : ", ") + std::string(known.suffix);
  return list;
}

}  // namespace stepscope
