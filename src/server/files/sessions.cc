// SPDX-License-Identifier: Apache-2.0
#include "server/files/sessions.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "analysis/ranks/align_set.h"
#include "importers/capture/live_place.h"
#include "importers/import_many.h"
#include "server/files/cache_key.h"

namespace stepscope::server {
namespace {

std::vector<FileIdentity> FilesOf(const Target& target) {
  std::vector<FileIdentity> files;
  for (const Window& window : target.windows) files.push_back(window.identity);
  return files;
}

bool AnyRecording(const Target& target) {
  return std::ranges::any_of(target.windows, &Window::recording);
}

// Where files lie is nobody's business but this machine's.
Error WithoutPaths(Error error, const Target& target) {
  for (const Window& window : target.windows) {
    size_t at = 0;
    while ((at = error.message.find(window.path, at)) != std::string::npos) {
      error.message.replace(at, window.path.size(), window.file);
      at += window.file.size();
    }
  }
  return error;
}

}  // namespace

std::string_view OpenStateName(OpenState state) {
  switch (state) {
    case OpenState::kNew:
      return "new";
    case OpenState::kLoading:
      return "loading";
    case OpenState::kReady:
      return "ready";
    case OpenState::kFailed:
      break;
  }
  return "failed";
}

size_t Sessions::UsualMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return size_t{4} << 30;
  return static_cast<size_t>(pages) * static_cast<size_t>(page) / 2;
}

Sessions::Sessions(Folder& folder, WorkPool& pool, size_t memory,
                   CacheOptions cache)
    : folder_(folder), pool_(pool), memory_(memory), cache_(std::move(cache)) {}

Sessions::~Sessions() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  for (auto& [id, session] : sessions_)
    if (session.cancel != nullptr) session.cancel->Cancel();
  news_.wait(lock, [this] { return imports_ == 0; });
}

Result<OpenProgress> Sessions::Open(const std::string& id) {
  std::optional<Target> target = folder_.Find(id);
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found != sessions_.end()) CloseDamaged(found->second);
  const bool open = found != sessions_.end() && found->second.trace != nullptr;
  if (!target) {
    if (open) return found->second.progress;  // deleted since
    return Fail(ErrorCode::kNotFound,
                "this trace is no longer in the folder; choose another one");
  }
  Session& session = sessions_[id];
  // What is still recorded has more each time, though its file may not grow.
  if (session.progress.state == OpenState::kLoading ||
      (open && session.files == FilesOf(*target) && !session.recording))
    return session.progress;
  if (stopping_) return Fail(ErrorCode::kCancelled, "the server is stopping");
  session.trace = nullptr;
  session.preview = nullptr;
  session.cancel = std::make_shared<CancelToken>();
  session.files = FilesOf(*target);
  session.recording = AnyRecording(*target);
  session.used = ++use_;
  const uint64_t change = session.progress.change + 1;
  session.progress = {};
  session.progress.state = OpenState::kLoading;
  session.progress.stage = "waiting";
  session.progress.change = change;
  ++imports_;
  if (!pool_.Run([this, id, target = *std::move(target),
                  cancel = session.cancel] { Import(id, target, cancel); })) {
    --imports_;
    session.progress = {};
    return Fail(ErrorCode::kIo, "the server is busy; try again");
  }
  return session.progress;
}

void Sessions::Cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end() ||
      found->second.progress.state != OpenState::kLoading)
    return;
  found->second.cancel->Cancel();
  news_.notify_all();
}

OpenProgress Sessions::ProgressOf(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? OpenProgress{} : found->second.progress;
}

bool Sessions::IsOutdated(const Window& window) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(window.id);
  if (found == sessions_.end() || found->second.trace == nullptr) return false;
  const Session& session = found->second;
  return session.recording != window.recording ||
         (!window.recording &&
          session.files != std::vector<FileIdentity>{window.identity});
}

