// SPDX-License-Identifier: Apache-2.0
#include "server/files/import_cache.h"

#include <fcntl.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "server/less_urgent.h"
#include "server/timeline/event_classes.h"
#include "snapshot/snapshot.h"

namespace stepscope::server {
namespace {

// Sections beside those of the trace. Stored on disk; never renumber.
enum Section : uint32_t {
  kKey = kFirstFreeSection,
  kClassOfName,
  kPyramid,
};

std::string EntryName(const std::string& key) {
  return Format("%016llx", static_cast<unsigned long long>(Hash64(key)));
}

Error Damaged(const std::string& path, std::string_view what) {
  return Fail(ErrorCode::kCorrupt, path + ": " + std::string(what));
}

}  // namespace

ImportCache::ImportCache(CacheOptions options) : options_(std::move(options)) {
  off_ = options_.folder.empty();
}

ImportCache::~ImportCache() {
  stop_.Cancel();
  {
    const std::lock_guard lock(mutex_);
    off_ = true;
    change_.notify_all();
  }
  if (writer_.joinable()) writer_.join();
}

bool ImportCache::on() const {
  const std::lock_guard lock(mutex_);
  return !off_;
}

uint64_t ImportCache::found() const {
  const std::lock_guard lock(mutex_);
  return found_;
}

uint64_t ImportCache::stored() const {
  const std::lock_guard lock(mutex_);
  return stored_;
}

uint64_t ImportCache::checked() const {
  const std::lock_guard lock(mutex_);
  return checked_;
}

void ImportCache::TurnOff(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(off_, true)) return;
  }
  if (options_.note)
    options_.note("traces are not kept for the next time: " + why);
}

const CacheFolder* ImportCache::Folder(bool make) {
  if (!on()) return nullptr;
  const std::lock_guard lock(folder_mutex_);
  if (folder_) return &*folder_;
  if (!make && !FileExists(options_.folder)) return nullptr;
  Result<CacheFolder> folder =
      CacheFolder::Open(options_.folder, options_.most_bytes);
  if (!folder) {
    TurnOff(folder.error().message);
    return nullptr;
  }
  folder_ = *std::move(folder);
  return &*folder_;
}

