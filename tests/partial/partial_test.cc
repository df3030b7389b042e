// SPDX-License-Identifier: Apache-2.0
//
// Partials: what is stored comes back, what is damaged is noticed, and what is
// reduced is what reading all traces at once gives.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "analysis/partial/codec.h"
#include "analysis/partial/reduce.h"
#include "analysis/random_trace.h"
#include "analysis/ranks/align_set.h"
#include "base/hash.h"
#include "base/lz.h"
#include "report/render_json.h"

namespace stepscope {
namespace {

using Traces = std::vector<std::shared_ptr<const Trace>>;

Traces MakeTraces(uint32_t seed, size_t count) {
  Traces traces;
  for (uint32_t i = 0; i < count; ++i)
    traces.push_back(RandomTrace(seed * 100 + i).Make());
  return traces;
}

// Whether all of them have work of a device (or events that overlap without
// nesting), or none. Of an event inside an API call the call is the parent in a
// trace without, and its caller in others: in a merged trace, for all ranks if
// one has any.
bool AreAlike(const Traces& traces) {
  size_t count = 0;
  for (const auto& trace : traces) {
    const EventTree tree(*trace);
    count += !tree.work().empty() || tree.threads().has_lanes();
  }
  return count == 0 || count == traces.size();
}

Partial MakePartial(uint32_t seed) {
  const std::shared_ptr<const Trace> trace = RandomTrace(seed).Make();
  Partial partial;
  partial.head.stamp = {"rank.json", 1234, 5678, 91011};
  partial.head.facts = FactsOf(*trace, "", "chrome");
  partial.body = MapTrace(*trace, {});
  return partial;
}

TableOptions Asking(ViewSet views) {
  TableOptions options;
  options.format = TableFormat::kJson;
  options.views = views;
  return options;
}

std::string AtOnce(const Traces& traces, const TableOptions& options) {
  TraceSet set{Traces(traces)};
  AlignSet(set);
  const auto merged = TraceSet::Merge(std::move(set));
  return RenderJson(ComputeSummary(**merged, options), options);
}

std::string Reduced(const Traces& traces, TableOptions& options) {
  Reducer reducer;
  for (const auto& trace : traces) {
    Partial partial;
    partial.body = MapTrace(*trace, {});
    // By way of the file: what it does not hold is missing here.
    const Result<Partial> read = DecodePartial(EncodePartial(partial));
    EXPECT_TRUE(read.has_value()) << read.error().message;
    reducer.Add(read->body);
  }
  const auto job = reducer.Finish(options);
  options.views = (*job)->given;
  return RenderJson((*job)->summary, options);
}

// The rows of every table but those of ranks: without collectives and absolute
// time the order of processes is all that these have.
TEST(Reduce, GivesWhatAllTracesAtOnceGive) {
  size_t with_all = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    const Traces traces = MakeTraces(seed, 1 + seed % 4);
    if (!AreAlike(traces)) continue;
    TableOptions options = Asking(kExactPartialViews & ~kRankViews);
    options.sort = static_cast<SortKey>(seed % 9);
    options.op_detail = seed % 5 != 0;
    options.flops = seed % 7 == 0;
    const std::string reduced = Reduced(traces, options);
    // Those that it gave, at once.
    ASSERT_EQ(reduced, AtOnce(traces, options)) << "seed " << seed;
    with_all += options.views == (kExactPartialViews & ~kRankViews);
  }
  EXPECT_GT(with_all, 100u);
}

// Few durations are exact in sketches too.
TEST(Reduce, GivesPercentilesOfFewDurationsExactly) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    const Traces traces = MakeTraces(seed, 2);
    TableOptions options = Asking(kSketchedPartialViews);
    options.op_detail = AreAlike(traces);
    const std::string reduced = Reduced(traces, options);
    ASSERT_EQ(reduced, AtOnce(traces, options)) << "seed " << seed;
  }
}

TEST(Reduce, SaysWhatItCannotGive) {
  const Traces traces = MakeTraces(2, 2);
  Reducer reducer;
  for (const auto& trace : traces) reducer.Add(MapTrace(*trace, {}));
  const auto job = reducer.Finish(Asking(kAllViews));
  EXPECT_NE((*job)->missing.find("Overview"), std::string::npos);
  EXPECT_NE((*job)->missing.find("Critical Path"), std::string::npos)
      << (*job)->missing;
  EXPECT_FALSE((*job)->given & ~kPartialViews);
}

