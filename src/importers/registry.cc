// SPDX-License-Identifier: Apache-2.0
#include "importers/registry.h"

#include <vector>

#include "importers/capture/capture_importer.h"
#include "importers/foreign_formats.h"
#include "importers/input/input_source.h"
#include "importers/step_range.h"
#include "trace/chosen_steps.h"
#ifdef STEPSCOPE_HAVE_IMPORTER_FLUID
#include "importers/fluid/fluid_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_CHROME
#include "importers/chrome/chrome_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_NSYS
#include "importers/nsys/nsys_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_PADDLE
#include "importers/paddle/paddle_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_PERFETTO
#include "importers/perfetto/perfetto_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_ROCPROFILER
#include "importers/rocprofiler/rocprofiler_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_TENSORFLOW
#include "importers/tensorflow/tensorflow_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_TORCH_MEMORY
#include "importers/torch_memory/memory_timeline_importer.h"
#include "importers/torch_memory/torch_memory_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_XPLANE
#include "importers/xplane/xplane_importer.h"
#endif

namespace stepscope {
std::span<const Importer* const> Importers() {
  // Never destroyed: windows are still read while the process ends.
  static const auto* const importers = [] {
    auto* all = new std::vector<const Importer*>{&CaptureImporter()};
    // In the order in which they are asked: shapes that say more come first.
#ifdef STEPSCOPE_HAVE_IMPORTER_ROCPROFILER
    all->push_back(&RocprofilerImporter());
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_CHROME
    all->push_back(&JsonImporter());
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_TORCH_MEMORY
    all->push_back(&TorchMemoryImporter());
    all->push_back(&MemoryTimelineImporter());
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_NSYS
    all->push_back(&NsysImporter());
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_PADDLE
    all->push_back(&PaddleTreeImporter());
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_FLUID
    all->push_back(&FluidImporter());
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_TENSORFLOW
    all->push_back(&StepStatsImporter());
    all->push_back(&RunMetadataImporter());
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_XPLANE
    all->push_back(&XPlaneImporter());
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_PERFETTO
    all->push_back(&PerfettoImporter());
#endif
    return all;
  }();
  return *importers;
}

namespace {

// JSON says what it is by its keys, and those may stand behind any amount of
// metadata: it is asked again with more of the file.
constexpr size_t kHeads[] = {Importer::kHeadBytes, size_t{256} << 10,
                             size_t{16} << 20};

bool SeemsJson(std::span<const uint8_t> head) {
  for (const uint8_t byte : head) {
    if (byte == '{' || byte == '[') return true;
    if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n') break;
  }
  return head.size() > 3 && head[0] == 0xef && head[1] == 0xbb;
}

Error Unknown(const InputSource& input, std::span<const uint8_t> head) {
  const std::string foreign = NameForeignFormat(head, input.path());
  return Fail(ErrorCode::kUnsupported,
              input.path() + ": byte 0: " +
                  (foreign.empty() ? std::string(kUnknownFormat) : foreign));
}

}  // namespace

Result<const Importer*> FindImporter(InputSource& input) {
  std::span<const uint8_t> head;
  for (const size_t bytes : kHeads) {
    STEPSCOPE_TRY_ASSIGN(head, input.Head(bytes));
    if (head.empty())
      return Fail(
          ErrorCode::kCorrupt,
          input.path() + ": byte 0: " +
              (input.is_named_file() ? "the file is empty" : "it is empty"));
    for (const Importer* importer : Importers())
      if (importer->Sniff(head)) return importer;
    if (head.size() < bytes || !SeemsJson(head)) break;
  }
  return Unknown(input, head);
}

Result<std::unique_ptr<InputSource>> OpenInput(const std::string& path,
                                               const ImportOptions& options) {
  if (options.confined) return InputSource::OpenConfined(path);
  return options.found ? InputSource::OpenFound(path) : InputSource::Open(path);
}

Result<const Importer*> FindImporter(const std::string& path,
                                     const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const auto input, OpenInput(path, options));
  return FindImporter(*input);
}

Status ImportInto(const Importer& importer, InputSource& input,
                  const ImportOptions& options, TraceBuilder& builder) {
  input.set_cancel(options.cancel);
  const Row first = builder.event_count();
  STEPSCOPE_TRY(importer.Import(input, options, builder));
  const std::string& range =
      options.step_range.empty() ? StepRange() : options.step_range;
  if (!range.empty() && !MarkSteps(range, first, builder))
    builder.AddNote(input.path() + ": " + std::string(kNoSuchRange) + range +
                    ", so it has no steps");
  return Ok();
}

Status ImportInto(const Importer& importer, const std::string& path,
                  const ImportOptions& options, TraceBuilder& builder) {
  STEPSCOPE_TRY_ASSIGN(const auto input, OpenInput(path, options));
  return ImportInto(importer, *input, options, builder);
}

Result<std::shared_ptr<const Trace>> ImportSource(
    InputSource& input, const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const Importer* importer, FindImporter(input));
  TraceBuilder builder;
  STEPSCOPE_TRY(ImportInto(*importer, input, options, builder));
  return builder.Finish();
}

Result<std::shared_ptr<const Trace>> ImportFile(const std::string& path,
                                                const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const auto input, OpenInput(path, options));
  return ImportSource(*input, options);
}

}  // namespace stepscope