std::shared_ptr<const OpenTrace> ImportCache::Find(const std::string& key,
                                                   const CancelToken& cancel) {
  const CacheFolder* const folder = Folder(false);
  if (folder == nullptr) return nullptr;
  const std::string name = EntryName(key);
  std::optional<File> file = folder->Find(name);
  if (!file) return nullptr;
  Result<std::shared_ptr<const OpenTrace>> read =
      Read(key, *std::move(file), cancel);
  if (!read) {
    // Nobody would ever read it.
    if (read.error().code == ErrorCode::kCorrupt) folder->Remove(name);
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  ++found_;
  return *std::move(read);
}

Result<std::shared_ptr<const OpenTrace>> ImportCache::Read(
    const std::string& key, File file, const CancelToken& cancel) {
  const std::string path = file.path();
  STEPSCOPE_TRY_ASSIGN(const std::shared_ptr<const SnapshotFile> snapshot,
                       SnapshotFile::Open(std::move(file)));
  const auto of = snapshot->Section<char>(kKey);
  if (!of || !std::equal(of->begin(), of->end(), key.begin(), key.end()))
    return Damaged(path, "of another trace");
  if (!snapshot->unchanged())
    STEPSCOPE_TRY(TraceSnapshot::Check(*snapshot, Executor::Shared(), &cancel));
  STEPSCOPE_TRY_ASSIGN(std::shared_ptr<const Trace> trace,
                       TraceSnapshot::ReadUnchecked(snapshot));
  const auto of_name = snapshot->Section<uint8_t>(kClassOfName);
  if (!of_name) return Damaged(path, "without classes");
  std::optional<PyramidClasses> classes =
      EventClassesFrom({of_name->begin(), of_name->end()}, *trace);
  if (!classes) return Damaged(path, "classes of another trace");
  STEPSCOPE_TRY_ASSIGN(Pyramid pyramid,
                       Pyramid::FromBytes(snapshot->bytes(kPyramid), snapshot,
                                          *trace, *std::move(classes)));
  auto open =
      std::make_shared<const OpenTrace>(std::move(trace), std::move(pyramid));
  TraceSnapshot::AddPages(*snapshot, open->file_pages());
  if (snapshot->unchanged()) AddJob({key, open, snapshot});
  return std::shared_ptr<const OpenTrace>(std::move(open));
}

void ImportCache::StoreLater(std::string key,
                             std::weak_ptr<const OpenTrace> open,
                             std::chrono::steady_clock::duration took) {
  if (took < options_.worth_time) return;
  AddJob({std::move(key), std::move(open), nullptr});
}

void ImportCache::AddJob(Job job) {
  const std::lock_guard lock(mutex_);
  if (off_) return;
  if (!writer_.joinable()) {
    try {
      writer_ = std::thread([this] { Work(); });
    } catch (const std::system_error&) {
      return;
    }
  }
  jobs_.push_back(std::move(job));
  change_.notify_all();
}

void ImportCache::Work() {
  BeLessUrgent();
  std::unique_lock lock(mutex_);
  while (true) {
    change_.wait(lock, [this] { return off_ || !jobs_.empty(); });
    if (off_) break;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    if (job.read_from != nullptr) {
      Check(job);
      lock.lock();
      busy_ = false;
      ++checked_;
      change_.notify_all();
      continue;
    }
    const Status status = Store(job);
    // Too large for the limit is no reason to keep no others.
    if (!status && status.error().code == ErrorCode::kIo)
      TurnOff(status.error().message);
    lock.lock();
    busy_ = false;
    stored_ += status.has_value();
    change_.notify_all();
  }
  jobs_.clear();
  change_.notify_all();
}

void ImportCache::WaitUntilIdle() {
  std::unique_lock lock(mutex_);
  change_.wait(lock, [this] { return !busy_ && jobs_.empty(); });
}

void ImportCache::Check(const Job& job) {
  Executor alone(1);  // so that nobody waits for it
  const Status status = TraceSnapshot::Check(*job.read_from, alone, &stop_);
  if (status || status.error().code != ErrorCode::kCorrupt) return;
  if (const auto open = job.open.lock()) open->SetDamaged();
  if (const CacheFolder* const folder = Folder(false))
    folder->Remove(EntryName(job.key));
}

Status ImportCache::Store(const Job& job) {
  const std::shared_ptr<const OpenTrace> open = job.open.lock();
  if (open == nullptr)
    return Fail(ErrorCode::kNotFound, "closed before it was its turn");
  const Trace& trace = open->trace();
  if (!open->WaitForWholePyramid(stop_))
    return Fail(ErrorCode::kNotFound, "its pyramid was not built");
  const Pyramid& pyramid = open->pyramid();
  if (trace.bytes() < options_.worth_bytes)
    return Fail(ErrorCode::kUnsupported, "not worth its place");
  const CacheFolder* const folder = Folder(true);
  if (folder == nullptr)
    return Fail(ErrorCode::kNotFound, "there is no folder for it");
  constexpr size_t kNesting = 16;
  constexpr size_t kBetween = size_t{3} << 19;  // sections begin on pages
  const std::string name = EntryName(job.key);
  STEPSCOPE_TRY_ASSIGN(
      CacheFolder::Fresh fresh,
      folder->Create(name, trace.bytes() + trace.size() * kNesting +
                               pyramid.serialized_bytes() + kBetween));
  try {
    SnapshotWriter writer(fresh.fd(), fresh.path(), &stop_);
    writer.Add(kKey, std::span<const char>(job.key));
    TraceSnapshot::Write(trace, writer);
    const PyramidClasses classes = MakeEventClasses(trace);
    writer.Add(kClassOfName, std::span<const uint8_t>(classes.of_name));
    writer.Begin(kPyramid, 16);
    pyramid.AppendTo(
        [&](std::span<const std::byte> bytes) { writer.Append(bytes); });
    STEPSCOPE_TRY(writer.Finish());
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kUnsupported, "not enough memory to keep a trace");
  }
  STEPSCOPE_TRY_ASSIGN(
      const std::shared_ptr<const SnapshotFile> written,
      SnapshotFile::Open(File::FromDescriptor(
          fcntl(fresh.fd(), F_DUPFD_CLOEXEC, 0), fresh.path())));
  STEPSCOPE_TRY(folder->Keep(std::move(fresh), name));
  TraceSnapshot::MoveInto(trace, *written, open->file_pages());
  return Ok();
}

}  // namespace stepscope::server
