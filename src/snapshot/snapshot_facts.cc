// SPDX-License-Identifier: Apache-2.0
//
// One function, Visit(), names every field once; a writer and a reader go over
// the same list, so that they cannot disagree.
#include "snapshot/snapshot_facts.h"

#include <cstring>
#include <type_traits>
#include <utility>

namespace stepscope {
namespace {

class Writer {
 public:
  static constexpr bool kReads = false;

  template <typename T>
  requires std::is_arithmetic_v<T>
  void Number(const T& value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void Text(const std::string& text) { View(text); }
  void View(const std::string_view& text) {
    Number(uint64_t{text.size()});
    out_ += text;
  }
  template <typename T>
  uint64_t Count(const std::vector<T>& list) {
    Number(uint64_t{list.size()});
    return list.size();
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  static constexpr bool kReads = true;

  explicit Reader(std::string_view bytes) : left_(bytes) {}

  template <typename T>
  requires std::is_arithmetic_v<T>
  void Number(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;
      Number(byte);
      value = byte != 0;
    } else if (left_.size() < sizeof value) {
      Fail();
    } else {
      std::memcpy(&value, left_.data(), sizeof value);
      left_.remove_prefix(sizeof value);
    }
  }
  void Text(std::string& text) {
    std::string_view view;
    View(view);
    text = view;
  }
  void View(std::string_view& text) {
    uint64_t size = 0;
    Number(size);
    if (size > left_.size()) return Fail();
    text = left_.substr(0, static_cast<size_t>(size));
    left_.remove_prefix(text.size());
  }
  // No entry is shorter than a byte.
  template <typename T>
  uint64_t Count(std::vector<T>& list) {
    uint64_t count = 0;
    Number(count);
    if (count > left_.size()) {
      Fail();
      count = 0;
    }
    list.resize(static_cast<size_t>(count));
    return count;
  }
  bool good() const { return good_ && left_.empty(); }

 private:
  void Fail() {
    good_ = false;
    left_ = {};
  }
  std::string_view left_;
  bool good_ = true;
};

template <typename Codec, typename T, typename Entry>
void VisitList(Codec& codec, T& list, const Entry& entry) {
  const uint64_t count = codec.Count(list);
  for (uint64_t i = 0; i < count; ++i) entry(list[static_cast<size_t>(i)]);
}

template <typename Codec, typename T>
void VisitTexts(Codec& codec, T& texts) {
  VisitList(codec, texts, [&](auto& text) { codec.Text(text); });
}

template <typename Codec, typename T>
void VisitClock(Codec& codec, T& clock) {
  codec.Text(clock.source);
  codec.Number(clock.anchors);
  codec.Number(clock.worst_error_ns);
  codec.Number(clock.ticks_per_second);
  codec.Number(clock.epoch_known);
}

// A ledger only grows, so it goes as what was put into it.
struct LedgerEntry {
  bool repaired = false;
  std::string reason;
  uint64_t count = 0;
  std::vector<Ledger::Example> examples;
};

std::vector<LedgerEntry> EntriesOf(const Ledger& ledger) {
  std::vector<LedgerEntry> entries;
  for (const auto& [reason, bin] : ledger.repaired())
    entries.push_back({true, reason, bin.count, bin.examples});
  for (const auto& [reason, bin] : ledger.rejected())
    entries.push_back({false, reason, bin.count, bin.examples});
  return entries;
}

void Refill(Ledger& ledger, uint64_t kept,
            const std::vector<LedgerEntry>& entries) {
  ledger = {};
  ledger.Keep(kept);
  for (const LedgerEntry& entry : entries) {
    uint64_t left = entry.count;
    for (size_t i = 0; i < entry.examples.size(); ++i) {
      // All that have no example of their own count with the last one.
      const uint64_t n = i + 1 < entry.examples.size() ? 1 : left;
      const auto& [offset, what] = entry.examples[i];
      if (entry.repaired)
        ledger.Repair(entry.reason, offset, what, n);
      else
        ledger.Reject(entry.reason, offset, what, n);
      left -= n;
    }
  }
}

template <typename Codec, typename T>
void VisitLedger(Codec& codec, T& ledger) {
  uint64_t kept = ledger.kept();
  std::vector<LedgerEntry> entries = EntriesOf(ledger);
  codec.Number(kept);
  VisitList(codec, entries, [&](auto& entry) {
    codec.Number(entry.repaired);
    codec.Text(entry.reason);
    codec.Number(entry.count);
    VisitList(codec, entry.examples, [&](auto& example) {
      codec.Number(example.offset);
      codec.Text(example.what);
    });
  });
  if constexpr (Codec::kReads) Refill(ledger, kept, entries);
}

template <typename Codec, typename T>
void VisitMap(Codec& codec, T& map) {
  int64_t parts[4] = {map.from_ns(), map.to_ns(), map.rate_to(),
                      map.rate_from()};
  for (int64_t& part : parts) codec.Number(part);
  if constexpr (Codec::kReads) {
    // What the map divides by.
    if (parts[2] <= 0 || parts[3] <= 0) parts[2] = parts[3] = 1;
    map = ClockMap::FromParts(parts[0], parts[1], parts[2], parts[3]);
  }
}

template <typename Codec, typename T>
void VisitProcess(Codec& codec, T& process) {
  codec.Number(process.pid);
  codec.Number(process.rank);
  codec.Number(process.name.v);
  codec.Number(process.host.v);
  codec.Number(process.source);
  codec.Number(process.start_ns);
  VisitList(codec, process.metadata, [&](auto& pair) {
    codec.Number(pair.first.v);
    codec.Number(pair.second.v);
  });
}

template <typename Codec, typename T>
void VisitThread(Codec& codec, T& thread) {
  codec.Number(thread.track);
  codec.Number(thread.recorded);
  codec.Number(thread.side_recorded);
  VisitList(codec, thread.dropped, [&](auto& reason) {
    codec.View(reason.first);
    codec.Number(reason.second);
  });
  codec.Number(thread.side_dropped);
  VisitList(codec, thread.open_scopes, [&](auto& row) { codec.Number(row); });
  codec.Number(thread.exited);
}

template <typename Codec, typename T>
void VisitSource(Codec& codec, T& source) {
  codec.Text(source.format);
  codec.Text(source.path);
  codec.Number(source.epoch_ns);
  VisitClock(codec, source.clock);
  VisitMap(codec, source.to_trace);
  VisitLedger(codec, source.ledger);
  codec.Number(source.complete);
  VisitTexts(codec, source.notes);
}

template <typename Codec, typename T>
void Visit(Codec& codec, T& facts) {
  VisitList(codec, facts.processes,
            [&](auto& process) { VisitProcess(codec, process); });
  VisitList(codec, facts.threads,
            [&](auto& thread) { VisitThread(codec, thread); });
  codec.Number(facts.epoch_ns);
  codec.Number(facts.begin_ns);
  codec.Number(facts.end_ns);
  codec.Number(facts.cpu_usage.process);
  codec.Number(facts.cpu_usage.system);
  VisitList(codec, facts.sources,
            [&](auto& source) { VisitSource(codec, source); });
  VisitClock(codec, facts.clock);
  VisitLedger(codec, facts.ledger);
  codec.Text(facts.format);
  VisitTexts(codec, facts.files);
  codec.Number(facts.complete);
  VisitTexts(codec, facts.notes);
}

}  // namespace

std::string EncodeFacts(const TraceFacts& facts) {
  Writer writer;
  Visit(writer, facts);
  return writer.Take();
}

std::optional<TraceFacts> DecodeFacts(std::string_view bytes) {
  TraceFacts facts;
  Reader reader(bytes);
  Visit(reader, facts);
  if (!reader.good()) return std::nullopt;
  return facts;
}

}  // namespace stepscope
