// SPDX-License-Identifier: Apache-2.0
#include "importers/nsys/nsys_reader.h"

#include <stepscope/c.h>

#include <utility>

namespace stepscope::nsys {
namespace {

// What TraceBuilder takes; the difference of two such times fits as well.
constexpr int64_t kMaxTimeNs = int64_t{1} << 62;
constexpr int64_t kPlausibleEpochNs = 946'684'800'000'000'000;  // year 2000

// A global thread id is host, process and thread, 24 bits each of the last
// two; a global process id has no thread.
constexpr int64_t kIdRange = 0x1000000;

}  // namespace

NsysReader::NsysReader(Database database, std::string path,
                       TraceBuilder& builder)
    : database_(std::move(database)),
      path_(std::move(path)),
      builder_(builder) {}

Status NsysReader::Read() {
  if (!database_.HasTable("StringIds"))
    return Fail(ErrorCode::kUnsupported,
                path_ +
                    ": byte 0: an SQLite database, but damaged or not one that "
                    "nsys exported: it has no table StringIds");
  ReadMetadata();
  ReadNames();
  ReadNvtx();
  ReadRuntime();
  ReadRanges("OSRT_API", STEPSCOPE_USER_DEFINED, "OS runtime");
  ReadRanges("CUDNN_EVENTS", STEPSCOPE_OPERATOR_INNER);
  ReadRanges("CUBLAS_EVENTS", STEPSCOPE_OPERATOR_INNER);
  ReadRanges("PROFILER_OVERHEAD", STEPSCOPE_OVERHEAD);
  ReadKernels();
  ReadCopies();
  ReadSets();
  ReadSynchronization();
  ReadGraphs();
  ReadMemory();
  ReadGpuMetrics();
  return Ok();
}

void NsysReader::ReadMetadata() {
  // Times count from the start of the session.
  int64_t epoch_ns = 0;
  Query start =
      database_.Select("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"});
  if (start.Next()) epoch_ns = start.Int(0);
  offset_ns_ = builder_.AlignEpoch(epoch_ns, epoch_ns >= kPlausibleEpochNs);

  Query strings = database_.Select("StringIds", {"id", "value"});
  while (strings.Next())
    names_[strings.Int(0)] = builder_.Intern(strings.Text(1));
  Ends(strings, "StringIds");
}

void NsysReader::ReadNames() {
  Query processes = database_.Select("PROCESSES", {"globalPid", "pid", "name"});
  while (processes.Next()) {
    const uint32_t index = Process(processes.Int(0));
    builder_.process(index).pid = processes.Int(1);
    builder_.process(index).name = builder_.Intern(processes.Text(2));
  }
  Query threads = database_.Select("ThreadNames", {"nameId", "globalTid"});
  while (threads.Next()) {
    Track& track = builder_.track(Thread(threads.Int(1)));
    if (track.name.v == 0) track.name = Name(threads.Int(0));
  }
  Query gpus = database_.Select("TARGET_INFO_GPU",
                                {"id", "name", "totalMemory", "smCount"});
  std::vector<std::pair<StringId, StringId>> about;
  while (gpus.Next()) {
    const std::string gpu = "GPU " + std::to_string(gpus.Int(0)) + " ";
    about.emplace_back(builder_.Intern(gpu + "name"),
                       builder_.Intern(gpus.Text(1)));
    about.emplace_back(builder_.Intern(gpu + "totalMemory"),
                       builder_.Intern(gpus.Text(2)));
    about.emplace_back(builder_.Intern(gpu + "smCount"),
                       builder_.Intern(gpus.Text(3)));
  }
  Query meta = database_.Select("META_DATA_EXPORT", {"name", "value"});
  while (meta.Next())
    about.emplace_back(builder_.Intern(meta.Text(0)),
                       builder_.Intern(meta.Text(1)));
  for (const auto& [pid, index] : processes_)
    builder_.process(index).metadata = about;
}

