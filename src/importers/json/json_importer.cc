// SPDX-License-Identifier: Apache-2.0
#include "importers/json/json_importer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "importers/input/input_file.h"
#include "importers/json/chunk_source.h"
#include "importers/json/document.h"
#include "importers/json/document_reader.h"
#include "importers/json/event_sink.h"

namespace stepscope {
namespace {

// Large enough that a chunk costs nothing, small enough that the tokens of
// one stay in the cache.
constexpr size_t kChunkBytes = size_t{1} << 20;
// Smaller files are not worth a thread.
constexpr uint64_t kThreadFrom = uint64_t{256} << 10;

// One of these is among the first keys of every document with events.
constexpr std::string_view kKeys[] = {
    "\"traceEvents\"",    "\"ph\"",          "\"schemaVersion\"",
    "\"displayTimeUnit\"", "\"otherData\"",  "\"stackFrames\"",
    "\"deviceProperties\"", "\"distributedInfo\"", "\"baseTimeNanoseconds\""};

class Json : public Importer {
 public:
  std::string_view format() const override { return "chrome"; }

  bool Sniff(std::span<const uint8_t> head) const override {
    std::string_view text(reinterpret_cast<const char*>(head.data()),
                          head.size());
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos || (text[first] != '{' && text[first] != '['))
      return false;
    if (text.find_first_not_of(" \t\r\n,]", first + 1) == text.npos &&
        text[first] == '[')
      return true;
    return std::any_of(
        std::begin(kKeys), std::end(kKeys),
        [&](std::string_view key) { return text.find(key) != text.npos; });
  }

  Status Import(const std::string& path, const ImportOptions& options,
                TraceBuilder& builder) const override {
    STEPSCOPE_TRY_ASSIGN(const auto input, InputFile::Open(path));
    TraceBuilder own;
    STEPSCOPE_TRY(Read(*input, options, own));
    builder.Merge(std::move(own));
    return Ok();
  }

 private:
  static Status Read(InputFile& input, const ImportOptions& options,
                     TraceBuilder& builder) {
    const std::string& path = input.path();
    const uint64_t total = input.source_size();
    json::EventSink sink(builder);
    json::Document document(sink);
    Status status = Ok();
    {
      // One byte more than the file has: it ends within the first chunk.
      const size_t chunk_bytes =
          input.compression() == Compression::kNone
              ? static_cast<size_t>(std::min<uint64_t>(kChunkBytes, total + 1))
              : kChunkBytes;
      json::ChunkSource source(input, chunk_bytes, total >= kThreadFrom);
      builder.raw_args().set_packer([&](RawArgs::Block& block) {
        source.Run([&block] { block.Pack(); });
      });
      status = json::ReadDocument(source, document, [&](uint64_t done) {
        if (options.progress) options.progress(done, total);
      });
      source.Finish();
      builder.raw_args().set_packer(nullptr);
    }
    if (!status && builder.ledger().seen() == 0)
      return WithContext(status.error(), path);
    if (!document.has_events())
      return Fail(ErrorCode::kCorrupt,
                  path + ": byte 0: JSON without trace events");
    sink.Finish(path);
    builder.AddSource(sink.format(), path);
    if (!status) {
      builder.SetIncomplete();
      builder.AddNote(path + ": " + status.error().message);
    }
    if (!input.damage().empty()) {
      builder.SetIncomplete();
      builder.AddNote(path + ": " + input.damage());
    }
    if (document.has_rubbish())
      builder.AddNote(path + ": there is more in the file than one document");
    if (!document.complete()) {
      builder.SetIncomplete();
      builder.AddNote(path + ": the document has no end");
    }
    return Ok();
  }
};

}  // namespace

const Importer& JsonImporter() {
  // Never destroyed: traces are still read while the process ends.
  static const Json& importer = *new Json;
  return importer;
}

}  // namespace stepscope
