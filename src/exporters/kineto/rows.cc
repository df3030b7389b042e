// SPDX-License-Identifier: Apache-2.0
#include "exporters/kineto/rows.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>

#include "exporters/chrome/json_text.h"

namespace stepscope::kineto {
namespace {

// What Kineto adds to sort devices behind processes. Also where numbers are
// taken from when a pid is not unique.
constexpr int64_t kDeviceOrder = 5000000;
// What has no thread and would have the id of one.
constexpr int64_t kAsideIds = int64_t{1} << 40;

void AppendMeta(std::string& out, std::string_view what, std::string_view place,
                std::string_view args) {
  out += R"({"name":")";
  out += what;
  out += R"(","ph":"M",)";
  out += place;
  out += R"(,"args":{)";
  out += args;
  out += "}},\n";
}

std::string TextArg(std::string_view key, std::string_view text) {
  std::string arg;
  chrome::AppendTextField(arg, key, text);
  return arg;
}

std::string Numbers(int64_t pid, int64_t tid) {
  return R"("pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid);
}

// "Spans PyTorch Profiler" is how our importer names such a row.
std::string Texts(std::string_view name) {
  const size_t blank = name.find(' ');
  std::string place = TextArg("pid", name.substr(0, blank));
  place += ',';
  place += TextArg("tid", blank == name.npos ? "" : name.substr(blank + 1));
  return place;
}

bool IsOfProfiler(std::string_view name) {
  return name == " " || name.starts_with("Spans ") ||
         name.starts_with("Traces ");
}

}  // namespace

RowIds::RowIds(const Trace& trace, const Form& form)
    : trace_(trace), form_(form) {
  // Processes choose first, so that they keep their pid; in a container a pid
  // may well be the number of a device.
  for (const Process& process : trace.processes())
    pids_.push_back(taken_.Take(std::abs(process.pid), kDeviceOrder));
  for (const Track& track : trace.tracks())
    if (track.kind == TrackKind::kThread)
      threads_[{track.process, track.id}] = true;
  for (const Track& track : trace.tracks()) places_.push_back(PlaceOf(track));
}

int64_t RowIds::DevicePid(uint32_t process, int64_t device) {
  const auto [it, fresh] = device_pids_.try_emplace({process, device}, 0);
  if (fresh) {
    it->second =
        taken_.Take(device, kDeviceOrder + std::max<int64_t>(device, 0));
    devices_.push_back({it->second, process, device});
  }
  return it->second;
}

std::string RowIds::PlaceOf(const Track& track) {
  switch (track.kind) {
    case TrackKind::kThread:
      return Numbers(pids_[track.process], track.id);
    case TrackKind::kStream:
      return Numbers(DevicePid(track.process, track.device), track.id);
    case TrackKind::kAsync:
    case TrackKind::kCounter:
      break;
  }
  return PlaceAside(track);
}

std::string RowIds::PlaceAside(const Track& track) {
  const std::string_view name = trace_.str(track.name);
  if (form_.from_kineto && track.device < 0 && IsOfProfiler(name))
    return Texts(name);
  if (track.device >= 0)
    return Numbers(DevicePid(track.process, track.device), track.id);
  // Kineto's own overhead is of no process.
  if (form_.from_kineto) return Numbers(-1, track.id);
  const bool taken = threads_.contains({track.process, track.id});
  return Numbers(pids_[track.process], taken ? kAsideIds + track.id : track.id);
}

void RowIds::AppendProcess(std::string& out, uint32_t index) const {
  const Process& process = trace_.processes()[index];
  const std::string place = Numbers(pids_[index], 0);
  if (process.name.v != 0)
    AppendMeta(out, "process_name", place,
               TextArg("name", trace_.str(process.name)));
  std::string_view labels = form_.from_kineto ? "" : "CPU";
  for (const auto& [key, value] : process.metadata)
    if (trace_.str(key) == "process_labels") labels = trace_.str(value);
  if (!labels.empty())
    AppendMeta(out, "process_labels", place, TextArg("labels", labels));
  std::string order = R"("sort_index":)" + std::to_string(pids_[index]);
  // What our importer needs of several processes; viewers pass over it.
  if (pids_.size() > 1 && process.rank >= 0)
    order += R"(,"rank":)" + std::to_string(process.rank);
  AppendMeta(out, "process_sort_index", place, order);
}

void RowIds::AppendDevice(std::string& out, const Device& device) const {
  const std::string place = Numbers(device.pid, 0);
  const Process& process = trace_.processes()[device.process];
  if (process.name.v != 0)
    AppendMeta(out, "process_name", place,
               TextArg("name", trace_.str(process.name)));
  AppendMeta(out, "process_labels", place,
             TextArg("labels", "GPU " + std::to_string(device.number)));
  std::string order =
      R"("sort_index":)" + std::to_string(kDeviceOrder + device.number);
  if (pids_.size() > 1)
    order += R"(,"owner":)" + std::to_string(pids_[device.process]) +
             R"(,"device":)" + std::to_string(device.number);
  AppendMeta(out, "process_sort_index", place, order);
}

// Empty where the row had no name but the one that an importer gives it.
std::string RowIds::NameOf(const Track& track) const {
  const std::string name(trace_.str(track.name));
  const std::string id = std::to_string(track.id);
  switch (track.kind) {
    case TrackKind::kThread:
      if (name.empty()) return {};
      return "thread " + id + " (" + name + ")";
    case TrackKind::kStream:
      if (name != "stream " + id && !name.empty()) return name;
      return form_.from_kineto ? "" : "stream " + id + " ";
    case TrackKind::kAsync:
    case TrackKind::kCounter:
      break;
  }
  const bool given =
      IsOfProfiler(name) || name == std::to_string(track.device) + " " + id;
  return given ? "" : name;
}

void RowIds::AppendRow(std::string& out, uint32_t index) const {
  const Track& track = trace_.tracks()[index];
  const std::string name = NameOf(track);
  if (!name.empty())
    AppendMeta(out, "thread_name", places_[index], TextArg("name", name));
  if (places_[index].find("\"pid\":\"") == std::string::npos)
    AppendMeta(out, "thread_sort_index", places_[index],
               R"("sort_index":)" + std::to_string(track.id));
}

std::string RowIds::Metadata() const {
  std::string out;
  for (uint32_t i = 0; i < pids_.size(); ++i) AppendProcess(out, i);
  for (const Device& device : devices_) AppendDevice(out, device);
  // Lanes, and what lies over a stream, share its row, and its name.
  std::map<std::string_view, uint32_t> rows;
  for (uint32_t i = 0; i < places_.size(); ++i) {
    const TrackKind kind = trace_.tracks()[i].kind;
    if (kind == TrackKind::kCounter) continue;
    const auto [it, fresh] = rows.try_emplace(places_[i], i);
    if (!fresh && kind == TrackKind::kStream &&
        trace_.tracks()[it->second].kind != TrackKind::kStream)
      it->second = i;
  }
  for (const auto& [place, track] : rows) AppendRow(out, track);
  return out;
}

}  // namespace stepscope::kineto
