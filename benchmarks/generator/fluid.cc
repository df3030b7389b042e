// SPDX-License-Identifier: Apache-2.0
//
// The profile of Paddle 1.x, message Profile, as /tmp/profile had it.
#include "exporters/proto/wire.h"
#include "generator/formats.h"

namespace stepscope::generator {
namespace {

using proto::Message;

enum ProfileField { kEvents = 1, kStartNs = 2, kEndNs = 3, kMemEvents = 4 };
// Of GPU work and API calls, kName is the operator and kDetail their own.
enum EventField {
  kName = 1,
  kStart = 2,
  kEnd = 3,
  kDevice = 5,
  kSubDevice = 6,
  kMemcopy = 7,
  kType = 8,
  kDetail = 9
};
constexpr uint64_t kCpu = 0;
constexpr uint64_t kGpuKernel = 1;
constexpr uint64_t kCudaPlace = 0;

void FillMemory(Message& event, const Record& record, int64_t epoch) {
  event.Int(1, epoch + record.start_ns - record.dur_ns);
  event.Int(2, epoch + record.start_ns);
  event.Int(3, -record.bytes);
  event.Uint(4, kCudaPlace);
  event.Uint(5, 0);  // thread
  event.Uint(6, 0);  // device
  event.Text(7, "op");
  event.Text(8, "op_grad");
}

void FillEvent(Message& event, Message& copy, Names& names, Names& own_names,
               const Record& record, int64_t epoch) {
  event.Text(kName, names.Of(record));
  event.Int(kStart, epoch + record.start_ns);
  event.Int(kEnd, epoch + record.end_ns());
  const bool api = record.kind == Kind::kLaunch;
  event.Int(kDevice, api ? -1 : 0);
  event.Int(kSubDevice, kLineIds[record.line]);
  if (record.kind == Kind::kMemcpy) {
    copy.Clear();
    copy.Int(1, record.bytes);
    event.Sub(kMemcopy, copy);
  }
  event.Uint(kType, record.on_host() ? kCpu : kGpuKernel);
  if (api || record.kind == Kind::kKernel)
    event.Text(kDetail, own_names.Of(record));
}

}  // namespace

Status WriteFluid(const Workload& workload, OutBuffer& out) {
  Names names(Dialect::kFluid, workload.options().names);
  Names own_names(Dialect::kPaddle, workload.options().names);
  const int64_t epoch = workload.options().epoch_ns;
  Message event, copy, file;
  int64_t last = 0;
  workload.Walk([&](const Record& record) {
    if (record.kind == Kind::kAllocate) return;  // part of its kFree
    event.Clear();
    const bool memory = record.kind == Kind::kFree;
    if (memory)
      FillMemory(event, record, epoch);
    else
      FillEvent(event, copy, names, own_names, record, epoch);
    file.Clear();
    file.Sub(memory ? kMemEvents : kEvents, event);
    out.Append(file.view());
    if (!memory) last = std::max(last, record.end_ns());
  });
  file.Clear();
  file.Int(kStartNs, epoch).Int(kEndNs, epoch + last);
  out.Append(file.view());
  return out.Finish();
}

}  // namespace stepscope::generator
