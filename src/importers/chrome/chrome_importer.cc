// SPDX-License-Identifier: Apache-2.0
#include "importers/chrome/chrome_importer.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "importers/chrome/event_sink.h"
#include "importers/chrome/sniff.h"
#include "importers/input/input_source.h"
#include "importers/json/document.h"
#include "importers/json/document_reader.h"
#include "importers/json/pipeline.h"

namespace stepscope {
namespace {

// Large enough that a piece costs nothing, small enough that all of one stays
// in the cache.
constexpr size_t kPieceBytes = size_t{256} << 10;
// Smaller files are not worth a thread.
constexpr uint64_t kThreadFrom = uint64_t{256} << 10;

class Json : public Importer {
 public:
  std::string_view format() const override { return "chrome"; }

  bool Sniff(std::span<const uint8_t> head) const override {
    return json::LooksLikeTrace(std::string_view(
        reinterpret_cast<const char*>(head.data()), head.size()));
  }

  Status Import(InputSource& input, const ImportOptions& options,
                TraceBuilder& builder) const override {
    TraceBuilder own;
    std::optional<Epoch> epoch;
    STEPSCOPE_TRY(Read(input, options, own, epoch));
    // Times are brought to it by the merge.
    if (epoch && builder.process_count() == 0) builder.SetEpoch(*epoch);
    builder.Merge(std::move(own));
    return Ok();
  }

 private:
  // Room for what a file of that size usually holds, so that columns are huge
  // pages from the beginning. Too much costs nothing, too little some time.
  static void Reserve(const InputSource& input, TraceBuilder& builder) {
    constexpr uint64_t kBytesPerEvent = 256;
    constexpr uint64_t kUsualRatio = 8;
    constexpr uint64_t kMostBytes = uint64_t{64} << 30;
    const uint64_t bytes = std::min(kMostBytes, input.source_size());
    const uint64_t events =
        bytes * (input.compression() == Compression::kNone ? 1 : kUsualRatio) /
        kBytesPerEvent;
    // Refused memory is found out when it is used.
    static_cast<void>(builder.ReserveRows(events).has_value());
    builder.ReserveSide(2 * events, events);
  }

  static Status Read(InputSource& input, const ImportOptions& options,
                     TraceBuilder& builder, std::optional<Epoch>& epoch) {
    const std::string& path = input.path();
    const uint64_t total = input.source_size();
    json::EventSink sink(builder);
    json::Recorder recorder;
    Reserve(input, builder);
    // One byte more than the file has: it ends within the first piece.
    const size_t piece_bytes =
        input.compression() == Compression::kNone && total > 0
            ? static_cast<size_t>(std::min<uint64_t>(kPieceBytes, total + 1))
            : kPieceBytes;
    const bool worth_a_thread = total == 0 || total >= kThreadFrom;
    json::Pipeline pipeline(piece_bytes,
                            worth_a_thread ? options.executor : nullptr);
    // On one thread there is nothing to write down.
    json::Document document(pipeline.has_thread()
                                ? static_cast<json::DocumentHandler&>(recorder)
                                : sink);
    json::DocumentReader reader(
        input, piece_bytes, document,
        [&](json::Piece& piece) { pipeline.Settle(piece); });
    builder.raw_args().set_packer([&](RawArgs::Block& block) {
      pipeline.Do([&block] { block.Pack(); });
    });
    Status status = Ok();
    pipeline.Run(
        [&](json::Piece& piece) {
          recorder.set_piece(piece);
          reader.Read(piece);
        },
        [&](json::Piece& piece) {
          json::Replay(piece, sink);
          status = piece.status;
          options.Report(piece.source_offset, total);
        });
    builder.raw_args().set_packer(nullptr);
    if (options.cancelled()) return Cancelled(path);
    if (!status && builder.ledger().seen() == 0)
      return WithContext(status.error(), path);
    if (!document.has_events())
      return Fail(ErrorCode::kCorrupt,
                  path + ": byte 0: JSON without trace events");
    sink.Finish();
    epoch = sink.earliest_epoch();
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
