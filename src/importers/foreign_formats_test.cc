// SPDX-License-Identifier: Apache-2.0
#include "importers/foreign_formats.h"

#include <gtest/gtest.h>

#include <string>

#include "importers/capture/sample_capture_test_support.h"
#include "importers/registry.h"

namespace stepscope {
namespace {

using capture::TempFolder;

std::string Refusal(const std::string& name, const std::string& bytes) {
  const TempFolder folder;
  const auto trace = ImportFile(folder.Write(name, bytes));
  if (trace) return "was read";
  EXPECT_EQ(trace.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(trace.error().message.find('\n'), std::string::npos);
  return trace.error().message;
}

void ExpectNamed(const std::string& name, const std::string& bytes,
                 const std::string& what, const std::string& remedy) {
  const std::string message = Refusal(name, bytes);
  EXPECT_NE(message.find(what), std::string::npos) << message;
  EXPECT_NE(message.find(remedy), std::string::npos) << message;
}

TEST(ForeignFormatsTest, EachIsNamedWithItsRemedy) {
  ExpectNamed("a.nsys-rep", "any bytes", "a report of Nsight Systems",
              "nsys export --type sqlite ");
  ExpectNamed("a.qdrep", "any bytes", "a report of Nsight Systems",
              "nsys export --type sqlite ");
  ExpectNamed("a", std::string("NVR\0\1\0\0\0", 8),
              "a report of Nsight Compute", "nsys profile");
  ExpectNamed("a", "PK\x03\x04 and more", "a zip archive", "unzip ");
  ExpectNamed("a.html",
              "<html>\n<head><meta charset=\"utf-8\" /><title>GPU Memory "
              "Profile HTML</title></head>",
              "a picture and no figures", ".json.gz");
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  ExpectNamed("a.tar.gz", tar, "a tar archive", "tar -xf ");
  ExpectNamed("a",
              "\x07\x0a\x05"
              "0.0.4\x10",
              "Chakra", "torch.profiler");
  ExpectNamed("a.json",
              R"({"schema": "1.1.1-chakra.0.0.4", "pid": 7, "nodes": []})",
              "an execution trace", "torch.profiler");
  ExpectNamed("a.json",
              R"({"$schema":"https://www.speedscope.app/)"
              R"(file-format-schema.json","profiles":[]})",
              "a speedscope file", "py-spy record -f chrometrace");
  ExpectNamed("a.cpuprofile",
              R"({"nodes":[{"id":1,"callFrame":{"functionName":"f"}}]})",
              "a CPU profile", "node --trace-event-categories");
  ExpectNamed("perf.data", "PERFILE2\x68 and more", "a recording of perf",
              "stepscope run");
}

TEST(ForeignFormatsTest, PointerHasTheNameOfWhatItPointsTo) {
  ExpectNamed("a.nsys-rep",
              "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
              "a Git LFS pointer", "git lfs pull");
}

TEST(ForeignFormatsTest, NothingIsSaidOfOtherFiles) {
  for (const std::string bytes :
       {"", "{}", "notes", "\x07\x0a\x05 0.0.", "{\"nodes\": [1, 2]}"})
    EXPECT_EQ(NameForeignFormat(
                  std::span(reinterpret_cast<const uint8_t*>(bytes.data()),
                            bytes.size()),
                  "x"),
              "")
        << bytes;
}

#ifdef STEPSCOPE_TEST_JSON
TEST(ForeignFormatsTest, EventsMayStandBehindMetadata) {
  const std::string event =
      R"({"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1})";
  const TempFolder folder;
  for (const size_t bytes : {100, 5000, 300'000, 1'000'000}) {
    const std::string metadata =
        R"({"metadata": {"text": "[\"{)" + std::string(bytes, 'x') + R"("}, )";
    const auto trace = ImportFile(folder.Write(
        "a.json", metadata + R"("traceEvents": [)" + event + "]}"));
    ASSERT_TRUE(trace) << bytes << trace.error().message;
    EXPECT_EQ((*trace)->size(), 1u);
    // An array, whose first event has its type behind long arguments.
    const auto array = ImportFile(folder.Write(
        "b.json", R"([{"args": {"text": ")" + std::string(bytes, 'x') +
                      R"("}, )" + event.substr(1) + "]"));
    ASSERT_TRUE(array) << bytes << array.error().message;
    EXPECT_EQ((*array)->size(), 1u);
    // Far behind, only a key of the document itself counts.
    if (bytes < Importer::kHeadBytes) continue;
    EXPECT_FALSE(ImportFile(
        folder.Write("c.json", metadata + R"("other": {"traceEvents": []}})")));
  }
}
#endif

}  // namespace
}  // namespace stepscope
