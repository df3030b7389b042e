// SPDX-License-Identifier: Apache-2.0
//
// Golden summaries: tests/golden/summary/<trace>.trace, drawn as text, printed
// with some options, must be <want>. STEPSCOPE_UPDATE_GOLDEN=1 rewrites the
// wanted files; read the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/file.h"
#include "report/screen.h"
#include "report/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

const std::string kFolder = STEPSCOPE_GOLDEN_FOLDER;

struct Golden {
  const char* name;   // of the test
  const char* trace;  // without .trace
  const char* want;
  TableOptions options;
};

std::string MustRead(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (text) return *text;
  ADD_FAILURE() << text.error().message;
  return "";
}

class GoldenTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, SummaryIsAsWanted) {
  const Golden& golden = GetParam();
  const std::shared_ptr<const Trace> trace =
      TraceFromText(MustRead(kFolder + "/" + golden.trace + ".trace"));
  const std::string have = *RenderSummaryOfSteps(*trace, golden.options);
  const std::string path = kFolder + "/" + golden.want;
  if (std::getenv("STEPSCOPE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(ReplaceFile(path, have).has_value());
  }
  EXPECT_EQ(have, MustRead(path)) << "wanted: " << path;
}

TableOptions With(TableFormat format) {
  TableOptions options;
  options.format = format;
  return options;
}

TableOptions OneScreen() {
  TableOptions options;
  options.layout = TextLayout::kScreen;
  options.input = "run.sscap";
  FillScreenStyle({}, options);
  return options;
}

TableOptions PercentilesOfGroups() {
  TableOptions options;
  options.views = kPercentileView;
  options.group_digits = true;
  return options;
}

TableOptions ThreadsInMicroseconds() {
  TableOptions options;
  options.sort = SortKey::kGpuAvg;
  options.op_detail = false;
  options.thread_sep = true;
  options.unit = TimeUnit::kUs;
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Summary, GoldenTest,
    testing::Values(
        Golden{"PaddleText", "paddle", "paddle.txt", {}},
        Golden{"PaddleThreads", "paddle", "paddle_threads.txt",
               ThreadsInMicroseconds()},
        Golden{"OneScreenOfAGpu", "paddle", "paddle.screen.txt", OneScreen()},
        Golden{"OneScreenOfLoaderWorkers", "loader_workers",
               "loader_workers.screen.txt", OneScreen()},
        Golden{"OneScreenWithoutSteps", "server", "server.screen.txt",
               OneScreen()},
        Golden{"PercentilesOfGroups", "server", "server.percentiles.txt",
               PercentilesOfGroups()},
        Golden{"PaddleJson", "paddle", "paddle.json",
               With(TableFormat::kJson)},
        Golden{"PaddleCsv", "paddle", "paddle.csv", With(TableFormat::kCsv)},
        Golden{"PaddleMarkdown", "paddle", "paddle.md",
               With(TableFormat::kMarkdown)}),
    [](const testing::TestParamInfo<Golden>& test) {
      return std::string(test.param.name);
    });

}  // namespace
}  // namespace stepscope
