// SPDX-License-Identifier: Apache-2.0
//
// Annotations: the debug annotations of events, as arguments. Numbers, texts
// and lists of integers become typed ones, ids become links, and whatever is
// nested stays as JSON. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/perfetto/sequence.h"
#include "importers/proto/recorder.h"
#include "importers/proto/wire.h"

namespace stepscope::pftrace {

// One annotation as it is written.
struct Annotation {
  enum class Holds : uint8_t {
    kNothing,
    kBool,
    kUint,
    kInt,
    kDouble,
    kText,
    kTextIid,
    kPointer,
    kNested,
    kJson,
    kDict,
    kArray,
  };

  uint32_t key_iid = kNone;  // StringId of an interned key; kNone: `key`
  std::string_view key;
  Holds holds = Holds::kNothing;
  uint64_t number = 0;
  std::string_view text;
  bool plain = false;
  bool clipped = false;
  proto::Bytes bytes;  // all of it
};

class Annotations {
 public:
  explicit Annotations(proto::Recorder& out) : out_(out) {}

  // What an event's annotations say of the event itself, in our files.
  struct About {
    uint16_t flags = 0;
    StringId name;
    bool has_name = false;
  };
  About ReadAbout(proto::Bytes event, const Sequence& sequence);

  // Gives the annotations of `event`, a TrackEvent, to the row. `more`: it has
  // some already, of its begin. False: some were nested too deeply to be kept.
  bool Add(Row row, proto::Bytes event, const Sequence& sequence, bool own,
           bool more);

  // For who reads annotations of a kind of its own.
  Annotation Read(proto::Bytes annotation, const Sequence& sequence) const;
  std::string_view KeyOf(const Annotation& annotation) const;
  std::string_view TextOf(const Annotation& annotation,
                          const Sequence& sequence) const;

  struct PendingLink {
    Row row;
    LinkSpace space;
    uint64_t id;
  };
  // Links of processes that are known at the end.
  const std::vector<PendingLink>& links() const { return links_; }

 private:
  static constexpr int kMaxDepth = 64;

  void AddOne(Row row, const Annotation& annotation, const Sequence& sequence,
              bool own, bool more);
  bool AddList(Row row, const Annotation& annotation);
  bool AddLink(Row row, const Annotation& annotation);
  void AddJson(Row row, StringId key, bool clipped, std::string_view json);
  void AppendValue(std::string& out, const Annotation& annotation,
                   const Sequence& sequence, int depth);
  void AppendNested(std::string& out, proto::Bytes value, int depth);
  StringId KeyId(const Annotation& annotation);

  proto::Recorder& out_;
  std::vector<PendingLink> links_;
  std::string raw_;  // members of the event in work
  std::vector<int64_t> numbers_;
  bool too_deep_ = false;
};

}  // namespace stepscope::pftrace
