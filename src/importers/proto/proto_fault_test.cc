// SPDX-License-Identifier: Apache-2.0
//
// Damaged protobuf: cut at every byte, every bit flipped, several at once, and
// what only an adversary writes.
#include <gtest/gtest.h>

#include <random>

#include "base/cpu_time.h"
#include "base/text.h"
#include "importers/perfetto/perfetto_sample_test_support.h"
#include "importers/proto/samples_test_support.h"

namespace stepscope::proto {
namespace {

struct Sample {
  const char* name;
  ImportFunction import;
  std::string bytes;
};

std::vector<Sample> Samples() {
  return {{"paddle", paddle::ImportPaddleTree, PaddleTreeSample()},
          {"fluid", fluid::ImportFluidProfile, FluidProfileSample()},
          {"step stats", tf::ImportStepStats, StepStatsSample()},
          {"run metadata", tf::ImportRunMetadata, RunMetadataSample()},
          {"xplane", xplane::ImportXSpace, XSpaceSample()},
          {"perfetto", pftrace::ImportPerfetto, PerfettoSample()}};
}

uint64_t Sum(const std::map<std::string, Ledger::Bin, std::less<>>& bins) {
  uint64_t sum = 0;
  for (const auto& [reason, bin] : bins) sum += bin.count;
  return sum;
}

struct Counts {
  uint64_t usable = 0;
  uint64_t rejected = 0;
};

// Imports with everything on and looks at the result.
Counts Import(ImportFunction import, std::string_view bytes) {
  ImportOptions options;
  options.formats.Set(TensorflowOptions{.show_memory = true});
  const auto trace = ImportBytes(import, bytes, options);
  const Ledger& ledger = trace->ledger();
  for (const auto* bins : {&ledger.repaired(), &ledger.rejected()})
    for (const auto& [reason, bin] : *bins)
      for (const Ledger::Example& example : bin.examples)
        EXPECT_LE(example.offset, bytes.size()) << reason;
  for (const Track& track : trace->tracks())
    EXPECT_LT(track.process, trace->processes().size());
  for (const Flow& flow : trace->flows())
    EXPECT_LT(flow.track, trace->tracks().size());
  for (const Link& link : trace->links()) EXPECT_LT(link.row, trace->size());
  return {ledger.kept() + Sum(ledger.repaired()), Sum(ledger.rejected())};
}

// What is wrong with how an importer takes truncation; "" if nothing is. Each
// byte more may bring a record and never costs one, and no more than the
// record that is cut is rejected, on top of what the whole file rejects.
std::string CheckTruncation(ImportFunction import, const std::string& bytes) {
  const Counts whole = Import(import, bytes);
  uint64_t before = 0;
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const Counts now = Import(import, std::string_view(bytes).substr(0, size));
    if (now.usable < before) return Format("byte %zu costs a record", size);
    if (now.rejected > whole.rejected + 1)
      return Format("%zu bytes: %llu records rejected", size,
                    static_cast<unsigned long long>(now.rejected));
    before = now.usable;
  }
  return before == whole.usable && before > 0 ? "" : "nothing was read";
}

TEST(ProtoFaultTest, CutAtEveryByte) {
  for (const Sample& sample : Samples())
    EXPECT_EQ(CheckTruncation(sample.import, sample.bytes), "") << sample.name;
}

// The check finds an importer that gives up at the first damage.
TEST(ProtoFaultTest, CheckOfTruncationFindsAPlantedDefect) {
  const auto planted = [](const Input& input, TraceBuilder& builder) {
    Message message(input.bytes);
    while (message.Next()) {
    }
    if (message.ok()) fluid::ImportFluidProfile(input, builder);
  };
  EXPECT_NE(CheckTruncation(planted, FluidProfileSample()), "");
}

TEST(ProtoFaultTest, EveryBitFlipped) {
  for (const Sample& sample : Samples()) {
    const uint64_t whole = Import(sample.import, sample.bytes).usable;
    uint64_t different = 0;
    std::string bytes = sample.bytes;
    for (size_t at = 0; at < bytes.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        bytes[at] ^= static_cast<char>(1 << bit);
        const Counts counts = Import(sample.import, bytes);
        ASSERT_LE(counts.usable + counts.rejected, bytes.size())
            << sample.name << " byte " << at;
        different += counts.usable != whole || counts.rejected != 0;
        bytes[at] = sample.bytes[at];
      }
    }
    // The flips did reach the reader.
    EXPECT_GT(different, bytes.size() / 2) << sample.name;
  }
}

