// SPDX-License-Identifier: Apache-2.0
//
// The database that `nsys export --type sqlite` makes of a run of torch under
// emit_nvtx. SQLite needs a file of its own, which has no name and is copied
// out when it is complete.
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file.h"
#include "generator/formats.h"

namespace stepscope::generator {
namespace {

constexpr int64_t kIdRange = 0x1000000;  // of pids and of tids
constexpr int64_t kHost = 1;
constexpr int64_t kPushPop = 59;
constexpr int64_t kHostToDevice = 1;
constexpr int64_t kPageable = 0;
constexpr int64_t kDeviceMemory = 2;

constexpr const char* kSchema = R"sql(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
BEGIN;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER,
  utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL,
  name TEXT, busLocation TEXT, totalMemory INTEGER, smCount INTEGER);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER,
  globalTid INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, "end" INTEGER,
  eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color INTEGER,
  text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
  domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL,
  "end" INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,
  callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL,
  "end" INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL,
  registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL,
  blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
  staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,
  graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL,
  "end" INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER,
  dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL,
  "end" INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  value INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL,
  globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, address INTEGER NOT NULL, pc INTEGER NOT NULL,
  bytes INTEGER NOT NULL, memKind INTEGER NOT NULL,
  memoryOperationType INTEGER NOT NULL);
)sql";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
  }
};

// A file of SQLite's that loses its name as soon as both have opened it.
class Scratch {
 public:
  Scratch() {
    const char* const folder = getenv("TMPDIR");
    std::string name = folder == nullptr ? "/tmp" : folder;
    name += "/stepscope_generate_XXXXXX";
    fd_ = mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0) return;
    sqlite3* database = nullptr;
    sqlite3_open(name.c_str(), &database);
    database_.reset(database);
    unlink(name.c_str());
  }
  ~Scratch() {
    if (fd_ >= 0) close(fd_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  bool opened() const { return fd_ >= 0; }
  sqlite3* database() { return database_.get(); }
  bool Execute(const char* sql) {
    return sqlite3_exec(database(), sql, nullptr, nullptr, nullptr) ==
           SQLITE_OK;
  }
  Status CopyTo(OutBuffer& out) {
    constexpr size_t kBytes = size_t{64} << 10;
    std::vector<char> block(kBytes);
    for (off_t at = 0;;) {
      const ssize_t n = pread(fd_, block.data(), block.size(), at);
      if (n < 0 && errno != EINTR) return FileError("nsys", errno);
      if (n == 0) return out.Finish();
      if (n < 0) continue;
      out.Append({block.data(), static_cast<size_t>(n)});
      at += n;
    }
  }

 private:
  int fd_ = -1;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
};

constexpr std::monostate kNull;

// Inserts rows into one table.
class Table {
 public:
  using Value = std::variant<std::monostate, int64_t, std::string_view>;

  Table(sqlite3* database, const std::string& name, int columns) {
    std::string sql = "INSERT INTO " + name + " VALUES (?";
    for (int i = 1; i < columns; ++i) sql += ",?";
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, (sql + ")").c_str(), -1, &statement, nullptr);
    statement_.reset(statement);
  }
  // As many values as there are columns. Errors stay with the database.
  bool Insert(std::initializer_list<Value> values) {
    int column = 0;
    for (const Value& value : values) {
      ++column;
      if (const auto* const number = std::get_if<int64_t>(&value))
        sqlite3_bind_int64(statement_.get(), column, *number);
      else if (const auto* const text = std::get_if<std::string_view>(&value))
        sqlite3_bind_text(statement_.get(), column, text->data(),
                          static_cast<int>(text->size()), SQLITE_STATIC);
      else
        sqlite3_bind_null(statement_.get(), column);
    }
    const bool done = sqlite3_step(statement_.get()) == SQLITE_DONE;
    sqlite3_reset(statement_.get());
    return done;
  }

 private:
  std::unique_ptr<sqlite3_stmt, CloseStatement> statement_;
};

class NsysWriter {
 public:
  explicit NsysWriter(const Workload& workload)
      : workload_(workload),
        names_(Dialect::kTorch, workload.options().names) {}

  Status Write(OutBuffer& out) {
    if (!scratch_.opened()) return FileError("temporary file", errno);
    if (!scratch_.Execute(kSchema) || !WriteRows() ||
        !scratch_.Execute("COMMIT"))
      return Fail(ErrorCode::kIo,
                  std::string("nsys: ") + sqlite3_errmsg(scratch_.database()));
    return scratch_.CopyTo(out);
  }

