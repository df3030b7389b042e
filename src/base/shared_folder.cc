// SPDX-License-Identifier: Apache-2.0
#include "base/shared_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace stepscope {

Result<SharedFolder> SharedFolder::Open(const std::string& path) {
  SharedFolder folder;
  folder.folder_ = File::FromDescriptor(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
      path);
  struct stat status = {};
  if (!folder.folder_.is_open() || fstat(folder.fd(), &status) != 0)
    return FileError(path, errno);
  folder.owner_ = status.st_uid;
  return folder;
}

Result<File> SharedFolder::OpenToRead(const std::string& name) const {
  return Open(name, O_RDONLY);
}

Result<File> SharedFolder::OpenToChange(const std::string& name) const {
  return Open(name, O_RDWR | O_CREAT);
}

Result<File> SharedFolder::Open(const std::string& name, int flags) const {
  const std::string path = folder_.path() + "/" + name;
  STEPSCOPE_TRY_ASSIGN(
      File file, File::OpenRegularAt(folder_.fd(), name, path, flags, 0644));
  struct stat status = {};
  if (fstat(file.fd(), &status) != 0) return FileError(path, errno);
  if (status.st_uid != geteuid() && status.st_uid != 0 &&
      status.st_uid != owner_)
    return Fail(ErrorCode::kIo, path + ": belongs to another user");
  // A second name may be that of somebody's file elsewhere.
  if ((flags & O_ACCMODE) != O_RDONLY && status.st_nlink > 1)
    return Fail(ErrorCode::kIo, path + ": has a second name elsewhere");
  return file;
}

}  // namespace stepscope
