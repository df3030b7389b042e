// SPDX-License-Identifier: Apache-2.0
//
// Small files of every protobuf format, with all that the format knows, and
// the import of bytes; for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "importers/fluid/fluid_importer.h"
#include "importers/paddle/paddle_importer.h"
#include "importers/proto/pb_writer_test_support.h"
#include "importers/tensorflow/tensorflow_importer.h"
#include "importers/xplane/xplane_importer.h"
#include "trace/trace.h"

namespace stepscope::proto {

// Unix time of the samples, ns.
inline constexpr int64_t kSampleTime = 1'700'000'000'000'000'000;

std::string PaddleTreeSample();
std::string FluidProfileSample();  // that of Paddle's timeline.py golden
std::string XSpaceSample();
std::string StepStatsSample();
std::string RunMetadataSample();

using ImportFunction = ProtoImporter::ImportFunction;

// The Trace of these bytes; never null.
std::shared_ptr<const Trace> ImportBytes(ImportFunction import,
                                         std::string_view bytes,
                                         const ImportOptions& options = {});

// The rows, by track, as "start..end name type"; with the kind of the track.
// Times count from kSampleTime where they are Unix times.
std::string Drawn(const Trace& trace);
// "kept K, reason N, ...", rejected reasons with a minus sign.
std::string LedgerText(const Trace& trace);
// The argument of the first event of that name, as text; "-" if none.
std::string ArgText(const Trace& trace, std::string_view event,
                    std::string_view key);
// The first event of that name; kNoRow if there is none.
Row FindRow(const Trace& trace, std::string_view event);

}  // namespace stepscope::proto
