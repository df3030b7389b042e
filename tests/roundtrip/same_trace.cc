// SPDX-License-Identifier: Apache-2.0
#include "roundtrip/same_trace.h"

#include <bit>
#include <string_view>
#include <tuple>

namespace stepscope {
namespace {

class Comparing {
 public:
  Comparing(const Trace& a, const Trace& b) : a_(a), b_(b) {}

  std::string Run() {
    Events();
    Tables();
    Args();
    Side();
    Rest();
    return difference_;
  }

 private:
  template <typename T>
  void Same(const T& x, const T& y, const char* what, size_t row = 0) {
    if (difference_.empty() && !(x == y))
      difference_ = std::string(what) + " differs at " + std::to_string(row);
  }
  void SameBits(double x, double y, const char* what, size_t row = 0) {
    Same(std::bit_cast<uint64_t>(x), std::bit_cast<uint64_t>(y), what, row);
  }
  void SameText(StringId x, StringId y, const char* what, size_t row) {
    Same(a_.str(x), b_.str(y), what, row);
  }
  // Calls each(x, y, row) where both tables have as many rows.
  template <typename T, typename Each>
  void Rows(const T& x, const T& y, const char* what, Each each) {
    Same(x.size(), y.size(), what);
    for (size_t i = 0; i < x.size() && difference_.empty(); ++i)
      each(x[i], y[i], i);
  }

  void Events() {
    Same(a_.size(), b_.size(), "number of events");
    for (Row row = 0; row < a_.size() && difference_.empty(); ++row) {
      Same(a_.start_ns()[row], b_.start_ns()[row], "start", row);
      Same(a_.dur_ns()[row], b_.dur_ns()[row], "duration", row);
      SameText(a_.name()[row], b_.name()[row], "name", row);
      Same(a_.track()[row], b_.track()[row], "track", row);
      Same(a_.type()[row], b_.type()[row], "type", row);
      Same(a_.flags()[row], b_.flags()[row], "flags", row);
      Same(a_.raw_args(row), b_.raw_args(row), "raw arguments", row);
    }
  }

  void Tables() {
    Rows(a_.processes(), b_.processes(), "processes",
         [&](const Process& x, const Process& y, size_t i) {
           Same(std::tuple(x.pid, x.rank, x.start_ns),
                std::tuple(y.pid, y.rank, y.start_ns), "process", i);
           SameText(x.name, y.name, "name of process", i);
           SameText(x.host, y.host, "host", i);
           Same(a_.source_of(x).path, b_.source_of(y).path, "source", i);
           Rows(x.metadata, y.metadata, "metadata",
                [&](const auto& p, const auto& q, size_t) {
                  SameText(p.first, q.first, "key of metadata", i);
                  SameText(p.second, q.second, "value of metadata", i);
                });
         });
    Rows(a_.tracks(), b_.tracks(), "tracks",
         [&](const Track& x, const Track& y, size_t i) {
           const auto key = [](const Track& t) {
             return std::tuple(t.process, t.kind, t.id, t.device, t.lane,
                               t.first, t.last);
           };
           Same(key(x), key(y), "track", i);
           SameText(x.name, y.name, "name of track", i);
           SameText(x.device_type, y.device_type, "device type", i);
         });
    Rows(a_.threads(), b_.threads(), "threads",
         [&](const ThreadReport& x, const ThreadReport& y, size_t i) {
           const auto key = [](const ThreadReport& t) {
             return std::tuple(t.track, t.recorded, t.side_recorded, t.dropped,
                               t.side_dropped, t.open_scopes, t.exited);
           };
           Same(key(x), key(y), "thread", i);
         });
  }