Row NsysReader::Add(const RowEvent& event) {
  Ledger& ledger = builder_.ledger();
  const auto offset = static_cast<uint64_t>(event.rowid);
  EventSpec spec;
  spec.track = event.track;
  spec.name = event.name;
  spec.type = event.type;
  int64_t end = event.ended ? event.end_ns : event.start_ns;
  if (__builtin_add_overflow(event.start_ns, offset_ns_, &spec.start_ns) ||
      __builtin_add_overflow(end, offset_ns_, &end) ||
      spec.start_ns <= -kMaxTimeNs || spec.start_ns >= kMaxTimeNs ||
      end <= -kMaxTimeNs || end >= kMaxTimeNs) {
    ledger.Reject("time out of range", offset,
                  builder_.strings().view(event.name));
    return kNoRow;
  }
  if (!event.ended) spec.flags = kEventInstant;
  const bool backwards = end < spec.start_ns;
  spec.dur_ns = backwards ? 0 : end - spec.start_ns;
  const Row row = builder_.AddEvent(spec);
  if (row == kNoRow) {
    ledger.Reject("no memory", offset);  // Finish() fails
  } else if (backwards) {
    ledger.Repair("end before start", offset,
                  builder_.strings().view(event.name));
  } else {
    ledger.Keep();
  }
  if (row != kNoRow) Link(event.process, event.correlation, row);
  return row;
}

void NsysReader::Ends(const Query& query, std::string_view table) {
  if (!query.failed()) return;
  builder_.ledger().Reject("table that cannot be read to its end", 0, table);
  builder_.SetIncomplete();
}

void NsysReader::Link(uint32_t process, int64_t correlation, Row row) {
  if (correlation == 0) return;
  builder_.AddLink({process, LinkSpace::kCorrelation,
                    static_cast<uint64_t>(correlation), row});
}

void NsysReader::AddIfSet(Row row, const Query& query, int column,
                          std::string_view key) {
  if (!query.IsNull(column)) builder_.AddInt(row, key, query.Int(column));
}

void NsysReader::AddTriple(Row row, const Query& query, int column,
                           std::string_view key) {
  if (query.IsNull(column)) return;
  const int64_t values[] = {query.Int(column), query.Int(column + 1),
                            query.Int(column + 2)};
  Arg arg;
  arg.row = row;
  arg.key = builder_.Intern(key);
  builder_.AddListArg(arg, values);
}

StringId NsysReader::Name(int64_t id) const {
  const auto it = names_.find(id);
  return it == names_.end() ? StringId{} : it->second;
}

uint32_t NsysReader::Process(int64_t global_pid) {
  global_pid -= global_pid % kIdRange;
  const auto [it, fresh] = processes_.try_emplace(global_pid, 0u);
  if (fresh) {
    stepscope::Process process;
    process.pid = global_pid / kIdRange % kIdRange;
    it->second = builder_.AddProcess(std::move(process));
  }
  return it->second;
}

uint32_t NsysReader::Thread(int64_t global_tid) {
  return FindTrack(Process(global_tid), TrackKind::kThread, -1,
                   global_tid % kIdRange);
}

uint32_t NsysReader::Stream(uint32_t process, int64_t device, int64_t stream) {
  return FindTrack(process, TrackKind::kStream, device, stream);
}

uint32_t NsysReader::FindTrack(uint32_t process, TrackKind kind, int64_t device,
                               int64_t id) {
  const TrackKey key = {process, kind, device, id};
  const auto [it, fresh] = tracks_.try_emplace(key, 0u);
  if (fresh) {
    Track track;
    std::tie(track.process, track.kind, track.device, track.id) = key;
    if (kind == TrackKind::kStream) track.device_type = builder_.Intern("GPU");
    it->second = builder_.AddTrack(track);
  }
  return it->second;
}

}  // namespace stepscope::nsys
