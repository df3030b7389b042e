// SPDX-License-Identifier: Apache-2.0
#include "server/files/folder.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "importers/capture/live_place.h"
#include "importers/registry.h"
#include "server/files/folder_scan.h"
#include "trace/job/jobs.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

constexpr auto kLookEvery = std::chrono::seconds(1);

// The same in every session, so that links to a view live on.
std::string IdOf(std::string_view kind, const std::string& name) {
  return Format("%016llx", static_cast<unsigned long long>(
                               Hash64(std::string(kind) + ":" + name)));
}

constexpr char kBetweenIds = '.';

std::set<std::string, std::less<>> PartsOf(std::string_view id) {
  std::set<std::string, std::less<>> parts;
  while (true) {
    const size_t end = id.find(kBetweenIds);
    parts.emplace(id.substr(0, end));
    if (end == id.npos) return parts;
    id.remove_prefix(end + 1);
  }
}

std::string WithoutEndings(std::string name) {
  for (const std::string_view ending :
       {".gz", ".zst", ".json", ".pb", ".sscap", ".trace", ".pt", ".xplane",
        ".sqlite", ".nsys-rep", ".pftrace", ".paddle_trace", ".live"}) {
    if (name.size() > ending.size() && name.ends_with(ending))
      name.resize(name.size() - ending.size());
  }
  return name;
}

// 7 of "worker_rank7_x" and of "rank_7"; none if it names no rank.
std::optional<int64_t> RankIn(const std::string& name) {
  for (size_t at = name.find("rank"); at != name.npos;
       at = name.find("rank", at + 1)) {
    size_t digit = at + 4;
    if (digit < name.size() && (name[digit] == '_' || name[digit] == '-'))
      ++digit;
    int64_t rank = 0;
    const size_t first = digit;
    for (; digit < name.size() && digit - first < 9 && name[digit] >= '0' &&
           name[digit] <= '9';
         ++digit)
      rank = rank * 10 + (name[digit] - '0');
    if (digit > first) return rank;
  }
  return std::nullopt;
}

std::string WorkerName(const std::string& file) {
  std::string name = file;
  for (const std::string_view packed : {".gz", ".zst"})
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  const std::string worker = WorkerOf(name);
  return worker.empty() ? WithoutEndings(file) : worker;
}

class Lister {
 public:
  explicit Lister(std::string top) : top_(std::move(top)) {}

  void Add(const FoundFile& file, std::string format) {
    if (listing_.runs.empty() || folder_ != file.folder) {
      folder_ = file.folder;
      Run run;
      run.id = IdOf("run", file.folder);
      run.name = file.folder.empty() ? top_ : file.folder;
      if (run.name == kDroppedLabel) run.name.erase(0, 1);
      listing_.runs.push_back(std::move(run));
    }
    Run& run = listing_.runs.back();
    const std::string name = WorkerName(file.name);
    auto worker = std::find_if(run.workers.begin(), run.workers.end(),
                               [&](const Worker& w) { return w.name == name; });
    if (worker == run.workers.end()) {
      run.workers.push_back(
          {IdOf("worker", file.folder + "/" + name), name, RankIn(name), {}});
      worker = run.workers.end() - 1;
    }
    Window window;
    window.file =
        file.folder.empty() ? file.name : file.folder + "/" + file.name;
    window.id = IdOf("window", window.file);
    window.name = WithoutEndings(file.name);
    if (window.name.size() > name.size() && window.name.starts_with(name))
      window.name = window.name.substr(
          window.name.find_first_not_of("._-", name.size()) == window.name.npos
              ? 0
              : window.name.find_first_not_of("._-", name.size()));
    window.path = file.path;
    window.format = std::move(format);
    window.identity = file.identity;
    window.recording =
        window.format == "capture" && capture::IsBeingRecorded(window.path);
    // Two formats of one window differ in their endings only.
    for (Window& other : worker->windows) {
      if (other.name != window.name) continue;
      other.name = fs::path(other.file).filename().string();
      window.name = file.name;
    }
    worker->windows.push_back(std::move(window));
  }

  Listing Take() {
    for (Run& run : listing_.runs) {
      size_t windows = 0;
      for (const Worker& worker : run.workers) windows += worker.windows.size();
      if (windows > 1) run.all = IdOf("all", run.name);
    }
    listing_.name = top_;
    return std::move(listing_);
  }

 private:
  const std::string top_;
  std::string folder_;
  Listing listing_;
};

bool SameFiles(const Listing& a, const Listing& b) {
  const auto files = [](const Listing& listing) {
    std::vector<std::tuple<std::string, FileIdentity, bool>> all;
    for (const Run& run : listing.runs)
      for (const Worker& worker : run.workers)
        for (const Window& window : worker.windows)
          all.emplace_back(window.file, window.identity, window.recording);
    return all;
  };
  return files(a) == files(b) && a.problem == b.problem &&
         a.skipped == b.skipped && a.dataset == b.dataset;
}

// The ring of a process is read with its capture. A copy that a killed process
// did not finish holds less than what it was made of.
bool BelongsToAnother(const std::string& path,
                      const std::set<std::string>& paths) {
  for (const std::string_view end : {".live", ".part"})
    if (path.ends_with(end) &&
        paths.contains(path.substr(0, path.size() - end.size())))
      return true;
  return false;
}

}  // namespace

Folder::Folder(std::string path) : Folder(std::vector{std::move(path)}) {}

