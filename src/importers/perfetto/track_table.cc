// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/track_table.h"

#include <algorithm>
#include <charconv>

#include "importers/perfetto/fields.h"

namespace stepscope::pftrace {
namespace {

using proto::Bytes;
using proto::Message;

// The first number in a text; -1 if there is none.
int64_t NumberIn(std::string_view text) {
  const size_t digit = text.find_first_of("0123456789");
  int64_t number = -1;
  if (digit == text.npos) return number;
  const auto [end, error] =
      std::from_chars(text.data() + digit, text.data() + text.size(), number);
  return error == std::errc() ? number : -1;
}

}  // namespace

uint32_t TrackTable::Look(uint64_t uuid) {
  last_uuid_ = uuid;
  if (const uint32_t* const known = by_uuid_.Find(uuid);
      known != nullptr && *known != 0) [[likely]] {
    last_ = *known - 1;
    return last_;
  }
  uint32_t& slot = by_uuid_.Add(uuid);
  if (slot == 0) {
    infos_.emplace_back();
    slot = static_cast<uint32_t>(infos_.size());
  }
  last_ = slot - 1;
  return last_;
}

uint32_t TrackTable::Keyed(std::string key, bool* fresh) {
  const auto [it, added] = keyed_.try_emplace(std::move(key), 0);
  *fresh = added;
  if (added) {
    infos_.emplace_back();
    it->second = static_cast<uint32_t>(infos_.size()) - 1;
  }
  return it->second;
}

uint32_t TrackTable::Thread(int64_t pid, int64_t tid) {
  const auto known = threads_.find({pid, tid});
  if (known != threads_.end()) return known->second;
  infos_.emplace_back();
  const auto index = static_cast<uint32_t>(infos_.size()) - 1;
  TrackInfo& info = infos_[index];
  info.kind = TrackInfo::Kind::kThread;
  info.pid = pid;
  info.tid = tid;
  threads_[{pid, tid}] = index;
  return index;
}

uint32_t TrackTable::Async(uint32_t thread, std::string_view id,
                           StringId name) {
  const int64_t pid = infos_[thread].pid;
  bool fresh = false;
  const uint32_t index =
      Keyed("async " + std::to_string(pid) + ' ' + std::string(id), &fresh);
  if (fresh) {
    TrackInfo& info = infos_[index];
    info.name = name;
    info.process = ProcessByPid(pid);
  }
  return index;
}

uint32_t TrackTable::LegacyCounter(uint32_t thread, StringId name) {
  const int64_t pid = infos_[thread].pid;
  bool fresh = false;
  const uint32_t index = Keyed(
      "counter " + std::to_string(pid) + ' ' + std::to_string(name.v), &fresh);
  if (fresh) {
    TrackInfo& info = infos_[index];
    info.kind = TrackInfo::Kind::kCounter;
    info.name = name;
    info.process = ProcessByPid(pid);
  }
  return index;
}

uint32_t TrackTable::ProcessByPid(int64_t pid) {
  const auto [it, fresh] = processes_.try_emplace(pid, 0);
  if (fresh) {
    Process process;
    process.pid = pid;
    it->second = out_.builder().AddProcess(std::move(process));
  }
  return it->second;
}

uint32_t TrackTable::Describe(Bytes descriptor) {
  uint64_t uuid = 0;
  Message message(descriptor);
  while (message.Next())
    if (message.tag() == tag::kUuid) uuid = message.value();
  const uint32_t index = Find(uuid);
  TrackInfo& info = infos_[index];
  Bytes facts;
  Message fields(descriptor);
  while (fields.Next()) {
    switch (fields.tag()) {
      case tag::kTrackName:
      case tag::kStaticName:
        info.name = out_.Intern(fields.text());
        break;
      case tag::kParentUuid:
        info.parent = fields.value();
        break;
      case tag::kTrackProcess:
        ReadProcess(fields.bytes(), info);
        break;
      case tag::kTrackThread:
        ReadThread(fields.bytes(), info);
        threads_.try_emplace({info.pid, info.tid}, index);
        break;
      case tag::kTrackCounter: {
        info.kind = TrackInfo::Kind::kCounter;
        Message counter(fields.bytes());
        while (counter.Next()) {
          if (counter.tag() == tag::kUnitMultiplier) info.unit = counter.sint();
          if (counter.tag() == tag::kIsIncremental)
            info.incremental = counter.value() != 0;
        }
        break;
      }
      case tag::kFacts:
        facts = fields.bytes();
        break;
      default:
        break;
    }
  }
  if (!facts.empty()) ReadFacts(facts, info);
  return index;
}

void TrackTable::ReadThread(Bytes descriptor, TrackInfo& info) {
  info.kind = TrackInfo::Kind::kThread;
  Message message(descriptor);
  while (message.Next()) {
    switch (message.tag()) {
      case tag::kThreadPid:
        info.pid = message.sint();
        break;
      case tag::kThreadTid:
        info.tid = message.sint();
        break;
      case tag::kThreadName:
        info.name = out_.Intern(message.text());
        break;
      default:
        break;
    }
  }
}

uint32_t TrackTable::DescribeThread(Bytes descriptor) {
  TrackInfo said;
  ReadThread(descriptor, said);
  const uint32_t index = Thread(said.pid, said.tid);
  if (said.name.v != 0) infos_[index].name = said.name;
  return index;
}

void TrackTable::ReadProcess(Bytes descriptor, TrackInfo& info) {
  info.kind = TrackInfo::Kind::kProcess;
  StringId name, command;
  std::vector<StringId> labels;
  Message message(descriptor);
  while (message.Next()) {
    switch (message.tag()) {
      case tag::kProcessPid:
        info.pid = message.sint();
        break;
      case tag::kProcessName:
        name = out_.Intern(message.text());
        break;
      case tag::kProcessCommand:
        if (command.v == 0) command = out_.Intern(message.text());
        break;
      case tag::kProcessLabel:
        labels.push_back(out_.Intern(message.text()));
        break;
      default:
        break;
    }
  }
  info.process = ProcessByPid(info.pid);
  const StringId key = labels.empty() ? StringId{} : out_.Intern("label");
  Process& process = out_.builder().process(info.process);
  if (name.v == 0) name = command;
  if (name.v != 0) process.name = name;
  // It is stated again whenever a sequence starts anew.
  if (process.metadata.empty())
    for (const StringId label : labels)
      process.metadata.emplace_back(key, label);
}

void TrackTable::DescribeProcess(Bytes descriptor) {
  TrackInfo ignored;
  ReadProcess(descriptor, ignored);
}

void TrackTable::ReadProcessTree(Bytes tree) {
  Message message(tree);
  while (message.Next()) {
    int64_t pid = 0;
    int64_t tid = 0;
    StringId name;
    Message entry(message.bytes());
    if (message.tag() == tag::kTreeProcess) {
      while (entry.Next()) {
        if (entry.tag() == tag::kTreePid) pid = entry.sint();
        if (entry.tag() == tag::kTreeCommand && name.v == 0)
          name = out_.Intern(entry.text());
      }
      process_names_[pid] = name;
    } else if (message.tag() == tag::kTreeThread) {
      while (entry.Next()) {
        if (entry.tag() == tag::kTreeTid) tid = entry.sint();
        if (entry.tag() == tag::kTreeTgid) pid = entry.sint();
        if (entry.tag() == tag::kTreeThreadName)
          name = out_.Intern(entry.text());
      }
      thread_names_[{pid, tid}] = name;
    }
  }
}

uint32_t TrackTable::FindGroup(uint64_t group) const {
  const auto it = groups_.find(group);
  return it == groups_.end() ? kNone : it->second;
}

// The process of the nearest ancestor that says one. Parents may form a ring,
// or a chain as long as the file.
uint32_t TrackTable::ResolveProcess(uint32_t index) {
  std::vector<uint32_t> path;
  uint32_t found = kNone;
  while (true) {
    TrackInfo& info = infos_[index];
    if (info.process == kNone && info.kind == TrackInfo::Kind::kThread)
      info.process = ProcessByPid(info.pid);
    found = info.process;
    if (found != kNone || info.visited) break;
    info.visited = true;
    path.push_back(index);
    if (info.parent == 0) break;
    const uint32_t* const parent = by_uuid_.Find(info.parent);
    if (parent == nullptr || *parent == 0) break;
    index = *parent - 1;
  }
  // Of no process: that of what belongs to the whole file.
  if (found == kNone) found = ProcessByPid(0);
  for (const uint32_t on_path : path) infos_[on_path].process = found;
  return found;
}

// Streams of files that do not say so: a number in the name of the track, and
// one in that of the track it lies under.
void TrackTable::SettleStream(const TrackInfo& info, Track& track,
                              int64_t fallback_id) {
  const StringPool& strings = out_.builder().strings();
  track.kind = TrackKind::kStream;
  const int64_t id = NumberIn(strings.view(info.name));
  track.id = id >= 0 ? id : fallback_id;
  track.device = 0;
  if (const uint32_t* const parent = by_uuid_.Find(info.parent);
      info.parent != 0 && parent != nullptr && *parent != 0 &&
      infos_[*parent - 1].kind == TrackInfo::Kind::kPlain)
    track.device =
        std::max<int64_t>(0, NumberIn(strings.view(infos_[*parent - 1].name)));
}

void TrackTable::Settle(uint32_t index, int64_t* next_id) {
  const uint32_t process = ResolveProcess(index);
  const TrackInfo& info = infos_[index];
  const StringId gpu = info.device_work && info.kind == TrackInfo::Kind::kPlain
                           ? out_.Intern("GPU")
                           : StringId{};
  Track& track = out_.builder().track(info.track);
  track.process = process;
  track.name = info.name;
  switch (info.kind) {
    case TrackInfo::Kind::kThread:
      track.kind = TrackKind::kThread;
      track.id = info.tid;
      if (const auto name = thread_names_.find({info.pid, info.tid});
          track.name.v == 0 && name != thread_names_.end())
        track.name = name->second;
      return;
    case TrackInfo::Kind::kCounter:
      track.kind = TrackKind::kCounter;
      track.id = (*next_id)++;
      return;
    default:
      break;
  }
  if (gpu.v != 0) {
    SettleStream(info, track, *next_id);
    track.device_type = gpu;
  } else {
    track.kind = TrackKind::kAsync;
    track.id = *next_id;
  }
  ++*next_id;
}

void TrackTable::Finish() {
  int64_t next_id = 1;
  for (uint32_t i = 0; i < infos_.size(); ++i) {
    const TrackInfo& info = infos_[i];
    if (info.own ||
        (info.kind != TrackInfo::Kind::kThread && info.track == kNone))
      continue;
    TrackOf(i);  // a thread that did nothing is still there
    Settle(i, &next_id);
  }
  for (const auto& [pid, name] : process_names_)
    if (const auto known = processes_.find(pid); known != processes_.end())
      if (Process& process = out_.builder().process(known->second);
          process.name.v == 0)
        process.name = name;
}

}  // namespace stepscope::pftrace