TEST(ProtoFaultTest, ManyBitsFlippedBytesInsertedAndRemoved) {
  std::mt19937 random(1);
  for (const Sample& sample : Samples()) {
    for (int i = 0; i < 3'000; ++i) {
      std::string bytes = sample.bytes;
      for (auto edits = 1 + random() % 12; edits > 0; --edits) {
        const size_t at = random() % bytes.size();
        switch (random() % 4) {
          case 0:
            bytes.insert(at, 1 + random() % 4, static_cast<char>(random()));
            break;
          case 1:
            bytes.erase(at, 1 + random() % 4);
            break;
          default:
            bytes[at] ^= static_cast<char>(1u << random() % 8);
        }
        if (bytes.empty()) bytes = "\x0a";
      }
      Import(sample.import, bytes);
      ASSERT_FALSE(HasFailure()) << sample.name << " round " << i;
    }
  }
}

TEST(ProtoFaultTest, RandomBytes) {
  std::mt19937 random(2);
  for (const Sample& sample : Samples()) {
    for (int i = 0; i < 2'000; ++i) {
      std::string bytes(random() % 400, '\0');
      for (char& c : bytes)
        c = static_cast<char>(random() % (i % 2 == 0 ? 256 : 32));
      Import(sample.import, bytes);
    }
  }
}

// Every importer is handed the files of all others.
TEST(ProtoFaultTest, FilesOfOtherFormats) {
  for (const Sample& sample : Samples())
    for (const Sample& other : Samples()) Import(sample.import, other.bytes);
}

TEST(ProtoFaultTest, MessagesInMessagesAMillionDeep) {
  // Each level is a length and what it holds; 2 to 5 bytes a level.
  std::string deep;
  for (int i = 0; i < 200'000; ++i) {
    std::string head = "\x0a";
    for (size_t size = deep.size();; size >>= 7) {
      head += static_cast<char>((size & 0x7f) | (size >= 0x80 ? 0x80 : 0));
      if (size < 0x80) break;
    }
    deep.insert(0, head);
    if (deep.size() > (1u << 16)) break;
  }
  // Groups, which have no length.
  const std::string groups(1'000'000, '\x0b');
  for (const Sample& sample : Samples()) {
    Import(sample.import, deep);
    Import(sample.import, groups);
    Import(sample.import, std::string(1'000'000, '\x0a'));
  }
}

TEST(ProtoFaultTest, EventsNestedAMillionDeep) {
  Pb thread = Pb().Int(1, 7);
  constexpr int64_t kDepth = 300'000;
  for (int64_t i = 0; i < kDepth; ++i)
    thread.Sub(2, Pb().Int(1, i + 1).Int(2, i).Sub(
                      3, Pb().Text(1, "e").Int(3, i).Int(4, 3 * kDepth - i)));
  const auto trace =
      ImportBytes(paddle::ImportPaddleTree,
                  Pb().Text(1, "1.0.2").Int(2, 0).Sub(3, thread).str());
  EXPECT_EQ(trace->size(), static_cast<Row>(kDepth));
  EXPECT_EQ(trace->tracks().size(), 1u);
}

