// SPDX-License-Identifier: Apache-2.0
#include "exporters/cuda_profile/columns.h"

#include <stepscope/c.h>

#include "base/text.h"
#include "exporters/arg_lookup.h"

namespace stepscope::cuda_profile {
namespace {

using Values = std::vector<std::string>;

Values Absolute(const Trace& trace, int64_t time_ns) {
  return {std::to_string(trace.epoch_ns() + time_ns)};
}
Values Start(const Trace& trace, Row row) {
  return Absolute(trace, trace.start_ns()[row]);
}
Values End(const Trace& trace, Row row) {
  return Absolute(trace, trace.end_ns(row));
}
// Microseconds, as the original states it.
Values GpuTime(const Trace& trace, Row row) {
  const int64_t dur = trace.dur_ns()[row];
  return {Format("%lld.%03lld", static_cast<long long>(dur / 1000),
                 static_cast<long long>(dur % 1000))};
}
Values Sizes(const Trace& trace, Row row, std::string_view key, size_t count) {
  const std::span<const int64_t> list = ArgLookup(trace, row).List(key);
  Values values;
  if (list.size() < count) return values;
  for (size_t i = 0; i < count; ++i) values.push_back(std::to_string(list[i]));
  return values;
}
Values Number(const Trace& trace, Row row, std::string_view key) {
  const auto value = ArgLookup(trace, row).Int(key);
  if (!value) return {};
  return {std::to_string(*value)};
}
Values Grid2(const Trace& trace, Row row) {
  return Sizes(trace, row, "grid", 2);
}
Values Grid3(const Trace& trace, Row row) {
  return Sizes(trace, row, "grid", 3);
}
Values Block(const Trace& trace, Row row) {
  return Sizes(trace, row, "block", 3);
}
Values DynamicShared(const Trace& trace, Row row) {
  return Number(trace, row, "dynamic shared memory");
}
Values StaticShared(const Trace& trace, Row row) {
  const ArgLookup args(trace, row);
  const auto all = args.Int("shared memory");
  if (!all) return {};
  return {std::to_string(*all - args.Int("dynamic shared memory").value_or(0))};
}
Values Registers(const Trace& trace, Row row) {
  return Number(trace, row, "registers per thread");
}
Values Occupancy(const Trace& trace, Row row) {
  const ArgLookup args(trace, row);
  auto percent = args.Double("theoretical achieved occupancy %");
  if (!percent) percent = args.Double("est. achieved occupancy %");
  if (!percent) return {};
  return {Format("%.3f", *percent / 100)};
}
Values Stream(const Trace& trace, Row row) {
  return {std::to_string(trace.tracks()[trace.track()[row]].id)};
}
Values Device(const Trace& trace, Row row) {
  return {std::to_string(trace.tracks()[trace.track()[row]].device)};
}
// 0 from host to device, 1 from device to host, 2 within devices.
Values Direction(const Trace& trace, Row row) {
  if (trace.type()[row] != STEPSCOPE_MEMCPY) return {};
  const std::string_view name = trace.str(trace.name()[row]);
  const auto has = [&](std::string_view part) {
    return name.find(part) != name.npos;
  };
  if (has("HtoD") || has("H2D")) return {"0"};
  if (has("DtoH") || has("D2H")) return {"1"};
  if (has("DtoD") || has("D2D") || has("PtoP")) return {"2"};
  return {};
}
Values Bytes(const Trace& trace, Row row) {
  if (trace.type()[row] == STEPSCOPE_KERNEL) return {};
  return Number(trace, row, "bytes");
}

const Option kOptions[] = {
    {"gpustarttimestamp", {}, &Start},
    {"gpuendtimestamp", {}, &End},
    {"gputime", {}, &GpuTime},
    {"gridsize", {"X", "Y"}, &Grid2},
    {"gridsize3d", {"X", "Y", "Z"}, &Grid3},
    {"threadblocksize", {"X", "Y", "Z"}, &Block},
    {"dynsmemperblock", {}, &DynamicShared},
    {"stasmemperblock", {}, &StaticShared},
    {"regperthread", {}, &Registers},
    {"occupancy", {}, &Occupancy},
    {"memtransferdir", {}, &Direction},
    {"memtransfersize", {}, &Bytes},
    {"streamid", {}, &Stream},
    {"cudadevice", {}, &Device},
};

// They tell the original when and how to record.
constexpr std::string_view kWithoutEffect[] = {"enableonstart",
                                               "conckerneltrace"};

std::string Known() {
  std::string list;
  for (const Option& option : kOptions)
    list += (list.empty() ? "" : ", ") + std::string(option.name);
  for (const std::string_view name : kWithoutEffect)
    list += ", " + std::string(name);
  return list;
}

}  // namespace

std::vector<std::string> DefaultConfig() {
  return {"gpustarttimestamp", "gpuendtimestamp", "gridsize3d",
          "threadblocksize",   "streamid",        "enableonstart 0",
          "conckerneltrace"};
}

Result<std::vector<const Option*>> ParseConfig(
    const std::vector<std::string>& config) {
  std::vector<const Option*> wanted;
  for (const std::string& line : config) {
    const std::string_view entry = Trimmed(line, " \t\r");
    if (entry.empty() || entry.front() == '#') continue;
    const std::string_view name = entry.substr(0, entry.find_first_of(" \t"));
    bool known = false;
    for (const std::string_view steering : kWithoutEffect)
      known |= name == steering;
    for (const Option& option : kOptions) {
      if (name != option.name) continue;
      wanted.push_back(&option);
      known = true;
    }
    if (!known)
      return Fail(ErrorCode::kInvalidArgument,
                  "cuda-profile: unknown option \"" + std::string(name) +
                      "\"; choose from " + Known());
  }
  return wanted;
}

}  // namespace stepscope::cuda_profile
