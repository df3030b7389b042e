// SPDX-License-Identifier: Apache-2.0
#include "importers/rocprofiler/rocprofiler_importer.h"

#include <string_view>
#include <utility>

#include "importers/input/input_source.h"
#include "importers/rocprofiler/rocprofiler_reader.h"

namespace stepscope {
namespace {

// The only key of the document: "rocprofiler-sdk-tool", or that of another
// tool of the library.
constexpr std::string_view kFirstKey = "\"rocprofiler-sdk-";

class Rocprofiler : public Importer {
 public:
  std::string_view format() const override { return "rocprofiler"; }

  bool Sniff(std::span<const uint8_t> head) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()),
                                head.size());
    const size_t brace = text.find_first_not_of(" \t\r\n");
    if (brace == text.npos || text[brace] != '{') return false;
    const size_t key = text.find_first_not_of(" \t\r\n", brace + 1);
    return key != text.npos && text.substr(key).starts_with(kFirstKey);
  }

  Status Import(InputSource& input, const ImportOptions& options,
                TraceBuilder& builder) const override {
    const std::string& path = input.path();
    options.Report(0, input.source_size());
    STEPSCOPE_TRY_ASSIGN(const std::span<const uint8_t> bytes,
                         input.WholeBytes());
    if (options.cancelled()) return Cancelled(path);
    TraceBuilder own;
    rocprofiler::Reader reader(own);
    const Status status = reader.Read(
        {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!status) return WithContext(status.error(), path);
    if (options.cancelled()) return Cancelled(path);
    own.AddSource(format(), path);
    if (!input.damage().empty()) {
      own.SetIncomplete();
      own.AddNote(path + ": " + input.damage());
    }
    builder.Merge(std::move(own));
    options.Report(input.source_size(), input.source_size());
    return Ok();
  }
};

}  // namespace

const Importer& RocprofilerImporter() {
  // Never destroyed: files may be read while the process ends.
  static const Rocprofiler& importer = *new Rocprofiler;
  return importer;
}

}  // namespace stepscope
