// SPDX-License-Identifier: Apache-2.0
//
// Sessions: traces that are open or being opened, by id. One import per id,
// however many ask; imports take turns, since each uses all processors. Those
// that were not used for longest are closed when memory runs out.
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "server/files/folder.h"
#include "server/files/import_cache.h"
#include "server/files/open_trace.h"
#include "server/files/preview_trace.h"
#include "server/http/work_pool.h"

namespace stepscope {
struct TraceFolder;
}  // namespace stepscope

namespace stepscope::server {

enum class OpenState : uint8_t { kNew, kLoading, kReady, kFailed };
std::string_view OpenStateName(OpenState state);

struct OpenProgress {
  OpenState state = OpenState::kNew;
  uint64_t done = 0;            // bytes
  uint64_t total = 0;           // 0: not known
  std::string_view stage = "";  // "waiting", "reading", "building"
  std::string error;
  // Why it failed: the files are of several jobs. Each can be opened by its
  // id, and is its files in the order of the folder.
  std::vector<std::string> jobs;
  bool preview = false;  // there is one to be shown until it is ready
  uint64_t change = 0;   // counts up with each change
};

class Sessions {
 public:
  // `memory`: bytes that open traces may hold together; the last one that was
  // opened is always kept.
  Sessions(Folder& folder, WorkPool& pool, size_t memory,
           CacheOptions cache = {});
  // Cancels what goes on and waits for its end.
  ~Sessions();

  // Starts an import unless there is one, or it is open and the file has not
  // changed since.
  Result<OpenProgress> Open(const std::string& id);
  void Cancel(const std::string& id);
  OpenProgress ProgressOf(const std::string& id);
  // Whether the file is another one than what is open of it, or recording has
  // ended since. A recording that goes on is not: it always has more.
  bool IsOutdated(const Window& window);
  // Returns when there is news after `change`, or the time is over.
  OpenProgress WaitForNews(const std::string& id, uint64_t change,
                           std::chrono::milliseconds time);
  // Null: not open. Counts as use.
  std::shared_ptr<const OpenTrace> Find(const std::string& id);
  // Null: there is none. It stays as long as the trace is open, so that who
  // draws from it can go on until the whole is on the screen.
  std::shared_ptr<const PreviewTrace> FindPreview(const std::string& id);
  // For tests. `then` is called between a preview and the import; before the
  // first Open().
  void SetPreviews(uint64_t least_events, std::function<void()> then);
  // Whether somebody waits for a trace.
  bool importing();
  ImportCache& cache() { return cache_; }
  // Files that were read, not found in the cache.
  uint64_t reads() const { return reads_; }
  // How much memory a machine has to give: half of it.
  static size_t UsualMemory();

 private:
  struct Session {
    OpenProgress progress;
    std::shared_ptr<CancelToken> cancel;
    std::shared_ptr<const OpenTrace> trace;
    std::shared_ptr<const PreviewTrace> preview;
    std::vector<FileIdentity> files;
    bool recording = false;  // some of them, when they were opened
    uint64_t used = 0;
  };

  void Import(const std::string& id, const Target& target,
              std::shared_ptr<CancelToken> cancel);
  Result<std::shared_ptr<const OpenTrace>> MakeOpen(const std::string& id,
                                                    const Target& target,
                                                    const CancelToken& cancel);
  // Of a single large capture, where there can be one.
  void MakePreview(const std::string& id, const Target& target,
                   const CancelToken& cancel);
  Result<std::shared_ptr<const Trace>> Read(const std::string& id,
                                            const Target& target,
                                            const CancelToken& cancel);
  void ReportJobs(const std::string& id, const Target& target,
                  const CancelToken& cancel, const TraceFolder& read);
  void Report(const std::string& id, const CancelToken& cancel, uint64_t done,
              uint64_t total, std::string_view stage);
  void CloseUnused(const std::string& keep);
  static void Close(Session& session);
  // What turned out to be damaged is closed: it is read anew when it is opened
  // the next time.
  static void CloseDamaged(Session& session);

  Folder& folder_;
  WorkPool& pool_;
  const size_t memory_;
  ImportCache cache_;
  std::atomic<uint64_t> reads_{0};
  uint64_t preview_events_ = capture::PreviewOptions().least_events;
  std::function<void()> after_preview_;
  std::mutex import_turn_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::map<std::string, Session> sessions_;
  uint64_t use_ = 0;
  size_t imports_ = 0;  // that go on
  bool stopping_ = false;
};

}  // namespace stepscope::server
