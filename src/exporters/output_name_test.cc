// SPDX-License-Identifier: Apache-2.0
#include "exporters/output_name.h"

#include <gtest/gtest.h>

#include "exporters/exporter.h"

namespace stepscope {
namespace {

std::string_view FormatOf(std::string_view path) {
  const KnownSuffix* const known = SuffixOf(path);
  return known == nullptr ? "" : known->format;
}

TEST(OutputNameTest, FormatByTheName) {
  EXPECT_EQ(FormatOf("a.json"), "chrome");
  EXPECT_EQ(FormatOf("a.paddle_trace.json"), "paddle");
  EXPECT_EQ(FormatOf("a.pt.trace.json.gz"), "kineto");
  EXPECT_EQ(FormatOf("dir.csv/a.pftrace"), "perfetto");
  EXPECT_EQ(FormatOf("a.sscap.zst"), "capture");
  EXPECT_EQ(FormatOf("a.json.gz"), "chrome");
  EXPECT_EQ(FormatOf("a.txt"), "");
  EXPECT_EQ(FormatOf("a.gz"), "");
  EXPECT_EQ(FormatOf("json"), "");
  EXPECT_EQ(FormatOf(""), "");
}

TEST(OutputNameTest, CompressionByTheName) {
  EXPECT_EQ(CompressionOf("a.json.gz"), Compression::kGzip);
  EXPECT_EQ(CompressionOf("a.json.zst"), Compression::kZstd);
  EXPECT_EQ(CompressionOf("a.gz.json"), Compression::kNone);
  EXPECT_EQ(WithoutCompression("x.y/a.json.gz"), "x.y/a.json");
  EXPECT_EQ(WithoutCompression("a.json"), "a.json");
}

TEST(OutputNameTest, WhetherThereIsASuffix) {
  EXPECT_TRUE(HasSuffix("a.txt"));
  EXPECT_FALSE(HasSuffix("dir.d/a"));
  EXPECT_FALSE(HasSuffix(".trace"));
  EXPECT_FALSE(HasSuffix("/dev/stdout"));
  EXPECT_FALSE(HasSuffix("a.gz"));
  EXPECT_FALSE(HasSuffix("-"));
}

TEST(OutputNameTest, EveryFormatHasASuffixAndEverySuffixAFormat) {
  for (const KnownSuffix& known : KnownSuffixes()) {
    EXPECT_NE(FindExporter(known.format), nullptr) << known.suffix;
    EXPECT_NE(SuffixList().find(known.suffix), std::string::npos);
  }
  for (const Exporter* exporter : AllExporters()) {
    bool found = false;
    for (const KnownSuffix& known : KnownSuffixes())
      found = found || known.format == exporter->name();
    EXPECT_TRUE(found) << exporter->name();
  }
}

}  // namespace
}  // namespace stepscope
