// SPDX-License-Identifier: Apache-2.0
#include "exporters/cuda_profile/cuda_profile.h"

#include <stepscope/c.h>

#include <algorithm>

#include "base/csv.h"
#include "exporters/cuda_profile/columns.h"
#include "exporters/out_buffer.h"

namespace stepscope {
namespace cuda_profile {
namespace {

// Kernels, copies and sets of all streams, by start.
std::vector<Row> Activities(const Trace& trace) {
  std::vector<Row> rows;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kStream) continue;
    for (Row row = track.first; row < track.last; ++row) {
      const uint16_t type = trace.type()[row];
      if (type == STEPSCOPE_KERNEL || type == STEPSCOPE_MEMCPY ||
          type == STEPSCOPE_MEMSET)
        rows.push_back(row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [&](Row a, Row b) {
    return trace.start_ns()[a] < trace.start_ns()[b];
  });
  return rows;
}

std::string CsvHeader(const std::vector<const Option*>& options) {
  std::string line;
  for (const Option* const option : options) {
    if (option->parts.empty()) line += std::string(option->name) + ",";
    for (const std::string_view part : option->parts) {
      // The original calls the columns of gridsize3d gridsizeX, Y and Z.
      std::string_view name = option->name;
      if (name == "gridsize3d") name.remove_suffix(2);
      line += std::string(name) + std::string(part) + ",";
    }
  }
  return line + "method\n";
}

std::string CsvRow(const Trace& trace, Row row,
                   const std::vector<const Option*>& options) {
  std::string line;
  for (const Option* const option : options) {
    const size_t columns = std::max<size_t>(option->parts.size(), 1);
    const std::vector<std::string> values = option->values(trace, row);
    for (size_t i = 0; i < columns; ++i)
      line += (i < values.size() ? values[i] : "") + ",";
  }
  return line + CsvText(trace.str(trace.name()[row])) + "\n";
}

// Pairs of which the event has a value; a line break would end the record.
std::string KvpRow(const Trace& trace, Row row,
                   const std::vector<const Option*>& options) {
  std::string line;
  const auto add = [&](std::string_view name, std::string_view value) {
    line += std::string(name) + "=[ " + std::string(value) + " ] ";
  };
  for (const Option* const option : options) {
    std::string joined;
    for (const std::string& value : option->values(trace, row))
      joined += (joined.empty() ? "" : ", ") + value;
    if (!joined.empty()) add(option->name, joined);
  }
  std::string method(trace.str(trace.name()[row]));
  std::replace(method.begin(), method.end(), '\n', ' ');
  add("method", method);
  line.back() = '\n';
  return line;
}

class CudaProfileExporting : public Exporter {
 public:
  std::string_view name() const override { return "cuda-profile"; }
  uint32_t carries() const override { return kSeveral | kEpoch; }

  Status Export(const Trace& trace, const ExportOptions& options,
                Sink& sink) const override {
    const bool csv = options.cuda_mode.empty() || options.cuda_mode == "csv";
    if (!csv && options.cuda_mode != "kvp")
      return Fail(ErrorCode::kInvalidArgument, "--mode: unknown value \"" +
                                                   options.cuda_mode +
                                                   "\"; choose from csv, kvp");
    STEPSCOPE_TRY_ASSIGN(
        const auto columns,
        ParseConfig(options.cuda_config.empty() ? DefaultConfig()
                                                : options.cuda_config));
    OutBuffer out(sink);
    if (csv) out.Append(CsvHeader(columns));
    for (const Row row : Activities(trace)) {
      if (out.failed()) break;
      out.Append(csv ? CsvRow(trace, row, columns)
                     : KvpRow(trace, row, columns));
    }
    return out.Finish();
  }
};

}  // namespace
}  // namespace cuda_profile

const Exporter& CudaProfileExporter() {
  static const auto* const exporter = new cuda_profile::CudaProfileExporting;
  return *exporter;
}

}  // namespace stepscope
