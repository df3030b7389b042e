// SPDX-License-Identifier: Apache-2.0
//
// Node trees of Paddle 2.x (*.paddle_trace.pb), version 1.0.2. The nodes of a
// thread stand breadth first, so the workload is walked once a level, and all
// of it twice: lengths come before bytes.
#include <array>
#include <string>

#include "exporters/proto/wire.h"
#include "generator/formats.h"
#include "generator/paddle_types.h"

namespace stepscope::generator {
namespace {

using proto::Message;

constexpr int kLevels = 5;  // root, steps, stages, operators, inner

class PaddlePbWriter {
 public:
  PaddlePbWriter(const Workload& workload, OutBuffer& out)
      : workload_(workload),
        out_(out),
        names_(Dialect::kPaddle, workload.options().names),
        epoch_(workload.options().epoch_ns) {
    workload.Walk([&](const Record& record) {
      if (record.level > 0) ++counts_[record.line][record.level];
    });
  }

  Status Write() {
    Message head;
    head.Text(1, "1.0.2").Uint(2, 0);
    out_.Append(head.view());
    for (const Line line : {kMain, kAutograd}) Thread(line);
    Message extra, tail;
    extra.Text(1, "Process Cpu Utilization").Text(2, "1.500000");
    tail.Sub(4, extra);
    out_.Append(tail.view());
    return out_.Finish();
  }

 private:
  void Thread(Line line) {
    Message id;
    id.Int(1, workload_.tid(line));
    uint64_t bytes = id.view().size();
    Nodes(line, [&](std::string_view node) { bytes += node.size(); });
    Message head;
    head.Head(3, bytes);
    out_.Append(head.view());
    out_.Append(id.view());
    Nodes(line, [&](std::string_view node) { out_.Append(node); });
  }

  template <typename Take>
  void Nodes(Line line, Take take) {
    Message root, node;
    Event(root, "root node", 7, 0, 0, line);
    node.Int(1, 0).Int(2, -1).Sub(3, root);
    Message field;
    field.Sub(2, node);
    take(field.view());
    uint64_t first = 1;  // id of the level's first node
    uint64_t first_above = 0;
    for (int level = 1; level < kLevels; ++level) {
      Level(line, level, first, first_above, take);
      first_above = first;
      first += counts_[line][static_cast<size_t>(level)];
    }
  }

  // What an operator launched and allocated follows it in the walk.
  template <typename Take>
  void Level(Line line, int level, uint64_t first, uint64_t first_above,
             Take take) {
    Message node, call, inner, field;
    bool open = false;
    const auto close_call = [&] {
      if (!call.empty()) node.Sub(4, call);
      call.Clear();
    };
    const auto close = [&] {
      if (!open) return;
      close_call();
      field.Clear();
      field.Sub(2, node);
      take(field.view());
    };
    workload_.Walk([&](const Record& record) {
      if (record.level > 0) {
        close();
        open = record.line == line && record.level == level;
        if (!open) return;
        node.Clear();
        node.Uint(1, first + record.ordinal);
        node.Uint(2, level == 1 ? 0 : first_above + record.parent);
        inner.Clear();
        Event(inner, names_.Of(record), PaddleType(record.kind).type,
              record.start_ns, record.end_ns(), line);
        node.Sub(3, inner);
      } else if (open) {
        inner.Clear();
        if (record.is_memory()) {
          close_call();
          Memory(inner, record);
          Message wrapped;
          wrapped.Sub(1, inner);
          node.Sub(5, wrapped);
        } else if (record.kind == Kind::kLaunch) {
          close_call();
          Call(inner, record);
          call.Sub(1, inner);
        } else {
          Device(inner, record);
          Message wrapped;
          wrapped.Sub(1, inner);
          call.Sub(2, wrapped);
        }
      }
    });
    close();
  }

  void Event(Message& event, std::string_view name, uint32_t type,
             int64_t start_ns, int64_t end_ns, Line line) {
    event.Text(1, name).Uint(2, type);
    event.Int(3, epoch_ + start_ns).Int(4, epoch_ + end_ns);
    event.Int(5, workload_.pid()).Int(6, workload_.tid(line));
  }
  void Call(Message& event, const Record& record) {
    event.Text(1, names_.Of(record));
    event.Int(2, epoch_ + record.start_ns).Int(3, epoch_ + record.end_ns());
    event.Int(4, workload_.pid()).Int(5, workload_.tid(record.line));
    event.Uint(6, record.correlation).Uint(7, 211);
  }
  void Device(Message& event, const Record& record) {
    event.Text(1, names_.Of(record)).Uint(2, PaddleType(record.kind).type);
    event.Int(3, epoch_ + record.start_ns).Int(4, epoch_ + record.end_ns());
    event.Uint(5, 0).Uint(6, 1).Int(7, kLineIds[record.line]);
    event.Uint(8, record.correlation);
    Message info;
    if (record.kind == Kind::kKernel) {
      constexpr uint64_t kSizes[] = {256, 1, 1, 256, 1, 1, 4096, 0, 32, 0, 0};
      for (uint32_t i = 0; i < std::size(kSizes); ++i)
        info.Uint(i + 1, kSizes[i]);
      info.Uint(12, 0).Uint(13, 0).Uint(14, 0);
      info.Float(15, 1.939394f).Float(16, 15.515152f).Float(17, 0.24242f);
      event.Sub(9, info);
    } else if (record.kind == Kind::kMemcpy) {
      info.Int(1, record.bytes).Text(2, "MEMCPY_HtoD");
      info.Text(3, "Pageable").Text(4, "Device");
      event.Sub(10, info);
    } else {
      info.Int(1, record.bytes).Text(2, "Device").Uint(3, 0);
      event.Sub(11, info);
    }
  }
  void Memory(Message& event, const Record& record) {
    event.Int(1, epoch_ + record.start_ns).Uint(2, record.bytes < 0 ? 1 : 0);
    event.Uint(3, record.address);
    event.Int(4, workload_.pid()).Int(5, workload_.tid(record.line));
    event.Int(6, record.bytes).Text(7, "Place(gpu:0)");
    event.Int(8, record.total).Uint(9, 1 << 30);
    event.Int(10, record.total).Uint(11, 1 << 30);
  }

  const Workload& workload_;
  OutBuffer& out_;
  Names names_;
  int64_t epoch_;
  std::array<std::array<uint64_t, kLevels + 1>, 2> counts_ = {};
};

}  // namespace

Status WritePaddlePb(const Workload& workload, OutBuffer& out) {
  return PaddlePbWriter(workload, out).Write();
}

}  // namespace stepscope::generator
