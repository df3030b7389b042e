// SPDX-License-Identifier: Apache-2.0
//
// Gives the memory back that a process of a test left when it ended without
// finishing its capture.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace stepscope {

inline void RemoveLiveFileOf(const std::string& capture) {
  std::error_code ignored;
  const std::filesystem::path link = capture + ".live";
  std::filesystem::remove(std::filesystem::read_symlink(link, ignored),
                          ignored);
  std::filesystem::remove(link, ignored);
}

}  // namespace stepscope
