// SPDX-License-Identifier: Apache-2.0
#include "importers/json/document_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text.h"

namespace stepscope::json {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// How far tokens are looked for again behind a broken event, at first.
constexpr size_t kFirstWindow = 4096;
// Bytes looked at twice, beyond which broken events are not searched for
// sound ones: keeps hostile files from taking quadratic time.
constexpr uint64_t kFreeRescans = uint64_t{64} << 20;
constexpr uint64_t kRescansPerByte = 8;

class DocumentReader {
 public:
  DocumentReader(ChunkSource& source, Document& document)
      : source_(source), document_(document) {}

  Status Run(const std::function<void(uint64_t)>& progress) {
    while (true) {
      Chunk& chunk = source_.Next();
      STEPSCOPE_TRY(chunk.status);
      const bool last = chunk.size < source_.chunk_bytes();
      const std::string_view text = Join(chunk);
      // A unit that did not end: wait for twice as much before looking again.
      if (last || text.size() >= wanted_) {
        STEPSCOPE_TRY(Handle(text, last));
      }
      if (progress) progress(chunk.source_offset);
      if (last) return Ok();
    }
  }

 private:
  // What was left over, followed by the chunk. Left-overs are short as a rule
  // and fit into the room before the chunk.
  std::string_view Join(Chunk& chunk) {
    if (rest_.size() <= Chunk::kRoom) {
      char* const begin = chunk.data() - rest_.size();
      if (!rest_.empty()) std::memcpy(begin, rest_.data(), rest_.size());
      const std::string_view text(begin, rest_.size() + chunk.size);
      if (offset_ == 0 && !started_ && text.starts_with(kByteOrderMark)) {
        offset_ = kByteOrderMark.size();
        started_ = true;
        return text.substr(kByteOrderMark.size());
      }
      started_ = true;
      return text;
    }
    rest_.append(chunk.data(), chunk.size);
    return rest_;
  }

  Status Handle(std::string_view text, bool last) {
    size_t window = text.npos;
    while (true) {
      const std::string_view part = text.substr(0, window);
      const bool whole = part.size() == text.size();
      if (!index_.Find(part))
        return Fail(ErrorCode::kIo, "not enough memory to parse");
      const Document::Progress done =
          document_.Read(index_, part, offset_, last && whole);
      offset_ += done.consumed;
      text.remove_prefix(done.consumed);
      if (done.again) {
        window = kFirstWindow;
        rescanned_ += std::min(window, text.size());
      } else if (whole) {
        break;
      } else {
        window *= 2;
        rescanned_ += std::min(window, text.size());
      }
      document_.set_resync(rescanned_ <
                           kFreeRescans + kRescansPerByte * offset_);
    }
    if (text.size() > kMaxUnitBytes)
      return Fail(ErrorCode::kUnsupported,
                  Format("byte %llu: an element of more than %zu bytes",
                         static_cast<unsigned long long>(offset_),
                         kMaxUnitBytes));
    wanted_ = text.size() > Chunk::kRoom ? text.size() * 2 : 0;
    // The text may be part of what is assigned to.
    std::string rest(text);
    rest_.swap(rest);
    return Ok();
  }

  ChunkSource& source_;
  Document& document_;
  TokenIndex index_;
  std::string rest_;     // not handled yet
  uint64_t offset_ = 0;  // of what is not handled yet, in the plain bytes
  uint64_t rescanned_ = 0;
  size_t wanted_ = 0;
  bool started_ = false;
};

}  // namespace

Status ReadDocument(ChunkSource& source, Document& document,
                    const std::function<void(uint64_t)>& progress) {
  return DocumentReader(source, document).Run(progress);
}

}  // namespace stepscope::json
