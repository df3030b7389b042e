// SPDX-License-Identifier: Apache-2.0
//
// The tables that the reference's own guide shows, read back into a Summary
// and printed again: every line must come out as it stands there. Blanks at
// the end of a line are not compared, since the guide lost some of them;
// golden_test.cc compares those.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "report/summary.h"

namespace stepscope {
namespace {

std::string Trimmed(const std::string& text) {
  const size_t end = text.find_last_not_of(' ');
  return end == text.npos ? "" : text.substr(0, end + 1);
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(Trimmed(line));
  }
  return lines;
}

bool IsSeparator(const std::string& line) {
  return line.find("-  -") != line.npos &&
         line.find_first_not_of("- ") == line.npos;
}

// An excerpt, cut into cells by the dashes under its title.
struct Excerpt {
  explicit Excerpt(const std::string& name) {
    const Result<std::string> text =
        ReadFile(std::string(STEPSCOPE_EXCERPTS_FOLDER) + "/" + name + ".txt");
    if (!text) {
      ADD_FAILURE() << text.error().message;
      return;
    }
    lines = Lines(*text);
    std::vector<size_t> starts;
    for (const std::string& line : lines) {
      if (IsSeparator(line)) {
        starts.clear();
        for (size_t i = 0; i < line.size(); ++i) {
          if (line[i] == '-' && (i == 0 || line[i - 1] == ' '))
            starts.push_back(i);
        }
        continue;
      }
      if (line.starts_with("Note")) break;
      if (starts.empty() || line.starts_with("-")) continue;
      std::vector<std::string> cells;
      for (size_t i = 0; i < starts.size(); ++i) {
        const size_t end =
            i + 1 < starts.size() ? starts[i + 1] - 2 : line.size();
        const size_t begin = std::min(starts[i], line.size());
        cells.push_back(
            Trimmed(line.substr(begin, std::max(begin, end) - begin)));
      }
      rows.push_back(cells);
    }
    if (!rows.empty()) rows.erase(rows.begin());  // the headings
  }

