// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/trace_reader.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/stable_sort.h"
#include "importers/registry.h"
#include "server/files/cache_key.h"
#include "server/files/sessions.h"
#include "server/less_urgent.h"

namespace stepscope::server {
namespace {

// What is read faster is not worth a file.
constexpr auto kWorthKeeping = std::chrono::milliseconds(20);
constexpr auto kLookAgain = std::chrono::milliseconds(100);

// Where a file lies is nobody's business but this machine's.
std::string WithoutPath(std::string message, const Window& window) {
  for (size_t at = message.find(window.path); at != std::string::npos;
       at = message.find(window.path, at + window.file.size()))
    message.replace(at, window.path.size(), window.file);
  return message;
}

}  // namespace

bool IsWorthKeeping(std::chrono::nanoseconds took, size_t files) {
  return took >= std::chrono::nanoseconds(kWorthKeeping) /
                     static_cast<int64_t>(std::max<size_t>(1, files));
}

TraceReader::TraceReader(Folder& folder, Sessions& sessions,
                         const CacheOptions& cache, ReadLimits limits)
    : folder_(folder), sessions_(sessions), limits_(limits), cache_(cache) {}

TraceReader::~TraceReader() {
  stop_.Cancel();
  {
    const std::lock_guard lock(mutex_);
    change_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

TraceReader::Entry& TraceReader::EntryOf(const Window& window) {
  Entry& entry = entries_[window.id];
  if (entry.identity != window.identity && entry.state != CardState::kReading) {
    if (entry.digest != nullptr) kept_bytes_ -= entry.digest->size();
    entry = {};
    entry.identity = window.identity;
  }
  return entry;
}

void TraceReader::Forget(const std::vector<ListedTrace>& list) {
  std::set<std::string> ids;
  for (const ListedTrace& one : list) ids.insert(one.window.id);
  std::erase_if(entries_, [&](const auto& known) {
    const auto& [id, entry] = known;
    if (ids.contains(id) || entry.state == CardState::kReading) return false;
    if (entry.digest != nullptr) kept_bytes_ -= entry.digest->size();
    return true;
  });
}

std::vector<ListedTrace> TraceReader::List() {
  const std::shared_ptr<const Listing> listing = folder_.List();
  std::vector<ListedTrace> list;
  for (const Run& run : listing->runs)
    for (const Worker& worker : run.workers)
      for (const Window& window : worker.windows)
        list.push_back({window, run.id, worker.id, {}, {}, {}, nullptr});
  StableSort(
      list.begin(), list.end(), [](const ListedTrace& a, const ListedTrace& b) {
        return a.window.identity.changed_ns > b.window.identity.changed_ns;
      });
  const std::lock_guard lock(mutex_);
  Forget(list);
  listed_.clear();
  uint64_t bytes = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    ListedTrace& one = list[i];
    listed_.push_back(one.window);
    Entry& entry = EntryOf(one.window);
    const uint64_t size = one.window.identity.bytes;
    if (entry.state == CardState::kWaiting ||
        entry.state == CardState::kUnread) {
      const bool much = size > limits_.file_bytes || i >= limits_.files ||
                        bytes + size > limits_.all_bytes;
      entry.state = much && !wanted_.contains(one.window.id)
                        ? CardState::kUnread
                        : CardState::kWaiting;
    }
    if (entry.state != CardState::kUnread) bytes += size;
    one.state = entry.state;
    one.card = entry.card;
    one.why = entry.why;
    one.facts = entry.facts;
  }
  if (!thread_.joinable() && !stop_.cancelled())
    thread_ = std::thread([this] { Work(); });
  change_.notify_all();
  return list;
}

void TraceReader::Want(const std::vector<Window>& windows) {
  {
    const std::lock_guard lock(mutex_);
    for (const Window& window : windows) {
      const Entry& entry = EntryOf(window);
      if (entry.state == CardState::kWaiting ||
          entry.state == CardState::kUnread)
        wanted_.insert(window.id);
    }
  }
  (void)List();
}

uint64_t TraceReader::change() {
  const std::lock_guard lock(mutex_);
  return changes_;
}

std::optional<Window> TraceReader::Next() {
  const auto waits = [&](const Window& window) {
    return EntryOf(window).state == CardState::kWaiting;
  };
  const Window* next = nullptr;
  for (const Window& window : listed_) {
    if (!waits(window)) continue;
    if (wanted_.contains(window.id)) return window;
    if (next == nullptr) next = &window;
  }
  return next == nullptr ? std::nullopt : std::optional(*next);
}

void TraceReader::Work() {
  BeLessUrgent();
  while (!stop_.cancelled()) {
    std::optional<Window> next;
    {
      std::unique_lock lock(mutex_);
      if (stop_.cancelled()) return;
      next = Next();
      // A trace that somebody waits for comes first.
      if (!next || sessions_.importing()) {
        if (next)
          change_.wait_for(lock, kLookAgain);
        else
          change_.wait(lock);
        continue;
      }
      EntryOf(*next).state = CardState::kReading;
    }
    ReadOne(*next);
  }
}

void TraceReader::ReadOne(const Window& window) {
  Result<std::string> bytes = Read(window);
  Result<TraceDigest> digest =
      bytes ? DecodeDigestHead(*bytes) : Result<TraceDigest>(bytes.error());
  // A partial does not know it, and jobs are told apart by it.
  if (digest) digest->partial.head.facts.path = window.file;
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[window.id];
  wanted_.erase(window.id);
  ++changes_;
  if (digest) {
    entry.state = CardState::kRead;
    entry.card = std::move(digest->card);
    entry.facts = std::make_shared<const FileFacts>(
        std::move(digest->partial.head.facts));
    if (kept_bytes_ + bytes->size() <= limits_.kept_bytes) {
      kept_bytes_ += bytes->size();
      entry.digest = std::make_shared<const std::string>(*std::move(bytes));
    }
  } else {
    entry.state = CardState::kFailed;
    entry.why = WithoutPath(digest.error().message, window);
  }
}

Result<TraceDigest> TraceReader::Fetch(const Window& window) {
  std::shared_ptr<const std::string> kept;
  {
    const std::lock_guard lock(mutex_);
    kept = EntryOf(window).digest;
  }
  if (kept == nullptr) {
    STEPSCOPE_TRY_ASSIGN(std::string bytes, Read(window));
    kept = std::make_shared<const std::string>(std::move(bytes));
  }
  return DecodeDigest(*kept);
}

Result<std::string> TraceReader::Read(const Window& window) {
  const std::string key =
      CacheKeyOf({window.file, {window}}).value_or(std::string());
  {
    const std::lock_guard lock(cache_mutex_);
    std::optional<std::string> found = cache_.Find(key);
    // A damaged one is as good as none.
    if (found && DecodeDigestHead(*found)) return *std::move(found);
  }
  const std::lock_guard turn(file_mutex_);
  const auto begin = std::chrono::steady_clock::now();
  STEPSCOPE_TRY_ASSIGN(std::string bytes, ReadFile(window));
  size_t files = 0;
  {
    const std::lock_guard lock(mutex_);
    files = listed_.size();
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  // Only what was the same before and after is known to be what was read.
  if (IsWorthKeeping(took, files) && !key.empty() &&
      key == CacheKeyOf({window.file, {window}})) {
    const std::lock_guard lock(cache_mutex_);
    cache_.Store(key, bytes);
  }
  return bytes;
}

Result<std::string> TraceReader::ReadFile(const Window& window) {
  ++reads_;
  try {
    STEPSCOPE_TRY_ASSIGN(TraceDigest digest, ReadTrace(window));
    return EncodeDigest(std::move(digest));
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kIo, window.file + ": not enough memory to read it");
  }
}

Result<TraceDigest> TraceReader::ReadTrace(const Window& window) {
  STEPSCOPE_TRY(folder_.Check(window));
  ImportOptions options;
  options.cancel = &stop_;
  options.confined = true;  // the folder may change between check and open
  STEPSCOPE_TRY_ASSIGN(const Importer* const importer,
                       FindImporter(window.path, options));
  TraceBuilder builder;
  STEPSCOPE_TRY(ImportInto(*importer, window.path, options, builder));
  STEPSCOPE_TRY_ASSIGN(const std::shared_ptr<const Trace> trace,
                       builder.Finish());
  return DigestTrace(*trace, window.path, window.file, importer->format());
}

}  // namespace stepscope::server
