// SPDX-License-Identifier: Apache-2.0
//
// What the importers of protobuf formats share: a file's bytes are read whole,
// one function recognises them and another adds what they hold.
#pragma once

#include <string>
#include <string_view>

#include "base/executor.h"
#include "importers/importer.h"
#include "importers/proto/wire.h"

namespace stepscope::proto {

// A file's plain bytes, which the import reads and does not keep.
struct Input {
  Bytes bytes;
  std::string path;  // for messages, and to tell processes apart
  const ImportOptions* options = nullptr;
  unsigned readers = 0;  // 0: as many as the file is worth

  // What the caller wants of this format.
  template <typename T>
  T FormatOptions() const {
    return options != nullptr ? options->formats.Get<T>() : T{};
  }
  Executor& executor() const {
    return options != nullptr ? *options->executor : Executor::Shared();
  }
};

class ProtoImporter final : public Importer {
 public:
  using SniffFunction = bool (*)(Bytes head);
  // Adds what it can read. What it cannot is in the ledger.
  using ImportFunction = void (*)(const Input& input, TraceBuilder& builder);

  ProtoImporter(std::string_view format, SniffFunction sniff,
                ImportFunction import)
      : format_(format), sniff_(sniff), import_(import) {}

  std::string_view format() const override { return format_; }
  bool Sniff(Bytes head) const override { return sniff_(head); }
  Status Import(InputSource& input, const ImportOptions& options,
                TraceBuilder& builder) const override;

 private:
  std::string_view format_;
  SniffFunction sniff_;
  ImportFunction import_;
};

}  // namespace stepscope::proto