OpenProgress Sessions::WaitForNews(const std::string& id, uint64_t change,
                                   std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  const auto progress = [&] {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? OpenProgress{} : found->second.progress;
  };
  news_.wait_for(lock, time,
                 [&] { return stopping_ || progress().change != change; });
  return progress();
}

std::shared_ptr<const OpenTrace> Sessions::Find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  CloseDamaged(found->second);
  found->second.used = ++use_;
  return found->second.trace;
}

std::shared_ptr<const PreviewTrace> Sessions::FindPreview(
    const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second.preview;
}

bool Sessions::importing() {
  const std::lock_guard lock(mutex_);
  return imports_ > 0;
}

void Sessions::SetPreviews(uint64_t least_events, std::function<void()> then) {
  preview_events_ = least_events;
  after_preview_ = std::move(then);
}

void Sessions::Report(const std::string& id, const CancelToken& cancel,
                      uint64_t done, uint64_t total, std::string_view stage) {
  const std::lock_guard lock(mutex_);
  Session& session = sessions_[id];
  if (session.cancel.get() != &cancel) return;
  OpenProgress& progress = session.progress;
  progress.done = done;
  progress.total = total;
  progress.stage = stage;
  ++progress.change;
  news_.notify_all();
}

void Sessions::ReportJobs(const std::string& id, const Target& target,
                          const CancelToken& cancel, const TraceFolder& read) {
  std::vector<std::string> jobs;
  for (const TraceFolder::Job& job : read.jobs) {
    std::vector<std::string> windows;
    for (const Window& window : target.windows)
      if (std::ranges::find(job.files, window.path) != job.files.end())
        windows.push_back(window.id);
    jobs.push_back(SeveralId(windows));
  }
  const std::lock_guard lock(mutex_);
  Session& session = sessions_[id];
  if (session.cancel.get() == &cancel) session.progress.jobs = std::move(jobs);
}

void Sessions::Import(const std::string& id, const Target& target,
                      std::shared_ptr<CancelToken> cancel) {
  Result<std::shared_ptr<const OpenTrace>> opened =
      std::shared_ptr<const OpenTrace>();
  {
    const std::lock_guard turn(import_turn_);
    try {
      opened = MakeOpen(id, target, *cancel);
    } catch (const std::bad_alloc&) {
      opened =
          Fail(ErrorCode::kIo, target.name + ": not enough memory to open it");
    }
  }
  const std::lock_guard lock(mutex_);
  Session& session = sessions_[id];
  OpenProgress& progress = session.progress;
  ++progress.change;
  progress.stage = "";
  progress.preview = false;
  if (cancel->cancelled()) {
    const uint64_t change = progress.change;
    progress = {};
    progress.change = change;
    session.preview = nullptr;
  } else if (opened) {
    progress.state = OpenState::kReady;
    session.trace = *std::move(opened);
    session.used = ++use_;
    CloseUnused(id);
  } else {
    progress.state = OpenState::kFailed;
    progress.error = WithoutPaths(opened.error(), target).message;
    session.preview = nullptr;
  }
  session.cancel = nullptr;
  --imports_;
  news_.notify_all();
}

Result<std::shared_ptr<const OpenTrace>> Sessions::MakeOpen(
    const std::string& id, const Target& target, const CancelToken& cancel) {
  const std::optional<std::string> key =
      cache_.on() ? CacheKeyOf(target) : std::nullopt;
  if (key) {
    for (const Window& window : target.windows)
      STEPSCOPE_TRY(folder_.Check(window));
    Report(id, cancel, 0, 0, "reading");
    if (auto found = cache_.Find(*key, cancel)) return found;
  }
  const auto begin = std::chrono::steady_clock::now();
  ++reads_;
  MakePreview(id, target, cancel);
  STEPSCOPE_TRY_ASSIGN(std::shared_ptr<const Trace> trace,
                       Read(id, target, cancel));
  Report(id, cancel, 0, 0, "building");
  auto open = std::make_shared<const OpenTrace>(std::move(trace));
  // What the import needed and gave back, the system gets back, too.
  malloc_trim(0);
  // Only what was the same before and after is known to be what was read.
  if (key && key == CacheKeyOf(target))
    cache_.StoreLater(*key, open, std::chrono::steady_clock::now() - begin);
  return open;
}