  void Args() {
    Rows(a_.args(), b_.args(), "args",
         [&](const Arg& x, const Arg& y, size_t i) {
           Same(std::tuple(x.row, x.kind, x.clipped, x.list_count),
                std::tuple(y.row, y.kind, y.clipped, y.list_count), "arg", i);
           SameText(x.key, y.key, "key of arg", i);
           if (!difference_.empty()) return;
           if (x.kind == ArgKind::kInt)
             Same(x.int_value, y.int_value, "integer of arg", i);
           if (x.has_text()) SameText(x.text, y.text, "text of arg", i);
           if (x.kind == ArgKind::kDouble)
             SameBits(x.double_value, y.double_value, "double of arg", i);
           for (uint32_t n = 0; n < x.list_count && difference_.empty(); ++n)
             Same(a_.arg_ints()[x.list_first + n],
                  b_.arg_ints()[y.list_first + n], "list of arg", i);
         });
  }

  void Side() {
    Rows(a_.flows(), b_.flows(), "flows",
         [&](const Flow& x, const Flow& y, size_t i) {
           Same(std::tuple(x.time_ns, x.id, x.track, x.phase),
                std::tuple(y.time_ns, y.id, y.track, y.phase), "flow", i);
           SameText(x.name, y.name, "name of flow", i);
         });
    Rows(a_.links(), b_.links(), "links",
         [&](const Link& x, const Link& y, size_t i) {
           Same(std::tuple(x.process, x.space, x.id, x.row),
                std::tuple(y.process, y.space, y.id, y.row), "link", i);
         });
    Rows(a_.counters(), b_.counters(), "counters",
         [&](const CounterSample& x, const CounterSample& y, size_t i) {
           Same(std::tuple(x.time_ns, x.track, x.integer, x.int_value),
                std::tuple(y.time_ns, y.track, y.integer, y.int_value),
                "counter", i);
           SameBits(x.value, y.value, "value of counter", i);
         });
    Rows(a_.memory(), b_.memory(), "memory",
         [&](const MemoryEvent& x, const MemoryEvent& y, size_t i) {
           const auto key = [](const MemoryEvent& m) {
             return std::tuple(m.time_ns, m.address, m.bytes, m.total_allocated,
                               m.total_reserved, m.track, m.kind, m.owner);
           };
           Same(key(x), key(y), "memory", i);
           SameText(x.place, y.place, "place", i);
         });
  }

  static std::string Text(const Ledger& ledger) {
    std::string text = std::to_string(ledger.kept());
    for (const auto* bins : {&ledger.repaired(), &ledger.rejected()}) {
      text += "|";
      for (const auto& [reason, bin] : *bins) {
        text += reason + "=" + std::to_string(bin.count);
        for (const Ledger::Example& example : bin.examples)
          text += "," + std::to_string(example.offset) + ":" + example.what;
      }
    }
    return text;
  }

  void Rest() {
    Same(a_.epoch_ns(), b_.epoch_ns(), "epoch");
    Same(a_.begin_ns(), b_.begin_ns(), "begin");
    Same(a_.end_ns(), b_.end_ns(), "end");
    Same(a_.complete(), b_.complete(), "complete");
    Same(a_.format(), b_.format(), "format");
    Same(a_.files(), b_.files(), "files");
    Same(a_.notes(), b_.notes(), "notes");
    Same(Text(a_.ledger()), Text(b_.ledger()), "ledger");
    const ClockInfo& x = a_.clock();
    const ClockInfo& y = b_.clock();
    Same(std::tuple(x.source, x.anchors, x.worst_error_ns, x.epoch_known),
         std::tuple(y.source, y.anchors, y.worst_error_ns, y.epoch_known),
         "clock");
    SameBits(x.ticks_per_second, y.ticks_per_second, "rate of clock");
    SameBits(a_.cpu_usage().process, b_.cpu_usage().process, "use of CPU");
    SameBits(a_.cpu_usage().system, b_.cpu_usage().system, "use of system");
  }

  const Trace& a_;
  const Trace& b_;
  std::string difference_;
};

}  // namespace

std::string DifferenceOf(const Trace& a, const Trace& b) {
  return Comparing(a, b).Run();
}

}  // namespace stepscope
