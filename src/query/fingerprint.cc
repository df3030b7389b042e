// SPDX-License-Identifier: Apache-2.0
#include "query/fingerprint.h"

#include <sys/stat.h>

#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "importers/capture/live_place.h"

namespace stepscope {
namespace {

constexpr size_t kBlock = size_t{1} << 20;

Status AddFile(const std::string& path, std::vector<uint8_t>& buffer,
               Fingerprint& print) {
  STEPSCOPE_TRY_ASSIGN(const File file, File::OpenRegular(path));
  for (uint64_t at = 0;;) {
    STEPSCOPE_TRY_ASSIGN(const size_t count, file.ReadAt(at, buffer));
    const std::string_view block(reinterpret_cast<const char*>(buffer.data()),
                                 count);
    print.hash =
        MixHash(print.hash ^ Hash64(block), 0x9e3779b97f4a7c15u) + count;
    at += count;
    if (count < buffer.size()) {
      print.bytes += at;
      return Ok();
    }
  }
}

}  // namespace

std::string Fingerprint::hex() const {
  return Format("%016llx", static_cast<unsigned long long>(hash));
}

std::string Fingerprint::text() const {
  return hex() + "-" + std::to_string(bytes);
}

Result<Fingerprint> FingerprintOf(const std::string& path) {
  Fingerprint print;
  std::vector<uint8_t> buffer(kBlock);
  STEPSCOPE_TRY(AddFile(path, buffer, print));
  if (const std::string live = capture::LiveBeside(path); !live.empty())
    STEPSCOPE_TRY(AddFile(live, buffer, print));
  return print;
}

std::string StateOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || FileExists(path + ".live")) return "";
  return Format("%lld bytes, changed at %lld.%09ld",
                static_cast<long long>(status.st_size),
                static_cast<long long>(status.st_mtim.tv_sec),
                status.st_mtim.tv_nsec);
}

}  // namespace stepscope