Folder::Folder(std::vector<std::string> paths) : paths_(std::move(paths)) {}

std::shared_ptr<const Listing> Folder::List() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (listing_ == nullptr || now - looked_ >= kLookEvery) {
    Look();
    looked_ = std::chrono::steady_clock::now();
  }
  return listing_;
}

uint64_t Folder::WaitForChange(uint64_t known, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (true) {
    const uint64_t generation = List()->generation;
    if (generation != known || stop_ || std::chrono::steady_clock::now() >= end)
      return generation;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

FolderPaths Folder::paths() const {
  const std::lock_guard lock(paths_mutex_);
  return paths_;
}

void Folder::ShowDropped(const std::string& folder) {
  const std::lock_guard lock(paths_mutex_);
  if (!dropped_) paths_ = paths_.WithDropped(folder);
  dropped_ = true;
}

void Folder::LookNow() {
  const std::lock_guard lock(mutex_);
  Look();
  looked_ = std::chrono::steady_clock::now();
}

std::string Folder::IdOfPath(const std::string& path) {
  const std::shared_ptr<const Listing> listing = List();
  for (const Run& run : listing->runs)
    for (const Worker& worker : run.workers)
      for (const Window& window : worker.windows)
        if (window.path == path) return window.id;
  return {};
}

void Folder::Look() {
  const FolderPaths looked_at = paths();
  FolderScan scan;
  std::string problem;
  Result<FolderScan> found = looked_at.Scan();
  if (found)
    scan = *std::move(found);
  else
    problem = found.error().message;
  Lister lister(looked_at.Name());
  std::set<std::string> paths;
  for (const FoundFile& file : scan.files) paths.insert(file.path);
  for (const FoundFile& file : scan.files) {
    if (BelongsToAnother(file.path, paths)) continue;
    const Known& known = Recognise(file.path, file.identity);
    if (!known.format.empty())
      lister.Add(file, known.format);
    else
      scan.skipped.push_back(
          {file.folder.empty() ? file.name : file.folder + "/" + file.name,
           known.why});
  }
  std::erase_if(
      known_, [&](const auto& known) { return !paths.contains(known.first); });
  Listing listing = lister.Take();
  if (!looked_at.Dataset().empty())
    listing.dataset = IdOf("dataset", looked_at.Name());
  else if (listing.runs.empty() && problem.empty())
    problem = looked_at.is_one_file()
                  ? looked_at.Name() + " " + scan.skipped.at(0).why
                  : "there is no trace in this folder yet";
  else if (scan.cut_short)
    problem = "this folder is very large: only a part of it is shown";
  listing.problem = std::move(problem);
  listing.one_file = paths_.is_one_file();
  listing.skipped = std::move(scan.skipped);
  if (listing_ != nullptr && SameFiles(*listing_, listing)) return;
  listing.generation = listing_ == nullptr ? 1 : listing_->generation + 1;
  listing_ = std::make_shared<const Listing>(std::move(listing));
}

std::string Folder::WrongFile() {
  const std::shared_ptr<const Listing> listing = List();
  return paths().is_one_file() && listing->runs.empty() ? listing->problem : "";
}

const Folder::Known& Folder::Recognise(const std::string& path,
                                       const FileIdentity& identity) {
  Known& known = known_[path];
  const FileIdentity before = std::exchange(known.identity, identity);
  // A trace that grows stays one.
  if (before == identity ||
      (!known.format.empty() && before.inode == identity.inode &&
       before.bytes <= identity.bytes))
    return known;
  ImportOptions options;
  options.confined = true;
  const Result<const Importer*> importer = FindImporter(path, options);
  known.format = importer ? std::string((*importer)->format()) : "";
  known.why = importer              ? ""
              : identity.bytes == 0 ? "is empty"
              : importer.error().code == ErrorCode::kIo
                  ? "cannot be read; check its permissions"
                  : "is not a trace that stepscope can read";
  return known;
}

std::string SeveralId(std::span<const std::string> windows) {
  std::string id;
  for (const std::string& window : windows)
    id += (id.empty() ? "" : std::string(1, kBetweenIds)) + window;
  return id;
}

std::optional<Target> Folder::Find(const std::string& id) {
  const std::shared_ptr<const Listing> listing = List();
  const std::set<std::string, std::less<>> wanted = PartsOf(id);
  for (const Run& run : listing->runs) {
    const bool all = !run.all.empty() && run.all == id;
    Target target = {run.name, {}};
    for (const Worker& worker : run.workers) {
      for (const Window& window : worker.windows) {
        if (window.id == id) return Target{window.file, {window}};
        if (all || wanted.contains(window.id)) target.windows.push_back(window);
      }
    }
    if (all) return target;
    // Some of them gone: what is left is not what was asked for.
    if (wanted.size() > 1 && target.windows.size() == wanted.size())
      return target;
  }
  return std::nullopt;
}

std::string Folder::FindDataset(const std::string& id) {
  return !id.empty() && List()->dataset == id ? paths().Dataset() : "";
}

Status Folder::Check(const Window& window) const {
  const Result<FileIdentity> now = IdentityOf(window.path);
  if (!now || !paths().Holds(window.path))
    return Fail(ErrorCode::kNotFound,
                window.file + ": the file is gone; choose another one");
  if (now->device != window.identity.device ||
      now->inode != window.identity.inode)
    return Fail(ErrorCode::kNotFound,
                window.file + ": the file was replaced; open it again");
  return Ok();
}

}  // namespace stepscope::server
