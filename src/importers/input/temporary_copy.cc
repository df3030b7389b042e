// SPDX-License-Identifier: Apache-2.0
#include "importers/input/temporary_copy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "importers/input/input_source.h"

namespace stepscope {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

Error NoRoom(const InputSource& input, const std::string& folder,
             const std::string& why) {
  return Fail(ErrorCode::kIo, input.path() +
                                  ": needs a temporary copy of its plain bytes "
                                  "in " +
                                  folder + ": " + why +
                                  "; set TMPDIR to a folder with more room");
}

}  // namespace

TemporaryCopy::TemporaryCopy(File file, std::string path)
    : file_(std::move(file)), path_(std::move(path)) {}
TemporaryCopy::~TemporaryCopy() { RemoveName(); }

void TemporaryCopy::RemoveName() {
  if (!path_.empty()) unlink(path_.c_str());
  path_.clear();
}

Result<std::unique_ptr<TemporaryCopy>> TemporaryCopy::Make(InputSource& input) {
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string();
  if (error) folder = "/tmp";
  std::string name = folder + "/stepscope_XXXXXX";
  const int fd = mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0)
    return NoRoom(input, folder, std::generic_category().message(errno));
  std::unique_ptr<TemporaryCopy> copy(
      new TemporaryCopy(File::FromDescriptor(fd, input.path()), name));
  std::vector<uint8_t> piece(kPieceBytes);
  while (true) {
    STEPSCOPE_TRY_ASSIGN(const size_t got, input.Read(piece));
    if (got == 0) return copy;
    const std::string_view bytes(reinterpret_cast<const char*>(piece.data()),
                                 got);
    if (!WriteAll(fd, bytes, name))
      return NoRoom(input, folder, std::generic_category().message(errno));
  }
}

}  // namespace stepscope
