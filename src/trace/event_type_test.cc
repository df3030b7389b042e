// SPDX-License-Identifier: Apache-2.0
//
// Every type that has a name is in the public headers, and the other way round.
#include "trace/event_type.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace stepscope {
namespace {

// What stands from `begin` to the end of that list.
std::string ListIn(const char* header, const std::string& begin) {
  std::ifstream file(std::string(STEPSCOPE_INCLUDE) + "/stepscope/" + header);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const size_t at = text.find(begin);
  if (at == text.npos) return "";
  return text.substr(at, text.find("};", at) - at);
}

TEST(EventTypeTest, PublicListsAreComplete) {
  std::map<std::string, int> in_c;
  const std::string c = ListIn("c.h", "enum stepscope_event_type {");
  const std::regex entry(R"((STEPSCOPE_\w+)\s*=\s*(\d+))");
  for (auto it = std::sregex_iterator(c.begin(), c.end(), entry);
       it != std::sregex_iterator(); ++it)
    in_c[it->str(1)] = std::stoi(it->str(2));
  std::set<int> numbers;
  for (const auto& [name, number] : in_c) {
    EXPECT_TRUE(numbers.insert(number).second) << name;
    EXPECT_NE(EventTypeName(static_cast<uint16_t>(number)), "") << name;
  }
  for (int type = 0; type <= UINT16_MAX; ++type) {
    // Types of Paddle that nobody records with our headers.
    if (type == kDygraphKernelLaunch || type == kStaticKernelLaunch) continue;
    EXPECT_EQ(numbers.contains(type),
              !EventTypeName(static_cast<uint16_t>(type)).empty())
        << type;
  }
  const std::string cc = ListIn("stepscope.h", "enum class EventType");
  for (const auto& [name, number] : in_c)
    EXPECT_TRUE(std::regex_search(cc, std::regex("= " + name + "\\b"))) << name;
}

TEST(EventTypeTest, NamesLeadBack) {
  for (int type = 0; type <= UINT16_MAX; ++type) {
    const std::string_view name = EventTypeName(static_cast<uint16_t>(type));
    if (!name.empty()) {
      EXPECT_EQ(EventTypeByName(name), type);
    }
  }
  EXPECT_EQ(EventTypeByName("request"), STEPSCOPE_REQUEST);
  EXPECT_EQ(EventTypeByName("none"), std::nullopt);
}

}  // namespace
}  // namespace stepscope
