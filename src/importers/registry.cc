// SPDX-License-Identifier: Apache-2.0
#include "importers/registry.h"

#include <utility>
#include <vector>

#include "importers/capture/capture_importer.h"
#include "importers/expanded_file.h"
#include "importers/input/input_file.h"
#ifdef STEPSCOPE_HAVE_IMPORTER_FLUID
#include "importers/fluid/fluid_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_JSON
#include "importers/json/json_importer.h"
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
#ifdef STEPSCOPE_HAVE_IMPORTER_TENSORFLOW
#include "importers/tensorflow/tensorflow_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_XPLANE
#include "importers/xplane/xplane_importer.h"
#endif

namespace stepscope {
namespace {

// Captures and databases are read by position; the others decompress as they
// go.
bool NeedsPlainFile(const Importer& importer) {
  return importer.format() == "capture" || importer.format() == "nsys";
}

}  // namespace

Status ImportInto(const Importer& importer, const std::string& path,
                  const ImportOptions& options, TraceBuilder& builder) {
  if (!NeedsPlainFile(importer)) return importer.Import(path, options, builder);
  STEPSCOPE_TRY_ASSIGN(const auto input, InputFile::Open(path));
  if (input->compression() == Compression::kNone)
    return importer.Import(path, options, builder);
  STEPSCOPE_TRY_ASSIGN(const auto plain, ExpandedFile::Make(*input));
  TraceBuilder own;
  if (const Status status = importer.Import(plain->path(), options, own);
      !status) {
    return WithContext(status.error(), path + ", decompressed");
  }
  if (!input->damage().empty()) {
    own.SetIncomplete();
    own.AddNote(path + ": " + input->damage());
  }
  own.RenameSource(plain->path(), path);
  builder.Merge(std::move(own));
  return Ok();
}

std::span<const Importer* const> Importers() {
  // Never destroyed: windows are still read while the process ends.
  static const auto* const importers = [] {
    auto* all = new std::vector<const Importer*>{&CaptureImporter()};
    // In the order in which they are asked: shapes that say more come first.
#ifdef STEPSCOPE_HAVE_IMPORTER_JSON
    all->push_back(&JsonImporter());
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

Result<const Importer*> FindImporter(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(const auto input, InputFile::Open(path));
  STEPSCOPE_TRY_ASSIGN(const std::span<const uint8_t> head,
                       input->Head(Importer::kHeadBytes));
  if (head.empty())
    return Fail(ErrorCode::kCorrupt, path + ": byte 0: the file is empty");
  for (const Importer* importer : Importers())
    if (importer->Sniff(head)) return importer;
  return Fail(ErrorCode::kUnsupported,
              path + ": byte 0: not a trace in a known format");
}

Result<std::shared_ptr<const Trace>> ImportFile(const std::string& path,
                                                const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const Importer* importer, FindImporter(path));
  TraceBuilder builder;
  STEPSCOPE_TRY(ImportInto(*importer, path, options, builder));
  return builder.Finish();
}

}  // namespace stepscope
