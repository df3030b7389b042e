// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/sniff.h"

#include <gtest/gtest.h>

#include <random>

#include "importers/perfetto/perfetto_sample_test_support.h"
#include "importers/proto/samples_test_support.h"

namespace stepscope::proto {
namespace {

constexpr size_t kHead = Importer::kHeadBytes;

// The formats that claim a file which begins so.
std::string Claims(std::string_view head) {
  std::string all;
  for (const Importer* importer :
       {&PaddleTreeImporter(), &FluidImporter(), &StepStatsImporter(),
        &RunMetadataImporter(), &XPlaneImporter(), &PerfettoImporter()}) {
    if (!importer->Sniff(AsBytes(head.substr(0, kHead)))) continue;
    if (!all.empty()) all += ' ';
    all += importer->format();
  }
  return all;
}

TEST(SniffTest, EachSampleIsClaimedOnce) {
  EXPECT_EQ(Claims(PaddleTreeSample()), "paddle-pb");
  EXPECT_EQ(Claims(FluidProfileSample()), "fluid");
  EXPECT_EQ(Claims(XSpaceSample()), "xplane");
  EXPECT_EQ(Claims(PerfettoSample()), "perfetto");
  EXPECT_EQ(Claims(StepStatsSample()), "tf-step-stats");
  EXPECT_EQ(Claims(RunMetadataSample()), "tf-run-metadata");
}

// However short the head is cut, no other format takes the file.
TEST(SniffTest, PartsOfAHeadAreNeverAmbiguous) {
  const std::pair<std::string, std::string_view> samples[] = {
      {PaddleTreeSample(), "paddle-pb"},
      {FluidProfileSample(), "fluid"},
      {StepStatsSample(), "tf-step-stats"},
      {RunMetadataSample(), "tf-run-metadata"},
      {XSpaceSample(), "xplane"},
      {PerfettoSample(), "perfetto"},
  };
  for (const auto& [bytes, format] : samples) {
    size_t told = 0;
    for (size_t size = 0; size <= bytes.size(); ++size) {
      const std::string claims = Claims(bytes.substr(0, size));
      EXPECT_TRUE(claims.empty() || claims == format)
          << format << " cut at " << size << " is " << claims;
      told += claims == format;
    }
    // From the first few records on it is told.
    EXPECT_GT(told, bytes.size() * 3 / 4) << format;
  }
}

TEST(SniffTest, OtherFilesAreLeftAlone) {
  using namespace std::string_view_literals;  // NOLINT: test data
  for (const std::string_view head :
       {""sv, "\n"sv, "\n\n\n\nhello world, this is text\n"sv,
        "{\"traceEvents\": [{\"ph\": \"X\"}]}"sv, "[\n{\"a\": 1}]"sv,
        "\x1f\x8b\x08\0\0\0\0\0"sv, "\x28\xb5\x2f\xfd"sv, "SQLite format 3\0"sv,
        "PK\x03\x04"sv,
        "\x7f"
        "ELF"sv,
        "step_stats {\n  dev_stats {\n    device: \"/job\"\n"sv, "%PDF-1.4"sv,
        "\x89PNG\r\n\x1a\n"sv, "<html>"sv}) {
    EXPECT_EQ(Claims(head), "") << testing::PrintToString(head);
  }
}

TEST(SniffTest, OtherProtobufIsLeftAlone) {
  // A graph, a pprof profile, an ONNX model.
  const Pb graph =
      Pb().Sub(1, Pb().Text(1, "x").Text(2, "Placeholder").Text(4, "/cpu:0"));
  const Pb pprof =
      Pb().Sub(1, Pb().Int(1, 1).Int(2, 2)).Text(6, "").Text(6, "samples");
  const Pb onnx = Pb().Int(1, 8).Text(2, "pytorch").Text(3, "2.0");
  for (const Pb* pb : {&graph, &pprof, &onnx})
    EXPECT_EQ(Claims(pb->str()), "") << testing::PrintToString(pb->str());
}

TEST(SniffTest, RandomBytesAreLeftAlone) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string head(1 + random() % 300, '\0');
    for (char& c : head) c = static_cast<char>(random());
    if (i % 2 == 0) head[0] = '\x0a';  // as all of these formats begin
    EXPECT_EQ(Claims(head), "") << testing::PrintToString(head);
  }
}

}  // namespace
}  // namespace stepscope::proto