// A small file must not take much memory or time, whatever its ids are.
TEST(ProtoFaultTest, LargeIdsInManySmallPlanes) {
  Pb space;
  for (int64_t i = 0; i < 20'000; ++i)
    space.Sub(1,
              Pb().Text(2, "/host:CPU")
                  .Sub(4, Pb().Int(1, 60'000 + i).Sub(2, Pb().Text(2, "e"))));
  ImportBytes(xplane::ImportXSpace, space.str());
}

// A Trace holds durations of less than 2^62 ns, and the times between which
// an event lies may be further apart: of itself, or of a step and all in it.
TEST(ProtoFaultTest, TimesFurtherApartThanADurationCanBe) {
  constexpr int64_t kLong = 4'000'000'000'000'000;  // microseconds, 126 years
  const auto node = [](int64_t start, int64_t length) {
    return Pb().Text(1, "n").Int(2, start).Int(5, length);
  };
  const auto stats = [](const Pb& a, const Pb& b) {
    return Pb().Sub(1, Pb().Text(1, "/cpu:0").Sub(2, a).Sub(2, b)).str();
  };
  const auto one = ImportBytes(
      tf::ImportStepStats, stats(node(-kLong, kLong * 3 / 2), node(-kLong, 5)));
  EXPECT_EQ(LedgerText(*one), "kept 1, -time out of range 1");
  EXPECT_EQ(one->size(), 2u);  // and the step
  const auto step =
      ImportBytes(tf::ImportStepStats, stats(node(-kLong, 5), node(kLong, 5)));
  EXPECT_EQ(LedgerText(*step), "kept 2");
  EXPECT_EQ(step->size(), 2u);
}

TEST(ProtoFaultTest, ManyThreadsAndManyExecutions) {
  Pb profile;
  for (int64_t i = 0; i < 200'000; ++i)
    profile.Sub(1, Pb().Text(1, "e").Int(2, i).Int(3, i + 1).Int(6, i));
  EXPECT_EQ(
      ImportBytes(fluid::ImportFluidProfile, profile.str())->tracks().size(),
      200'000u);
  Pb device = Pb().Text(1, "/cpu:0");
  for (int64_t i = 0; i < 20'000; ++i)
    device.Sub(2, Pb().Text(1, "a")
                      .Int(2, 1'000'000 - i)
                      .Int(5, 2)
                      .Text(8, "a = A(a, a, b)"));
  EXPECT_GT(ImportBytes(tf::ImportStepStats, Pb().Sub(1, device).str())->size(),
            20'000u);
}

// Streams of devices that execute nothing: each was looked for among all.
TEST(ProtoFaultTest, ManyDevices) {
  constexpr int kDevices = 150'000;
  Pb stats;
  for (int i = 0; i < kDevices; ++i) {
    const Pb node = Pb().Text(1, "n").Int(2, 1'000'000 + i).Int(5, 2);
    const std::string name = Format("/device:GPU:%d/stream:1", i);
    stats.Sub(1, Pb().Text(1, name).Sub(2, node));
  }
  const double before = CpuSeconds();
  EXPECT_EQ(Import(tf::ImportStepStats, stats.str()).usable,
            uint64_t{kDevices});
  EXPECT_LT(CpuSeconds() - before, 10 * kCpuFactor);
}

// One node of many outputs, and one that takes them all.
TEST(ProtoFaultTest, ManyInputsAndOutputs) {
  constexpr int kTensors = 100'000;
  Pb producer = Pb().Text(1, "a").Int(2, 1'000'000).Int(5, 2);
  std::string label = "b = Op(a";
  for (int i = 0; i < kTensors; ++i) {
    producer.Sub(7, Pb().Int(1, i).Sub(3, Pb().Int(1, 1)));
    label += Format(", a:%d", i);
  }
  const Pb consumer =
      Pb().Text(1, "b").Int(2, 1'000'010).Int(5, 2).Text(8, label + ")");
  const Pb device = Pb().Text(1, "/cpu:0").Sub(2, producer).Sub(2, consumer);
  const double before = CpuSeconds();
  EXPECT_EQ(Import(tf::ImportStepStats, Pb().Sub(1, device).str()).usable, 2u);
  EXPECT_LT(CpuSeconds() - before, 10 * kCpuFactor);
}

// Before an event says what times are, the file is read by one reader, step by
// step: not from its beginning for each step.
TEST(ProtoFaultTest, NoRecordSaysItsTime) {
  constexpr int kRecords = 2'000'000;
  const Pb event = Pb().Text(1, "name").Int(2, 5);
  Pb tree;
  Pb profile;
  for (int i = 0; i < kRecords; ++i) {
    tree.Sub(2, Pb().Int(1, 5).Int(2, 0).Sub(3, event));
    profile.Sub(1, event);
  }
  const std::string trees = Pb().Text(1, "1.0.2").Sub(3, tree).str();
  const double before = CpuSeconds();
  EXPECT_EQ(Import(paddle::ImportPaddleTree, trees).rejected,
            uint64_t{kRecords});
  EXPECT_EQ(Import(fluid::ImportFluidProfile, profile.str()).rejected,
            uint64_t{kRecords});
  // A second or two; from the beginning each time: half a minute or more.
  EXPECT_LT(CpuSeconds() - before, 15 * kCpuFactor);
}

}  // namespace
}  // namespace stepscope::proto