 private:
  bool WriteRows() {
    sqlite3* const database = scratch_.database();
    strings_.emplace(database, "StringIds", 2);
    ranges_.emplace(database, "NVTX_EVENTS", 11);
    calls_.emplace(database, "CUPTI_ACTIVITY_KIND_RUNTIME", 8);
    kernels_.emplace(database, "CUPTI_ACTIVITY_KIND_KERNEL", 19);
    copies_.emplace(database, "CUPTI_ACTIVITY_KIND_MEMCPY", 11);
    sets_.emplace(database, "CUPTI_ACTIVITY_KIND_MEMSET", 10);
    memory_.emplace(database, "CUDA_GPU_MEMORY_USAGE_EVENTS", 9);
    bool good = WriteSession();
    workload_.Walk(
        [&](const Record& record) { good = good && WriteRecord(record); });
    return good;
  }

  bool WriteSession() {
    sqlite3* const database = scratch_.database();
    return Table(database, "META_DATA_EXPORT", 2)
               .Insert({"EXPORT_SCHEMA_VERSION", "3.16.1"}) &&
           Table(database, "TARGET_INFO_SESSION_START_TIME", 3)
               .Insert({workload_.options().epoch_ns, kNull, kNull}) &&
           Table(database, "TARGET_INFO_GPU", 6)
               .Insert({kHost, 0, "Made-up GPU", "0000:01:00.0",
                        int64_t{80} << 30, 132}) &&
           Table(database, "PROCESSES", 3)
               .Insert({GlobalPid(), workload_.pid(), "python"}) &&
           Table(database, "ThreadNames", 3)
               .Insert({StringOf("main"), 1, GlobalTid(kMain)}) &&
           Table(database, "ThreadNames", 3)
               .Insert({StringOf("autograd"), 1, GlobalTid(kAutograd)});
  }

  bool WriteRecord(const Record& record) {
    const int64_t start = record.start_ns;
    const int64_t end = record.end_ns();
    const int64_t stream = kLineIds[record.line];
    const int64_t link = record.correlation;
    switch (record.kind) {
      case Kind::kLaunch:
        return calls_->Insert({start, end, 0, GlobalTid(record.line), link,
                               StringOf(names_.Of(record)), 0, kNull});
      case Kind::kKernel: {
        const int64_t name = StringOf(names_.Of(record));
        return kernels_->Insert({start, end, 0, 1, stream, link, GlobalPid(),
                                 name, name, 32, 256, 1, 1, 256, 1, 1, 0, 4096,
                                 kNull});
      }
      case Kind::kMemcpy:
        return copies_->Insert({start, end, 0, 1, stream, link, GlobalPid(),
                                record.bytes, kHostToDevice, kPageable,
                                kDeviceMemory});
      case Kind::kMemset:
        return sets_->Insert({start, end, 0, 1, stream, link, GlobalPid(), 0,
                              record.bytes, kDeviceMemory});
      case Kind::kAllocate:
      case Kind::kFree: {
        const bool freed = record.kind == Kind::kFree;
        return memory_->Insert({start, GlobalPid(), 0, 1,
                                static_cast<int64_t>(record.address), 0,
                                freed ? -record.bytes : record.bytes,
                                kDeviceMemory, freed ? 1 : 0});
      }
      default:
        return WriteRange(record);
    }
  }

  // Operators say which call they are, all in one text.
  bool WriteRange(const Record& record) {
    text_ = names_.Of(record);
    const bool forward =
        record.kind == Kind::kOperator || record.kind == Kind::kInner;
    if (forward || record.kind == Kind::kGradient) {
      text_ += ", seq = ";
      text_ += std::to_string(record.ordinal);
      text_ += ", op_id = ";
      text_ += std::to_string(record.op);
      if (forward) text_ += ", sizes = [[32, 3, 224, 224], [64, 3, 7, 7], []]";
    }
    return ranges_->Insert({record.start_ns, record.end_ns(), kPushPop, kNull,
                            kNull, kNull, text_, GlobalTid(record.line), kNull,
                            kNull, 0});
  }

  int64_t GlobalPid() const {
    return (kHost * kIdRange + workload_.pid()) * kIdRange;
  }
  int64_t GlobalTid(Line line) const {
    return GlobalPid() + workload_.tid(line);
  }
  int64_t StringOf(const std::string& text) {
    const auto [it, fresh] =
        string_ids_.try_emplace(text, int64_t(string_ids_.size()) + 1);
    // A failure shows in the rows that follow, or at the commit.
    if (fresh) strings_->Insert({it->second, it->first});
    return it->second;
  }

  const Workload& workload_;
  Names names_;
  Scratch scratch_;
  std::optional<Table> strings_, ranges_, calls_, kernels_, copies_, sets_,
      memory_;
  std::map<std::string, int64_t> string_ids_;
  std::string text_;
};

}  // namespace

Status WriteNsys(const Workload& workload, OutBuffer& out) {
  return NsysWriter(workload).Write(out);
}

}  // namespace stepscope::generator