TEST(PartialFile, GivesBackWhatItWasGiven) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    const std::string bytes = EncodePartial(MakePartial(seed));
    const Result<Partial> read = DecodePartial(bytes);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    ASSERT_EQ(EncodePartial(*read), bytes) << "seed " << seed;
    const Result<PartialHead> head = CheckPartial(bytes);
    ASSERT_TRUE(head.has_value());
    EXPECT_EQ(head->stamp, read->head.stamp);
  }
}

TEST(PartialFile, NoticesEveryFlippedByteAndEveryCut) {
  const std::string bytes = EncodePartial(MakePartial(7));
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      ASSERT_FALSE(DecodePartial(damaged).has_value()) << "byte " << i;
      ASSERT_FALSE(CheckPartial(damaged).has_value()) << "byte " << i;
    }
    ASSERT_FALSE(DecodePartial(bytes.substr(0, i)).has_value()) << i;
    ASSERT_FALSE(CheckPartial(bytes.substr(0, i)).has_value()) << i;
  }
  EXPECT_FALSE(DecodePartial(bytes + "x").has_value());
}

TEST(PartialFile, NamesAnotherVersion) {
  std::string bytes = EncodePartial(MakePartial(7));
  bytes[8] = 99;
  const Result<Partial> read = DecodePartial(bytes);
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("version 99"), std::string::npos);
  EXPECT_NE(read.error().message.find("map again"), std::string::npos);
}

uint64_t NumberAt(const std::string& bytes, size_t at) {
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i)
    value |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

void PutNumber(std::string& bytes, uint64_t value) {
  for (unsigned i = 0; i < 64; i += 8)
    bytes += static_cast<char>(value >> i & 0xff);
}

// The same file with other fields of the body, and a checksum that is right.
std::string WithBody(const std::string& bytes,
                     const std::vector<uint8_t>& plain) {
  const size_t body = 16 + 24 + NumberAt(bytes, 16 + 8);
  std::string out = bytes.substr(0, body);
  const std::vector<uint8_t> packed = LzPack(plain);
  const std::string text(packed.begin(), packed.end());
  PutNumber(out, plain.size());
  PutNumber(out, text.size());
  PutNumber(out, Hash64(text) ^ plain.size());
  return out + text;
}

std::vector<uint8_t> BodyOf(const std::string& bytes) {
  const size_t body = 16 + 24 + NumberAt(bytes, 16 + 8);
  std::vector<uint8_t> plain(NumberAt(bytes, body));
  const std::string packed = bytes.substr(body + 24);
  const std::vector<uint8_t> in(packed.begin(), packed.end());
  EXPECT_TRUE(LzUnpack(in, plain));
  return plain;
}

// Who writes partials of their own gets an error or odd tables, and no more.
TEST(PartialFile, SurvivesFieldsThatNobodyWrote) {
  std::mt19937 random(3);
  size_t refused = 0;
  for (uint32_t round = 0; round < 1000; ++round) {
    const std::string bytes = EncodePartial(MakePartial(round % 20));
    std::vector<uint8_t> plain = BodyOf(bytes);
    ASSERT_TRUE(DecodePartial(WithBody(bytes, plain)).has_value());
    for (uint32_t i = 0; i <= random() % 4; ++i)
      plain[random() % plain.size()] = static_cast<uint8_t>(random());
    const Result<Partial> read = DecodePartial(WithBody(bytes, plain));
    if (!read) {
      ++refused;
      continue;
    }
    Reducer reducer;
    reducer.Add(read->body);
    TableOptions options = Asking(kPartialViews);
    const auto job = reducer.Finish(options);
    if (!job) continue;
    options.views = (*job)->given;
    EXPECT_FALSE(RenderJson((*job)->summary, options).empty());
  }
  EXPECT_GT(refused, 100u);
  EXPECT_LT(refused, 960u);
}

}  // namespace
}  // namespace stepscope
