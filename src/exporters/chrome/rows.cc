// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/rows.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "exporters/chrome/json_text.h"
#include "exporters/pid_pool.h"
#include "trace/clock_facts.h"

namespace stepscope::chrome {
namespace {

// What Paddle adds to sort devices behind processes. Also where numbers are
// taken from when a pid is not unique.
constexpr int64_t kDeviceOrder = 0x10000000;
// A double holds twice this exactly.
constexpr int64_t kMaxOrder = int64_t{1} << 51;

int64_t FreePid(PidPool& pool, int64_t wanted) {
  return pool.Take(wanted,
                   kDeviceOrder + std::clamp<int64_t>(wanted, 0, kDeviceOrder));
}

void AppendMeta(std::string& out, std::string_view what, int64_t pid,
                std::string_view args, std::string_view row = {}) {
  out += R"({"name":")";
  out += what;
  out += R"(","ph":"M","pid":)";
  AppendInt(out, pid);
  out += row;
  out += R"(,"args":{)";
  out += args;
  out += "}},\n";
}

std::string NameArg(std::string_view name) {
  std::string args;
  AppendTextField(args, "name", name);
  return args;
}

std::string OrderArg(int64_t order) {
  return R"("sort_index":)" + std::to_string(order);
}

// How the clock of a rank was laid beside the others, if it was.
std::string ClockFacts(const Trace& trace, const Process& process) {
  std::string args;
  for (const auto& [key, value] : process.metadata) {
    const std::string_view name = trace.str(key);
    if (std::find(kClockFactKeys.begin(), kClockFactKeys.end(), name) ==
        kClockFactKeys.end()) {
      continue;
    }
    args += ',';
    AppendTextField(args, name, trace.str(value));
  }
  return args;
}

}  // namespace

Side SideOf(uint16_t type) {
  switch (type) {
    case STEPSCOPE_PROFILE_STEP:
    case STEPSCOPE_FORWARD:
    case STEPSCOPE_BACKWARD:
    case STEPSCOPE_DATALOADER:
    case STEPSCOPE_OPTIMIZATION:
    case STEPSCOPE_PYTHON_OP:
    case STEPSCOPE_PYTHON_USER_DEFINED:
    case STEPSCOPE_PYTHON_FUNCTION:
      return Side::kPython;
    default:
      return Side::kCpp;
  }
}

Rows::Rows(const Trace& trace, bool unsigned_ids)
    : trace_(trace),
      unsigned_ids_(unsigned_ids),
      pids_(trace.processes().size()),
      rows_(trace.tracks().size()) {
  AddGroups();
  FindTwins();
}

// Processes choose first, so that they keep their pid; in a container a pid
// may well be the number of a device.
void Rows::AddGroups() {
  PidPool taken;
  for (uint32_t i = 0; i < pids_.size(); ++i) {
    // Viewers take negative pids for large ones.
    const int64_t pid = trace_.processes()[i].pid;
    pids_[i] = FreePid(taken, pid < 0 && pid > -kMaxOrder ? -pid : pid);
    groups_.push_back({.pid = pids_[i], .process = i, .device_type = {}});
  }
  std::map<std::pair<uint32_t, int64_t>, int64_t> devices;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    const Track& track = trace_.tracks()[i];
    if (track.kind != TrackKind::kStream) {
      rows_[i].pid = pids_[track.process];
      continue;
    }
    auto [device, fresh] = devices.try_emplace({track.process, track.device});
    if (fresh) {
      device->second = FreePid(taken, track.device);
      groups_.push_back({.pid = device->second,
                         .process = track.process,
                         .is_device = true,
                         .device = track.device,
                         .device_type = track.device_type});
    }
    rows_[i].pid = device->second;
  }
}

// The system may give the id of a finished thread to a new one, and processes
// of several hosts have equal ids. Viewers are not prepared for either:
// Perfetto knows a thread by its tid alone if that is a string.
void Rows::FindTwins() {
  using Key = std::tuple<TrackKind, int64_t, uint32_t>;
  std::map<std::pair<int64_t, Key>, uint32_t> seen;
  std::map<Key, int64_t> first_pid;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    const Track& track = trace_.tracks()[i];
    Key key = {track.kind, track.id, track.lane};
    int64_t pid = rows_[i].pid;
    rows_[i].twin = seen[{pid, key}]++;
    rows_[i].shared = first_pid.try_emplace(key, pid).first->second != pid;
  }
}

std::string Rows::Suffix(uint32_t track) const {
  std::string suffix;
  uint32_t lane = trace_.tracks()[track].lane;
  if (lane > 0) suffix += " lane " + std::to_string(lane);
  uint32_t twin = rows_[track].twin;
  if (twin > 0) suffix += " #" + std::to_string(twin + 1);
  return suffix;
}

