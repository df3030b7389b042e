// SPDX-License-Identifier: Apache-2.0
//
// KeptTexts: answers that are long and take long, kept while there is room.
// What was not asked for longest goes first. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"

namespace stepscope::server {

class KeptTexts {
 public:
  // Keeps at most so many bytes of text.
  explicit KeptTexts(size_t most_bytes) : most_bytes_(most_bytes) {}

  using Text = std::shared_ptr<const std::string>;
  using Make = std::function<Result<std::string>()>;
  // The text of that key; made once however many ask at the same time. A
  // failure is made anew.
  Result<Text> Get(const std::string& key, const Make& make);

  size_t bytes() const;
  // How many were made so far.
  uint64_t made() const;

 private:
  struct Entry {
    std::string key;
    std::mutex making;
    Text text;         // under `making`
    size_t bytes = 0;  // of what is kept
    bool kept = true;  // still in the list
  };
  using Entries = std::list<std::shared_ptr<Entry>>;

  std::shared_ptr<Entry> Use(const std::string& key);
  void Forget(const std::shared_ptr<Entry>& entry);
  void Account(const std::shared_ptr<Entry>& entry, size_t bytes);
  void Drop(Entries::iterator at);

  const size_t most_bytes_;
  mutable std::mutex mutex_;
  Entries entries_;  // what was asked for last comes first
  std::map<std::string, Entries::iterator> by_key_;
  size_t bytes_ = 0;
  uint64_t made_ = 0;
};

}  // namespace stepscope::server
