// SPDX-License-Identifier: Apache-2.0
//
// The bytes in docs/formats/capture.md are a capture and mean what it says.
#include <gtest/gtest.h>

#include <sstream>

#include "base/file.h"
#include "importers/capture/capture_importer.h"
#include "importers/capture/sample_capture_test_support.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::capture {
namespace {

// The bytes of all ```hex blocks, by their offsets; "*" repeats a line.
std::string BytesOfDocument(const std::string& text) {
  std::string bytes;
  std::istringstream lines(text);
  std::string line, before;
  bool inside = false;
  bool repeat = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) {
      inside = line == "```hex";
      continue;
    }
    if (!inside) continue;
    if (line == "*") {
      repeat = true;
      continue;
    }
    std::istringstream words(line);
    size_t offset = 0;
    unsigned value = 0;
    words >> std::hex >> offset;
    while (repeat && bytes.size() < offset) bytes += before;
    repeat = false;
    EXPECT_EQ(bytes.size(), offset) << line;
    before.clear();
    while (words >> value) before += static_cast<char>(value);
    bytes += before;
  }
  return bytes;
}

std::string ExampleCapture() {
  CaptureWriter w;
  w.Clock(format::ClockKind::kTsc, 0,
          {MakeAnchor(1000, 500), MakeAnchor(3000, 1500)});
  w.Names({{2, STEPSCOPE_FORWARD, "net"}});
  w.Thread(MakeThread(1, 77, "main"));
  SlotList slots;
  slots.Event(1200, 300, 2);
  slots.Gap(2);
  slots.Open(1210, 2);
  slots.Counter(1220, 2, int64_t{5});
  w.Events(1, 0, 4, 9, 0, slots.slots());
  w.End(3000);
  return w.bytes();
}

TEST(CaptureDocTest, WorkedBytesAreACapture) {
  const Result<std::string> text = ReadFile(STEPSCOPE_CAPTURE_DOC);
  ASSERT_TRUE(text) << text.error().message;
  const std::string bytes = BytesOfDocument(*text);
  ASSERT_EQ(bytes, ExampleCapture());
  const TempFolder folder;
  const auto trace = ImportCapture(folder.Write("x.sscap", bytes));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(TraceToText(**trace),
            "thread 77\n"
            "  100..250 net Forward\n"
            "thread 77 lane 1\n"
            "  105..1000 net Forward open\n");
  ASSERT_EQ((*trace)->counters().size(), 1u);
  EXPECT_EQ((*trace)->counters()[0].int_value, 5);
}

}  // namespace
}  // namespace stepscope::capture
