// SPDX-License-Identifier: Apache-2.0
//
// XSpace as TensorFlow 2 and JAX write it: a plane of the host, one of the
// device, and the absolute time in the plane "Task Environment". A line's
// length stands before its events, so that each is walked twice.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "exporters/proto/wire.h"
#include "generator/formats.h"

namespace stepscope::generator {
namespace {

using proto::Message;

enum Stat : uint64_t {
  kCorrelationStat = 1,
  kStepStat,
  kKernelStat,
  kMemcpyStat,
  kHloStat,
  kStartStat,
  kStopStat,
};
constexpr const char* kStatNames[] = {"",
                                      "correlation_id",
                                      "step_num",
                                      "kernel_details",
                                      "memcpy_details",
                                      "hlo_op",
                                      "profile_start_time",
                                      "profile_stop_time"};

// Metadata ids: a step has one for all, others one per kind and name.
uint64_t MetadataId(const Record& record) {
  const uint64_t name = record.kind == Kind::kStep ? 0 : record.name;
  return 1 + name * kKinds + static_cast<uint64_t>(record.kind);
}

Message MapEntry(uint64_t id, std::string_view name) {
  Message value, entry;
  value.Uint(1, id).Text(2, name);
  entry.Uint(1, id).Sub(2, value);
  return entry;
}

class XplaneWriter {
 public:
  XplaneWriter(const Workload& workload, OutBuffer& out)
      : workload_(workload),
        out_(out),
        names_(Dialect::kTensorFlow, workload.options().names) {}

  Status Write() {
    Plane(1, "/device:GPU:0", {kComputeStream, kCopyStream});
    Plane(2, "/host:CPU", {kMain, kAutograd});
    TaskEnvironment();
    return out_.Finish();
  }

 private:
  void Plane(uint64_t id, const char* name, std::vector<Line> lines) {
    Message head;
    head.Uint(1, id).Text(2, name);
    Message tail = Metadata(lines);
    std::vector<std::string> line_heads;
    uint64_t bytes = head.view().size() + tail.view().size();
    for (const Line line : lines) {
      Message inner;
      inner.Int(1, workload_.tid(line)).Text(2, LineName(line));
      inner.Int(3, 0);  // timestamp_ns, from the start of the session
      uint64_t events = 0;
      Events(line, [&](std::string_view event) { events += event.size(); });
      Message outer;
      outer.Head(3, inner.view().size() + events);
      bytes += outer.view().size() + inner.view().size() + events;
      line_heads.push_back(std::string(outer.view()) +
                           std::string(inner.view()));
    }
    Message plane;
    plane.Head(1, bytes);
    out_.Append(plane.view());
    out_.Append(head.view());
    for (size_t i = 0; i < lines.size(); ++i) {
      out_.Append(line_heads[i]);
      Events(lines[i], [&](std::string_view event) { out_.Append(event); });
    }
    out_.Append(tail.view());
  }

  static const char* LineName(Line line) {
    static constexpr const char* kNames[kLines] = {"python", "autograd",
                                                   "Stream #7(Kernel,Memset)",
                                                   "Stream #14(MemcpyH2D)"};
    return kNames[line];
  }

  void Events(Line line, const std::function<void(std::string_view)>& take) {
    Message event, stat, field;
    workload_.Walk([&](const Record& record) {
      if (record.line != line || record.is_memory()) return;
      event.Clear();
      event.Uint(1, MetadataId(record));
      event.Int(2, record.start_ns * 1000);
      event.Int(3, record.dur_ns * 1000);
      const auto add = [&] {
        event.Sub(4, stat);
        stat.Clear();
      };
      if (record.correlation != 0) {
        stat.Uint(1, kCorrelationStat).Uint(3, record.correlation);
        add();
      }
      if (record.kind == Kind::kStep) {
        stat.Uint(1, kStepStat).Int(4, record.name);
        add();
      } else if (record.kind == Kind::kKernel) {
        stat.Uint(1, kKernelStat)
            .Text(5,
                  "regs:32 static_shared:0 dynamic_shared:4096 "
                  "grid:256,1,1 block:256,1,1 occ_pct:25");
        add();
        stat.Uint(1, kHloStat).Text(5, "op_" + std::to_string(record.name));
        add();
      } else if (record.kind == Kind::kMemcpy) {
        stat.Uint(1, kMemcpyStat)
            .Text(5, "kind_src:pageable kind_dst:device size:" +
                         std::to_string(record.bytes) + " dest:0 async:1");
        add();
      }
      field.Clear();
      field.Sub(4, event);
      take(field.view());
    });
  }

  // Names of the events on these lines, and of all stats.
  Message Metadata(const std::vector<Line>& lines) {
    std::map<uint64_t, std::string> events;
    workload_.Walk([&](const Record& record) {
      for (const Line line : lines) {
        if (record.line != line || record.is_memory()) continue;
        std::string& name = events[MetadataId(record)];
        if (!name.empty()) continue;
        name = record.kind == Kind::kStep ? "train" : names_.Of(record);
      }
    });
    Message tail;
    for (const auto& [id, name] : events) tail.Sub(4, MapEntry(id, name));
    for (uint64_t id = 1; id < std::size(kStatNames); ++id)
      tail.Sub(5, MapEntry(id, kStatNames[id]));
    return tail;
  }

  void TaskEnvironment() {
    int64_t last = 0;
    workload_.Walk(
        [&](const Record& record) { last = std::max(last, record.end_ns()); });
    const int64_t epoch = workload_.options().epoch_ns;
    Message plane, stat, file;
    plane.Uint(1, 3).Text(2, "Task Environment");
    for (const uint64_t id : {uint64_t{kStartStat}, uint64_t{kStopStat}}) {
      plane.Sub(5, MapEntry(id, kStatNames[id]));
      stat.Clear();
      stat.Uint(1, id).Int(3, id == kStartStat ? epoch : epoch + last);
      plane.Sub(6, stat);
    }
    file.Sub(1, plane).Text(4, "generated-host");
    out_.Append(file.view());
  }

  const Workload& workload_;
  OutBuffer& out_;
  Names names_;
};

}  // namespace

Status WriteXPlane(const Workload& workload, OutBuffer& out) {
  return XplaneWriter(workload, out).Write();
}

}  // namespace stepscope::generator
