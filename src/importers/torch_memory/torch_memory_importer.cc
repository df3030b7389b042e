// SPDX-License-Identifier: Apache-2.0
#include "importers/torch_memory/torch_memory_importer.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "importers/input/input_source.h"
#include "importers/torch_memory/history.h"
#include "importers/torch_memory/pickle.h"
#include "importers/torch_memory/snapshot_reader.h"

namespace stepscope {
namespace {

class InputBytes : public torch_memory::ByteReader {
 public:
  explicit InputBytes(InputSource& input) : input_(input) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    return input_.Read(out);
  }
  const std::string& path() const override { return input_.path(); }

 private:
  InputSource& input_;
};

// A snapshot does not say whose it is, but programs of many ranks give each
// file another name: "rank3.pickle", "snapshot_rank_12.pickle.gz". Negative:
// this one does not say it either.
int64_t RankIn(std::string_view path) {
  constexpr std::string_view kWord = "rank";
  constexpr size_t kMostDigits = 6;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (size_t at = name.rfind(kWord); at != name.npos && at < name.size();
       at = at == 0 ? name.npos : name.rfind(kWord, at - 1)) {
    size_t digit = at + kWord.size();
    if (digit < name.size() && (name[digit] == '_' || name[digit] == '-'))
      ++digit;
    int64_t rank = -1;
    const size_t first = digit;
    for (; digit < name.size() && digit - first <= kMostDigits &&
           IsDigit(name[digit]);
         ++digit)
      rank = std::max<int64_t>(rank, 0) * 10 + (name[digit] - '0');
    if (rank >= 0 && digit - first <= kMostDigits) return rank;
  }
  return -1;
}

class TorchMemory : public Importer {
 public:
  std::string_view format() const override { return "torch_memory"; }

  // Every pickle: who gives another one learns why it is not read.
  bool Sniff(std::span<const uint8_t> head) const override {
    constexpr uint8_t kProto = 0x80;
    if (head.size() < 3 || head[0] != kProto || head[1] < 2 || head[1] > 5)
      return false;
    // Behind a frame's mark, or at once: a value begins, or a name is imported.
    constexpr std::string_view kFirst =
        "\x95}]()Xc(]N\x8c\x8a\x8bKJMGVCB\x88\x89";
    return kFirst.find(static_cast<char>(head[2])) != kFirst.npos;
  }

  Status Import(InputSource& input, const ImportOptions& options,
                TraceBuilder& builder) const override {
    const std::string& path = input.path();
    const uint64_t total = input.source_size();
    options.Report(0, total);
    builder.AddSource(format(), path);
    torch_memory::SnapshotReader reader(builder);
    {
      InputBytes bytes(input);
      torch_memory::Pickle pickle(bytes, builder.strings(), reader);
      const Result<torch_memory::Value> whole = pickle.Read([&] {
        options.Report(input.source_offset(), total);
        return !options.cancelled();
      });
      if (!whole) {
        if (whole.error().code == ErrorCode::kCancelled) return Cancelled(path);
        return whole.error();
      }
      if (!reader.Finish(*whole))
        return Fail(ErrorCode::kCorrupt,
                    path +
                        ": byte 0: a pickle of another program: it has neither "
                        "\"segments\" nor \"device_traces\", as a memory "
                        "snapshot of torch does");
    }
    torch_memory::FinishHistory(reader, builder, RankIn(path));
    if (builder.memory().empty())
      builder.AddNote(path +
                      ": the snapshot has no event and no segment: torch used "
                      "no GPU, or its history was not recorded");
    options.Report(total, total);
    return Ok();
  }
};

}  // namespace

const Importer& TorchMemoryImporter() {
  // Never destroyed: files may be read while the process ends.
  static const TorchMemory& importer = *new TorchMemory;
  return importer;
}

}  // namespace stepscope
