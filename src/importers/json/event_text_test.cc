// SPDX-License-Identifier: Apache-2.0
#include "importers/json/event_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace stepscope::json {
namespace {

// All that ReadEvent() says of the object at token `brace`, as text.
std::string Read(const Tokens& tokens, size_t brace, MemberRoom& room) {
  EventText e;
  size_t next = 0;
  const Members::State state = ReadEvent(tokens, brace, room, e, next);
  std::string all = std::to_string(static_cast<int>(state)) + " ";
  if (state != Members::State::kEnd) return all;
  all += std::to_string(next) + " " + std::to_string(e.members);
  for (const std::string_view view :
       {e.name, e.cat, e.ph, e.bp, e.scope, e.instant_scope, e.pid, e.tid, e.ts,
        e.dur, e.id})
    all += " <" + std::string(view) + ">";
  for (const auto members : {e.args, e.others}) {
    all += " |";
    for (const MemberAt& member : members)
      all += " " + std::string(tokens.Text(member.key)) + "=" +
             std::string(tokens.Scalar(member.value)) + "@" +
             std::to_string(member.next);
  }
  return all;
}

class Generator {
 public:
  std::string Event() {
    // Two writers' orders as a rule, and now and then another.
    std::vector<std::string> keys = {"ph",  "cat", "name", "pid",
                                     "tid", "ts",  "dur",  "args"};
    if (OneIn(3)) keys = {"ph", "cat", "s", "name", "pid", "ts", "args"};
    while (OneIn(4)) keys.push_back(kKeys[random_() % std::size(kKeys)]);
    if (OneIn(8)) std::shuffle(keys.begin(), keys.end(), random_);
    if (OneIn(8)) keys.resize(random_() % keys.size());
    std::string text = "{";
    for (const std::string& key : keys) {
      if (text.size() > 1) text += OneIn(4) ? " , " : ",";
      text += Space() + '"' + key + '"' + Space() + ":" + Space() + Value(key);
    }
    text += Space() + "}";
    if (OneIn(10)) text[random_() % text.size()] = ",:{}[]\"x"[random_() % 8];
    return text;
  }

 private:
  static constexpr const char* kKeys[] = {
      "id", "id2",   "bp",    "s",   "scope", "tts", "p",
      "pi", "names", "argss", "dur", "args",  "",    "longer than a word"};

  bool OneIn(uint32_t n) { return random_() % n == 0; }
  std::string Space() { return OneIn(6) ? "\n " : ""; }
  std::string Value(const std::string& key) {
    if (key == "args" && !OneIn(9))
      return R"({"a": [1, {"b": 2}], "ph": "Y", "c": "}"})";
    switch (random_() % 8) {
      case 0:
        return R"({"local": "0x1"})";
      case 1:
        return "[1, [2]]";
      case 2:
        return "\"text\"";
      case 3:
        return "null";
      default:
        return std::to_string(random_() % 1'000'000);
    }
  }

  std::mt19937 random_{11};
};

// What was learned of the events before does not change what is read.
TEST(EventTextTest, TheSameWhateverCameBefore) {
  Generator generator;
  MemberRoom learned;
  int whole = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = generator.Event();
    TokenIndex index;
    ASSERT_TRUE(index.Find(text));
    const Tokens tokens = index.tokens();
    if (tokens.count() == 0 || tokens.kind(0) != '{') continue;
    MemberRoom fresh;
    fresh.Clear(tokens.count());
    learned.Clear(tokens.count());
    const std::string expected = Read(tokens, 0, fresh);
    ASSERT_EQ(Read(tokens, 0, learned), expected) << text;
    whole += expected.starts_with("1 ");
  }
  EXPECT_GT(whole, 10'000);
}

TEST(EventTextTest, LaterMembersWinAndOthersAreKept) {
  MemberRoom room;
  for (int round = 0; round < 3; ++round) {
    const std::string text =
        R"({"ph":"X","ts":1,"ts":2,"tts":3,"args":4,"id2":{"a":"b"}})";
    TokenIndex index;
    ASSERT_TRUE(index.Find(text));
    room.Clear(index.tokens().count());
    EventText event;
    size_t next = 0;
    ASSERT_EQ(ReadEvent(index.tokens(), 0, room, event, next),
              Members::State::kEnd);
    EXPECT_EQ(event.ph, "X");
    EXPECT_EQ(event.ts, "2");
    EXPECT_EQ(event.id, R"({"a":"b"})");
    EXPECT_TRUE(event.args.empty());
    EXPECT_EQ(event.others.size(), 2u);
    EXPECT_EQ(event.members, 6u);
  }
}

}  // namespace
}  // namespace stepscope::json
