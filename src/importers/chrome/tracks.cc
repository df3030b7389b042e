// SPDX-License-Identifier: Apache-2.0
#include "importers/chrome/tracks.h"

#include <charconv>
#include <cstring>
#include <utility>

#include "base/hash.h"
#include "importers/json/json_string.h"
#include "importers/json/number.h"
#include "importers/thread_id.h"

namespace stepscope::json {
namespace {

std::string Key(std::string_view a, std::string_view b) {
  std::string key(a);
  key += '\0';
  key += b;
  return key;
}

// A token as text: what a string means, a number as it is written.
std::string Shown(std::string_view token) {
  if (token.size() < 2 || token.front() != '"') return std::string(token);
  std::string text;
  Unescape(token.substr(1, token.size() - 2), text);
  return text;
}

// The id that a token states: a number, or a string that holds one, as in
// "123(Python)" and "stream 7". False if there is none.
bool StatedId(std::string_view token, int64_t& id, std::string& suffix) {
  if (ParseInteger(token, id)) return true;
  std::string text = Shown(token);
  constexpr std::string_view kStream = "stream ";
  if (text.starts_with(kStream)) text.erase(0, kStream.size());
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end == text.data()) return false;
  suffix = text.substr(static_cast<size_t>(end - text.data()));
  return true;
}

// Takes `mark` and a number off the end. False: that is not how it ends.
bool TakeNumber(std::string_view& text, std::string_view mark,
                std::string_view* number = nullptr) {
  const size_t at = text.rfind(mark);
  if (at == text.npos) return false;
  const std::string_view digits = text.substr(at + mark.size());
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
    return false;
  if (number != nullptr) *number = digits;
  text = text.substr(0, at);
  return true;
}

// Rows of Paddle and of our exporter: one thread has a row for Python and one
// for C++, and further ones where events overlap. Ours also say which of
// several threads of one id it is (`twin`), and which process a thread is of
// whose id another process has as well.
bool IsPartOfThread(std::string_view suffix, std::string_view& twin) {
  TakeNumber(suffix, " @");
  TakeNumber(suffix, " #", &twin);
  TakeNumber(suffix, " lane ");
  return suffix.empty() || suffix == "(Python)" || suffix == "(C++)" ||
         suffix == " ";
}

template <typename T>
uint64_t Load(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// A text of up to seven bytes as those and its length, a longer number of up
// to 18 digits without leading zeros as that number. All differ. kNoWord: it
// is neither.
constexpr uint64_t kNoWord = ~uint64_t{0};
uint64_t Word(std::string_view id) {
  constexpr uint64_t kText = uint64_t{1} << 63;
  const char* const p = id.data();
  const size_t size = id.size();
  if (size == 0) return kText;
  if (size < 4)
    return kText | Load<uint8_t>(p) << 20 | Load<uint8_t>(p + size / 2) << 12 |
           Load<uint8_t>(p + size - 1) << 4 | size;
  if (size < 8)
    return kText |
           (Load<uint32_t>(p) | Load<uint32_t>(p + size - 4)
                                    << (8 * (size - 4)))
               << 4 |
           size;
  int64_t number = 0;
  return id[0] != '0' && ParsePlain(id, 0, number)
             ? static_cast<uint64_t>(number)
             : kNoWord;
}

// Ids of rows that have none.
constexpr int64_t kFirstInvented = int64_t{1} << 40;

}  // namespace

TrackMap::TrackMap(TraceBuilder& builder) : builder_(builder) {
  builder_.AddProcess({});
}

uint32_t TrackMap::Find(TrackPlace kind, std::string_view pid,
                        std::string_view tid, int64_t device, int64_t stream) {
  const uint64_t pid_word = Word(pid);
  const uint64_t tid_word = Word(tid);
  if (pid_word == kNoWord || tid_word == kNoWord)
    return Look(kind, pid, tid, device, stream);
  const uint64_t hash = MixHash(pid_word ^ static_cast<uint64_t>(kind) << 60,
                                tid_word ^ 0x9e3779b97f4a7c15u);
  Recent& recent = recent_[hash % recent_.size()];
  if (recent.used && recent.kind == kind && recent.pid == pid_word &&
      recent.tid == tid_word)
    return recent.track;
  recent.track = Look(kind, pid, tid, device, stream);
  recent.used = true;
  recent.kind = kind;
  recent.pid = pid_word;
  recent.tid = tid_word;
  return recent.track;
}

uint32_t TrackMap::Look(TrackPlace kind, std::string_view pid,
                        std::string_view tid, int64_t device, int64_t stream) {
  std::string key = Key(pid, tid);
  key += static_cast<char>('0' + static_cast<int>(kind));
  const auto [it, fresh] = tracks_.try_emplace(std::move(key), 0);
  if (!fresh) return it->second;
  uint32_t track = 0;
  switch (kind) {
    case TrackPlace::kHost:
      track = MakeHost(pid, tid);
      break;
    case TrackPlace::kStream:
      track = MakeStream(pid, tid, device, stream);
      break;
    case TrackPlace::kAside:
      track = MakeAside(pid, tid);
      break;
  }
  it->second = track;
  return track;
}

uint32_t TrackMap::ProcessOf(std::string_view pid) {
  const auto [it, fresh] = processes_.try_emplace(std::string(pid), 0);
  if (!fresh) return it->second;
  int64_t id = 0;
  std::string suffix;
  const bool stated = StatedId(pid, id, suffix);
  if (!std::exchange(main_taken_, true)) {
    it->second = kMainProcess;
  } else {
    it->second = builder_.AddProcess({});
  }
  Process& process = builder_.process(it->second);
  process.pid = stated ? id : -1;
  if (!stated) {
    const StringId name = builder_.Intern(Shown(pid));
    builder_.process(it->second).name = name;
  }
  return it->second;
}

uint32_t TrackMap::MakeHost(std::string_view pid, std::string_view tid) {
  Track track;
  track.process = ProcessOf(pid);
  std::string suffix;
  if (!StatedId(tid, track.id, suffix)) {
    track.id = kFirstInvented + invented_id_++;
    track.name = builder_.Intern(Shown(tid));
  }
  // Beyond 63 bits it would be negative too, and be taken for one of 32.
  track.id = tid.find('-') == tid.npos ? track.id & INT64_MAX
                                       : importers::UnsignedThreadId(track.id);
  std::string thread =
      std::to_string(track.process) + ' ' + std::to_string(track.id);
  std::string_view twin;
  const bool part = IsPartOfThread(suffix, twin);
  if (!twin.empty()) thread += " #" + std::string(twin);
  if (!part) {
    // As our exporter marks rows that are of no thread.
    if (suffix.starts_with("(async)")) track.kind = TrackKind::kAsync;
    track.name = builder_.Intern(Shown(tid));
    return builder_.AddTrack(track);
  }
  const auto [it, fresh] = same_tracks_.try_emplace(thread, 0);
  if (fresh) it->second = builder_.AddTrack(track);
  return it->second;
}

uint32_t TrackMap::MakeStream(std::string_view pid, std::string_view tid,
                              int64_t device, int64_t stream) {
  Track track;
  track.kind = TrackKind::kStream;
  track.process = kMainProcess;
  std::string suffix;
  track.device = device;
  if (device < 0 && !StatedId(pid, track.device, suffix)) track.device = 0;
  track.id = stream;
  if (stream < 0 && !StatedId(tid, track.id, suffix)) track.id = 0;
  track.name = builder_.Intern("stream " + std::to_string(track.id));
  track.device_type = builder_.Intern("GPU");
  const std::string key = "stream " + std::string(pid) + ' ' +
                          std::to_string(track.device) + ' ' +
                          std::to_string(track.id);
  const auto [it, fresh] = same_tracks_.try_emplace(key, 0);
  if (fresh) {
    it->second = builder_.AddTrack(track);
    streams_.emplace_back(it->second, pid);
  }
  return it->second;
}

uint32_t TrackMap::MakeAside(std::string_view pid, std::string_view tid) {
  Track track;
  track.kind = TrackKind::kAsync;
  track.process = kMainProcess;
  std::string suffix;
  if (!StatedId(tid, track.id, suffix)) track.id = 0;
  if (!StatedId(pid, track.device, suffix)) track.device = -1;
  const std::string name = Shown(pid) + ' ' + Shown(tid);
  track.name = builder_.Intern(name);
  asides_.emplace_back(builder_.AddTrack(track), pid);
  return asides_.back().first;
}

uint32_t TrackMap::Named(TrackKind kind, uint32_t process,
                         std::string_view name) {
  std::string key = std::to_string(process) + ' ' +
                    std::to_string(static_cast<int>(kind)) + ' ';
  key += name;
  const auto [it, fresh] = named_.try_emplace(std::move(key), 0);
  if (fresh) {
    Track track;
    track.kind = kind;
    track.process = process;
    track.id = static_cast<int64_t>(named_.size());
    track.name = builder_.Intern(name);
    it->second = builder_.AddTrack(track);
  }
  return it->second;
}

void TrackMap::NameProcess(std::string_view pid, std::string_view name) {
  process_names_.insert_or_assign(std::string(pid), std::string(name));
}

void TrackMap::NameThread(std::string_view pid, std::string_view tid,
                          std::string_view name) {
  thread_names_.insert_or_assign(Key(pid, tid), std::string(name));
}

void TrackMap::AddProcessData(std::string_view pid, std::string_view key,
                              std::string_view value) {
  process_data_.push_back(
      {std::string(pid), std::string(key), std::string(value)});
}

void TrackMap::SetOwner(std::string_view pid, std::string_view owner,
                        std::string_view device) {
  if (owner.empty()) return;
  int64_t number = -1;
  if (!ParseInteger(device, number)) number = -1;
  owners_.insert_or_assign(std::string(pid), Owner{std::string(owner), number});
}

void TrackMap::SetRank(std::string_view pid, std::string_view rank) {
  int64_t number = -1;
  if (ParseInteger(rank, number) && number >= 0)
    ranks_.emplace_back(pid, number);
}

// Device work is of the process that owns the device; until the file says
// which, it is of the main one.
void TrackMap::GiveToOwners() {
  if (owners_.empty()) return;
  for (const auto& [track, pid] : streams_) {
    const auto owner = owners_.find(pid);
    if (owner == owners_.end()) continue;
    const uint32_t process = ProcessOf(owner->second.pid);
    builder_.track(track).process = process;
  }
  // Their events do not say the device, and the pid need not be its number.
  for (const auto& [track, pid] : asides_) {
    const auto owner = owners_.find(pid);
    if (owner == owners_.end() || owner->second.device < 0) continue;
    const uint32_t process = ProcessOf(owner->second.pid);
    Track& its = builder_.track(track);
    its.process = process;
    its.device = owner->second.device;
    const StringId name = builder_.Intern(std::to_string(its.device) + ' ' +
                                          std::to_string(its.id));
    builder_.track(track).name = name;
  }
}

void TrackMap::Finish() {
  GiveToOwners();
  for (const auto& [pid, rank] : ranks_) {
    const auto process = processes_.find(pid);
    if (process != processes_.end())
      builder_.process(process->second).rank = rank;
  }
  for (const auto& [pid, process] : processes_) {
    const auto name = process_names_.find(pid);
    if (name == process_names_.end()) continue;
    const StringId id = builder_.Intern(name->second);
    builder_.process(process).name = id;
  }
  for (const auto& [key, track] : tracks_) {
    const auto name = thread_names_.find(key.substr(0, key.size() - 1));
    if (name == thread_names_.end()) continue;
    const StringId id = builder_.Intern(name->second);
    builder_.track(track).name = id;
  }
  for (const auto& [pid, key, value] : process_data_) {
    const auto process = processes_.find(pid);
    if (process == processes_.end()) continue;
    const std::pair entry = {builder_.Intern(key), builder_.Intern(value)};
    builder_.process(process->second).metadata.push_back(entry);
  }
}

}  // namespace stepscope::json