void Sessions::MakePreview(const std::string& id, const Target& target,
                           const CancelToken& cancel) {
  if (target.windows.size() != 1 || target.windows[0].format != "capture" ||
      !folder_.Check(target.windows[0]))
    return;
  const Result<File> file = File::OpenWithoutLinks(target.windows[0].path);
  if (!file) return;  // the import says why
  Report(id, cancel, 0, 0, "reading");
  capture::PreviewOptions options;
  options.least_events = preview_events_;
  options.cancel = &cancel;
  Result<capture::Preview> read = capture::ReadPreview(*file, options);
  if (!read || !folder_.Check(target.windows[0])) return;
  auto preview = std::make_shared<const PreviewTrace>(*std::move(read));
  {
    const std::lock_guard lock(mutex_);
    Session& session = sessions_[id];
    if (session.cancel.get() != &cancel) return;
    session.preview = std::move(preview);
    session.progress.preview = true;
    ++session.progress.change;
    news_.notify_all();
  }
  if (after_preview_) after_preview_();
}

Result<std::shared_ptr<const Trace>> Sessions::Read(const std::string& id,
                                                    const Target& target,
                                                    const CancelToken& cancel) {
  std::vector<std::string> paths;
  for (const Window& window : target.windows) {
    STEPSCOPE_TRY(folder_.Check(window));
    paths.push_back(window.path);
  }
  ImportOptions options;
  options.cancel = &cancel;
  options.confined = true;  // the folder may change between check and open
  options.formats.Set(capture::LiveOptions{.elsewhere = true});
  options.progress = [&](uint64_t done, uint64_t total) {
    Report(id, cancel, done, total, "reading");
  };
  STEPSCOPE_TRY_ASSIGN(TraceFolder read,
                       ImportJobs(paths, target.name, options));
  // A file that became another one while it was read is not what was chosen.
  for (const Window& window : target.windows)
    STEPSCOPE_TRY(folder_.Check(window));
  if (read.jobs.size() > 1) {
    ReportJobs(id, target, cancel, read);
    return Fail(ErrorCode::kInvalidArgument,
                target.name + ": the files are of " +
                    std::to_string(read.jobs.size()) +
                    " jobs, so they cannot be shown as one; open one of them");
  }
  Report(id, cancel, 0, 0, "building");
  // All ranks on one clock, as the commands have them.
  TraceSet& set = read.jobs[0].traces;
  const SetClocks clocks = AlignSet(set);
  for (const std::string& note : clocks.notes) set.AddNote(note);
  return TraceSet::Merge(std::move(set));
}

// REQUIRES: mutex_ is held.
void Sessions::CloseUnused(const std::string& keep) {
  while (true) {
    size_t bytes = 0;
    Session* oldest = nullptr;
    for (auto& [id, session] : sessions_) {
      if (session.trace == nullptr) continue;
      bytes += session.trace->bytes();
      if (id != keep && (oldest == nullptr || session.used < oldest->used))
        oldest = &session;
    }
    if (bytes <= memory_ || oldest == nullptr) return;
    Close(*oldest);
  }
}

void Sessions::Close(Session& session) {
  session.trace = nullptr;
  session.preview = nullptr;
  const uint64_t change = session.progress.change + 1;
  session.progress = {};
  session.progress.change = change;
}

void Sessions::CloseDamaged(Session& session) {
  if (session.trace != nullptr && session.trace->damaged()) Close(session);
}

}  // namespace stepscope::server