  std::vector<std::string> lines;
  std::vector<std::vector<std::string>> rows;
};

int64_t Ns(double ms) { return std::llround(ms * 1e6); }

uint64_t Calls(const std::string& cell) {
  return cell == "-" ? 0 : std::stoull(cell);
}

// "Total / Avg / Max / Min / Ratio". The guide's values are rounded: takes a
// total from which its average comes out as well.
TimeColumn Times(const std::string& cell, uint64_t calls) {
  std::vector<double> values;
  std::istringstream stream(cell);
  for (std::string word; stream >> word;) {
    if (word == "/") continue;
    values.push_back(word == "-" ? -1 : std::stod(word));
  }
  values.resize(5, -1);
  TimeColumn column;
  double total = values[0];
  if (values[1] >= 0 && calls > 0) {
    const double n = static_cast<double>(calls);
    const double low = std::max(total - 0.005, (values[1] - 0.005) * n);
    const double high = std::min(total + 0.005, (values[1] + 0.005) * n);
    if (low < high) total = std::max(0.0, (low + high) / 2);
  }
  column.total_ns = Ns(total);
  column.max_ns = Ns(values[2]);
  column.min_ns = Ns(values[3]);
  column.ratio = values[4] / 100;
  return column;
}

// Compares the printed text with the excerpt, line by line from the start.
void ExpectLines(const Excerpt& excerpt, const Summary& summary,
                 TableOptions options) {
  const std::vector<std::string> have =
      Lines(RenderSummary(summary, options));
  ASSERT_GE(have.size(), excerpt.lines.size());
  for (size_t i = 0; i < excerpt.lines.size(); ++i) {
    EXPECT_EQ(have[i], excerpt.lines[i]) << "line " << i + 1;
  }
}

TableOptions Only(ViewSet view) {
  TableOptions options;
  options.views = view;
  return options;
}

NamedRow Named(const std::vector<std::string>& cells) {
  NamedRow row;
  row.name = cells[0];
  row.calls = Calls(cells[1]);
  row.cpu = Times(cells[2], row.calls);
  row.gpu = Times(cells[3], row.calls);
  return row;
}

TEST(ExcerptTest, Device) {
  const Excerpt excerpt("device");
  Summary summary;
  for (const auto& cells : excerpt.rows) {
    summary.device.push_back({cells[0], std::stod(cells[1]) / 100, {}, {}});
  }
  ExpectLines(excerpt, summary, Only(kDeviceView));
}

TEST(ExcerptTest, Overview) {
  Excerpt excerpt("overview");
  Summary summary;
  summary.has_steps = true;
  bool gpu = false;
  for (const auto& cells : excerpt.rows) {
    if (cells[0].empty()) {
      gpu = true;
      continue;
    }
    const std::string name = cells[0].substr(cells[0].find_first_not_of(' '));
    (gpu ? summary.overview.gpu : summary.overview.cpu)
        .push_back({name, Calls(cells[1]), Ns(std::stod(cells[2])),
                    std::stod(cells[3]) / 100});
  }
  // The guide has one blank less in this line than the program prints.
  for (std::string& line : excerpt.lines) {
    if (line.starts_with("  ") && line.find("GPU Time") != line.npos) {
      line = ' ' + line;
    }
  }
  ExpectLines(excerpt, summary, Only(kOverView));
}

class ModelExcerptTest : public testing::TestWithParam<const char*> {};

TEST_P(ModelExcerptTest, Model) {
  const Excerpt excerpt(GetParam());
  Summary summary;
  summary.has_steps = true;
  for (const auto& cells : excerpt.rows) {
    ModelRow row;
    row.name = cells[0];
    row.name.remove_prefix(row.name.find_first_not_of(' '));
    row.calls = Calls(cells[1]);
    row.cpu = Times(cells[2], row.calls);
    row.gpu = Times(cells[3], row.calls);
    summary.model.push_back(row);
  }
  ExpectLines(excerpt, summary, Only(kModelView));
}

INSTANTIATE_TEST_SUITE_P(All, ModelExcerptTest,
                         testing::Values("model", "model2", "model3"),
                         [](const testing::TestParamInfo<const char*>& test) {
                           return std::string(test.param);
                         });

TEST(ExcerptTest, Distribution) {
  const Excerpt excerpt("distribution");
  ASSERT_EQ(excerpt.rows.size(), 4u);
  const auto ns = [&](size_t row) {
    return Ns(std::stod(excerpt.rows[row][1]));
  };
  Summary summary;
  summary.total_ns = ns(0);
  summary.distribution.communication_ns = ns(1);
  summary.distribution.computation_ns = ns(2);
  summary.distribution.overlap_ns = ns(3);
  summary.distribution.in_steps = {ns(1), ns(2), ns(3)};
  summary.distribution.gpu_calls = 1;
  ExpectLines(excerpt, summary, Only(kDistributedView));
}

TEST(ExcerptTest, Operator) {
  const Excerpt excerpt("operator");
  Summary summary;
  summary.operators.emplace_back();
  std::vector<OperatorRow>& operators = summary.operators[0].rows;
  for (const auto& cells : excerpt.rows) {
    const size_t indent = cells[0].find_first_not_of(' ');
    std::string_view name = cells[0];
    name.remove_prefix(indent);
    const uint64_t calls = Calls(cells[1]);
    const TimeColumn gpu = Times(cells[3], calls);
    if (indent == 0) {
      OperatorRow row;
      row.name = name;
      row.calls = calls;
      row.cpu = Times(cells[2], calls);
      row.gpu = gpu;
      operators.push_back(row);
    } else if (indent == 4) {
      operators.back().inner.back().device.push_back({name, calls, gpu});
    } else if (cells[2].starts_with("-")) {
      operators.back().device.push_back({name, calls, gpu});
    } else {
      operators.back().inner.push_back(
          {name, calls, Times(cells[2], calls), gpu, {}});
    }
  }
  ASSERT_EQ(operators.size(), 2u);
  ExpectLines(excerpt, summary, Only(kOperatorView));
}

TEST(ExcerptTest, Kernel) {
  const Excerpt excerpt("kernel");
  Summary summary;
  for (const auto& cells : excerpt.rows) {
    KernelRow row;
    row.name = cells[0];
    row.calls = Calls(cells[1]);
    row.gpu = Times(cells[2], row.calls);
    summary.kernel.push_back(row);
  }
  ExpectLines(excerpt, summary, Only(kKernelView));
}

TEST(ExcerptTest, MemoryManipulation) {
  const Excerpt excerpt("memory_manipulation");
  Summary summary;
  for (const auto& cells : excerpt.rows) {
    summary.memory_manipulation.push_back(Named(cells));
  }
  ExpectLines(excerpt, summary, Only(kMemoryManipulationView));
}

// A row of 11 characters was cut from the guide's table, and a line of dashes
// added that the program does not print.
TEST(ExcerptTest, UserDefined) {
  Excerpt excerpt("user_defined");
  ASSERT_TRUE(IsSeparator(excerpt.lines.back()));
  excerpt.lines.pop_back();
  Summary summary;
  summary.user_defined.emplace_back();
  for (const auto& cells : excerpt.rows) {
    summary.user_defined[0].rows.push_back({Named(cells), {}, {}});
  }
  NamedRow cut;
  cut.name = "DataPrepare";
  summary.user_defined[0].rows.push_back({cut, {}, {}});
  ExpectLines(excerpt, summary, Only(kUserDefinedView));
}

}  // namespace
}  // namespace stepscope
