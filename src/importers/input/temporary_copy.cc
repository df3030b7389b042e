// SPDX-License-Identifier: Apache-2.0
#include "importers/expanded_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <vector>

namespace stepscope {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

}  // namespace

ExpandedFile::ExpandedFile(int fd)
    : fd_(fd), path_("/proc/self/fd/" + std::to_string(fd)) {}
ExpandedFile::~ExpandedFile() { close(fd_); }

Result<std::unique_ptr<ExpandedFile>> ExpandedFile::Make(InputFile& input) {
  std::error_code error;
  std::string name =
      std::filesystem::temp_directory_path(error).string() +
      "/stepscope_XXXXXX";
  const int fd = mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) return FileError(name, errno);
  unlink(name.c_str());
  std::unique_ptr<ExpandedFile> file(new ExpandedFile(fd));
  std::vector<uint8_t> piece(kPieceBytes);
  while (true) {
    STEPSCOPE_TRY_ASSIGN(const size_t got, input.Read(piece));
    if (got == 0) return file;
    const std::string_view bytes(reinterpret_cast<const char*>(piece.data()),
                                 got);
    STEPSCOPE_TRY(WriteAll(fd, bytes, name));
  }
}

}  // namespace stepscope
