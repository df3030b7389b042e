// SPDX-License-Identifier: Apache-2.0
//
// For end-to-end tests: a folder of one's own as working directory, and a look
// at the files and resources of the process.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace stepscope_test {

inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline size_t Count(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + what.size())) {
    ++count;
  }
  return count;
}

// Files of a folder that end in `suffix`, in order of their names.
inline std::vector<std::filesystem::path> Files(const std::string& folder,
                                                const std::string& suffix) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (name.size() >= suffix.size() &&
        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

inline size_t Entries(const char* folder) {
  auto entries = std::filesystem::directory_iterator(folder);
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

// Each test runs in an empty folder.
class InOwnFolder : public testing::Test {
 protected:
  InOwnFolder() : before_(std::filesystem::current_path()) {
    folder_ = testing::TempDir() + "stepscope_e2e_" + std::to_string(getpid()) +
              "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  ~InOwnFolder() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  std::filesystem::path before_;
  std::string folder_;
};

}  // namespace stepscope_test