std::string Rows::Tid(uint32_t track, Side side) const {
  const Track& t = trace_.tracks()[track];
  std::string id = std::to_string(t.id);
  if (unsigned_ids_ && t.id < 0) id.erase(0, 1);
  std::string suffix = Suffix(track);
  if (rows_[track].shared && t.kind != TrackKind::kStream)
    suffix += " @" + std::to_string(rows_[track].pid);
  switch (t.kind) {
    case TrackKind::kStream:
      return suffix.empty() ? id : '"' + id + suffix + '"';
    case TrackKind::kAsync:
      return '"' + id + "(async)" + suffix + '"';
    case TrackKind::kCounter:
      return '"' + id + "(counter)" + suffix + '"';
    case TrackKind::kThread:
      break;
  }
  return '"' + id + (side == Side::kPython ? "(Python)" : "(C++)") + suffix +
         '"';
}

void Rows::AppendGroup(std::string& out, const Group& group) const {
  const Process& process = trace_.processes()[group.process];
  std::string name;
  // What is no process of an operating system is known by its name.
  const bool by_name = process.pid < 0 && process.name.v != 0;
  if (!group.is_device && by_name) {
    name = trace_.str(process.name);
  } else if (!group.is_device) {
    name = "Process " + std::to_string(process.pid) + " (CPU)";
  } else {
    std::string type(trace_.str(group.device_type));
    name = "Device " + std::to_string(group.device) + " (" +
           (type.empty() ? "GPU" : type) + ")";
    if (pids_.size() > 1)
      name += by_name ? " of " + std::string(trace_.str(process.name))
                      : " of process " + std::to_string(process.pid);
  }
  AppendMeta(out, "process_name", group.pid, NameArg(name));

  std::string labels;
  auto add = [&](const std::string& label) {
    if (!labels.empty()) labels += ",";
    labels += label;
  };
  if (process.name.v != 0 && !by_name)
    add(std::string(trace_.str(process.name)));
  if (process.rank >= 0) add("rank " + std::to_string(process.rank));
  if (process.host.v != 0) add(std::string(trace_.str(process.host)));
  if (!labels.empty() && !group.is_device) {
    std::string args;
    AppendTextField(args, "labels", labels);
    AppendMeta(out, "process_labels", group.pid, args);
  }
  int64_t order = group.is_device ? group.device + kDeviceOrder : group.pid;
  std::string args = OrderArg(order);
  // What the rows alone do not tell a reader. Viewers warn of metadata that
  // they do not know, not of arguments.
  if (pids_.size() > 1 && group.is_device)
    args += R"(,"owner":)" + std::to_string(pids_[group.process]);
  else if (process.rank >= 0 && !group.is_device)
    args += R"(,"rank":)" + std::to_string(process.rank) +
            ClockFacts(trace_, process);
  AppendMeta(out, "process_sort_index", group.pid, args);
}

void Rows::AppendRow(std::string& out, uint32_t track, Side side,
                     int64_t ts_ns) const {
  const Track& t = trace_.tracks()[track];
  std::string id = std::to_string(t.id);
  std::string name;
  int64_t order = std::clamp(t.id, -kMaxOrder, kMaxOrder);
  switch (t.kind) {
    case TrackKind::kStream:
      name = "stream " + id;
      if (t.name.v != 0) name += ":" + std::string(trace_.str(t.name));
      break;
    case TrackKind::kThread:
      name = "thread " + id + ":" + std::string(trace_.str(t.name)) +
             (side == Side::kPython ? "(Python)" : "(C++)");
      order = 2 * order + (side == Side::kCpp ? 1 : 0);
      break;
    case TrackKind::kAsync:
    case TrackKind::kCounter:
      name = std::string(trace_.str(t.name));
      break;
  }
  name += Suffix(track);
  int64_t pid = rows_[track].pid;
  std::string row = R"(,"tid":)" + Tid(track, side) + R"(,"ts":)";
  AppendMicros(row, ts_ns);
  // Perfetto takes a tid that is a string for the name of the thread, at each
  // entry anew: the name must come last, in time and in the file.
  AppendMeta(out, "thread_sort_index", pid, OrderArg(order), row);
  AppendMeta(out, "thread_name", pid, NameArg(name), row);
}

std::string Rows::Metadata(int64_t last_ts_ns) const {
  std::string out;
  for (const Group& group : groups_) AppendGroup(out, group);
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    const RowOf& row = rows_[i];
    if (row.used[0]) AppendRow(out, i, Side::kPython, last_ts_ns);
    // A thread that recorded nothing is still there.
    bool thread = trace_.tracks()[i].kind == TrackKind::kThread;
    if (row.used[1] || (thread && !row.used[0]))
      AppendRow(out, i, Side::kCpp, last_ts_ns);
  }
  return out;
}

}  // namespace stepscope::chrome
