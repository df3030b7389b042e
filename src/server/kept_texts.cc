// SPDX-License-Identifier: Apache-2.0
#include "server/kept_texts.h"

#include <iterator>
#include <utility>

namespace stepscope::server {

std::shared_ptr<KeptTexts::Entry> KeptTexts::Use(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return *found->second;
  }
  auto entry = std::make_shared<Entry>();
  entry->key = key;
  entries_.push_front(entry);
  by_key_[key] = entries_.begin();
  return entry;
}

void KeptTexts::Drop(Entries::iterator at) {
  bytes_ -= (*at)->bytes;
  (*at)->kept = false;
  by_key_.erase((*at)->key);
  entries_.erase(at);
}

void KeptTexts::Forget(const std::shared_ptr<Entry>& entry) {
  const std::lock_guard lock(mutex_);
  if (entry->kept) Drop(by_key_.find(entry->key)->second);
}

void KeptTexts::Account(const std::shared_ptr<Entry>& entry, size_t bytes) {
  const std::lock_guard lock(mutex_);
  ++made_;
  if (!entry->kept) return;
  entry->bytes = bytes;
  bytes_ += bytes;
  while (bytes_ > most_bytes_ && !entries_.empty())
    Drop(std::prev(entries_.end()));
}

Result<KeptTexts::Text> KeptTexts::Get(const std::string& key,
                                       const Make& make) {
  const std::shared_ptr<Entry> entry = Use(key);
  const std::lock_guard lock(entry->making);
  if (entry->text != nullptr) return entry->text;
  // Also of one that ran out of memory nothing stays.
  Result<std::string> made = [&] {
    try {
      return make();
    } catch (...) {
      Forget(entry);
      throw;
    }
  }();
  if (!made) {
    Forget(entry);
    return made.error();
  }
  entry->text = std::make_shared<const std::string>(*std::move(made));
  Account(entry, entry->text->size() + key.size());
  return entry->text;
}

size_t KeptTexts::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

uint64_t KeptTexts::made() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

}  // namespace stepscope::server
