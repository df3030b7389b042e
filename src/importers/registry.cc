// SPDX-License-Identifier: Apache-2.0
#include "importers/registry.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "importers/capture/capture_importer.h"
#include "importers/input/input_file.h"
#ifdef STEPSCOPE_HAVE_IMPORTER_JSON
#include "importers/json/json_importer.h"
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_PROTO
#include "importers/proto/proto_importers.h"
#endif

namespace stepscope {
namespace {

Result<std::vector<std::string>> FilesIn(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  fs::directory_iterator it(folder, error);
  if (error) return FileError(folder, error.value());
  for (; it != fs::directory_iterator(); it.increment(error)) {
    if (error) return FileError(folder, error.value());
    // Links count as what they lead to.
    if (it->is_regular_file(error)) files.push_back(it->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::span<const Importer* const> Importers() {
  // Never destroyed: windows are still read while the process ends.
  static const auto* const importers = [] {
    auto* all = new std::vector<const Importer*>{&CaptureImporter()};
#ifdef STEPSCOPE_HAVE_IMPORTER_JSON
    all->push_back(&JsonImporter());
#endif
#ifdef STEPSCOPE_HAVE_IMPORTER_PROTO
    for (const Importer* importer : ProtoImporters()) all->push_back(importer);
#endif
    return all;
  }();
  return *importers;
}

Result<const Importer*> FindImporter(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(const auto input, InputFile::Open(path));
  STEPSCOPE_TRY_ASSIGN(const std::span<const uint8_t> head,
                       input->Head(Importer::kHeadBytes));
  for (const Importer* importer : Importers())
    if (importer->Sniff(head)) return importer;
  return Fail(ErrorCode::kUnsupported,
              path + ": byte 0: not a trace in a known format");
}

Result<std::shared_ptr<const Trace>> ImportFile(const std::string& path,
                                                const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const Importer* importer, FindImporter(path));
  TraceBuilder builder;
  STEPSCOPE_TRY(importer->Import(path, options, builder));
  return builder.Finish();
}

Result<std::shared_ptr<const Trace>> ImportPath(const std::string& path,
                                                const ImportOptions& options) {
  if (!IsDirectory(path)) return ImportFile(path, options);
  STEPSCOPE_TRY_ASSIGN(const std::vector<std::string> files, FilesIn(path));
  TraceBuilder builder;
  size_t read = 0;
  for (const std::string& file : files) {
    const Result<const Importer*> importer = FindImporter(file);
    if (!importer) continue;  // not a trace
    const Status status = (*importer)->Import(file, options, builder);
    if (status) {
      ++read;
    } else if (status.error().code == ErrorCode::kCorrupt) {
      builder.AddNote(status.error().message);
    } else {
      return status.error();
    }
  }
  if (read == 0)
    return Fail(ErrorCode::kNotFound, path + ": no readable trace in it");
  return builder.Finish();
}

}  // namespace stepscope
