// SPDX-License-Identifier: Apache-2.0
//
// Iterations and requests as the page asks for them: whose an event is, windows
// of any size, lists that are cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "server/events/event_json.h"
#include "server/server_test_support.h"
#include "server/serving/serving_json.h"
#include "server/timeline/trace_json.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::server {
namespace {

// "a" (number 1) is read and decodes; "b" (number 2) is read beside it.
constexpr const char* kTwo = R"(
  thread 1 engine
    0..1 request Request stepscope.request=[1,8,0,0] id="a"
    10..30 iteration[prefill] PythonUserDefined stepscope.members=[9,8]
      12..14 launch CudaRuntime correlation=1
    31..32 request Request stepscope.request=[2,90,5,0] id="b"
    33..36 sample Operator
      34..35 late CudaRuntime correlation=4
    37..38 schedule Operator
    40..60 iteration[mixed] PythonUserDefined stepscope.members=[10,1,17,90]
      42..44 launch CudaRuntime correlation=2
    50..50 "request token" Request instant stepscope.request=[1,1]
    70..80 iteration[decode] PythonUserDefined stepscope.members=[10,1]
      72..74 launch CudaRuntime correlation=3
    75..75 "request token" Request instant stepscope.request=[1,1]
    99..99 "request end" Request instant stepscope.request=[1]
  thread 2 other
    12..13 elsewhere Operator
  stream 7 GPU:0
    15..25 prefill Kernel correlation=1
    36..38 argmax Kernel correlation=4
    45..145 mixed Kernel correlation=2
    150..160 decode Kernel correlation=3
    170..177 stray Kernel correlation=99
)";

// The numbers of the first list of that name; null is -1.
std::vector<int64_t> Numbers(const std::string& json, const std::string& key) {
  std::vector<int64_t> numbers;
  const size_t at = json.find("\"" + key + "\":[");
  if (at == json.npos) return {INT64_MIN};
  const char* text = json.c_str() + at + key.size() + 4;
  while (*text != ']') {
    if (text[0] == 'n') {
      numbers.push_back(-1);
      text += 4;
    } else {
      char* end = nullptr;
      numbers.push_back(std::strtoll(text, &end, 10));
      text = end;
    }
    if (*text == ',') ++text;
  }
  return numbers;
}

using List = std::vector<int64_t>;

size_t Occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

Row RowOf(const OpenTrace& open, std::string_view name, size_t nth = 0) {
  const Trace& trace = open.trace();
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.str(trace.name()[row]) == name && nth-- == 0) return row;
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(ServingTest, AnEventIsOfTheIterationThatLaunchedIt) {
  const OpenTrace open(TraceFromText(kTwo));
  ASSERT_NE(open.serving(), nullptr);
  const auto of = [&](std::string_view name, size_t nth = 0) {
    return open.serving()->IterationOf(RowOf(open, name, nth));
  };
  EXPECT_EQ(of("iteration[prefill]"), 0u);
  EXPECT_EQ(of("prefill"), 0u);
  // Launched after the mark, and before the next one.
  EXPECT_EQ(of("late"), 0u);
  EXPECT_EQ(of("sample"), 0u);
  EXPECT_EQ(of("argmax"), 0u);
  EXPECT_EQ(of("schedule"), std::nullopt);
  EXPECT_EQ(of("mixed"), 1u);
  EXPECT_EQ(of("launch", 2), 2u);
  EXPECT_EQ(of("decode"), 2u);
  EXPECT_EQ(of("stray"), std::nullopt);
  EXPECT_EQ(of("elsewhere"), std::nullopt);
  EXPECT_EQ(of("request"), std::nullopt);
  EXPECT_NE(EventJson(open, RowOf(open, "mixed"))
                .find("\"iteration\":{\"index\":1,\"kind\":\"mixed\""),
            std::string::npos);
  EXPECT_NE(EventJson(open, RowOf(open, "mixed"))
                .find("\"member_count\":2,\"members\":[{\"index\":0,\"id\":"
                      "\"a\"},{\"index\":1,\"id\":\"b\"}]"),
            std::string::npos);
  EXPECT_NE(EventJson(open, RowOf(open, "stray")).find("\"iteration\":null"),
            std::string::npos);
}

TEST(ServingTest, RequestsAndIterationsHaveEachOther) {
  const OpenTrace open(TraceFromText(kTwo));
  const std::string requests = RequestsJson(open, BillRule::kTokens);
  EXPECT_EQ(Numbers(requests, "queue"), (List{0, 26}));
  EXPECT_EQ(Numbers(requests, "queue_dur"), (List{10, 14}));
  EXPECT_EQ(Numbers(requests, "prefill"), (List{10, 40}));
  EXPECT_EQ(Numbers(requests, "prefill_dur"), (List{40, 105}));
  EXPECT_EQ(Numbers(requests, "decode"), (List{50, 145}));
  EXPECT_EQ(Numbers(requests, "decode_dur"), (List{49, 0}));
  EXPECT_EQ(Occurrences(requests, "[\"a\","), 1u);
  // Cut, and said so.
  const std::string cut = RequestsJson(open, BillRule::kTokens, 1);
  EXPECT_NE(cut.find("{\"count\":2,"), std::string::npos);
  EXPECT_EQ(Numbers(cut, "queue"), List{0});
  EXPECT_EQ(Occurrences(cut, "[\"b\","), 0u);

  const std::string a = RequestJson(open, 0, BillRule::kTokens);
  EXPECT_NE(a.find("\"id\":\"a\",\"start\":0,\"dur\":160"), std::string::npos);
  EXPECT_NE(a.find("\"iteration_count\":3"), std::string::npos);
  EXPECT_NE(a.find("[0,10,\"prefill\",8,12]"), std::string::npos) << a;
  EXPECT_NE(a.find("[1,40,\"decode\",1,1]"), std::string::npos) << a;
  const std::string mixed = IterationJson(open, 1, BillRule::kTokens);
  EXPECT_NE(mixed.find("\"start\":40,\"dur\":20,\"until\":145"),
            std::string::npos);
  EXPECT_NE(mixed.find("[0,\"a\",\"decode\",1,1]"), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("[1,\"b\",\"prefill\",90,99]"), std::string::npos);
  EXPECT_EQ(ServesJson(open),
            "{\"count\":3,\"requests\":2,"
            "\"kinds\":[\"prefill\",\"decode\",\"mixed\"],\"groups\":[1],"
            "\"concluded\":false}");
  EXPECT_NE(TraceJson(open).find("\"serves\":true"), std::string::npos);
}

TEST(ServingTest, DeviceTimeIsSharedByTheRuleThatIsAskedFor) {
  const OpenTrace open(TraceFromText(kTwo));
  const auto shares = [&](BillRule bill, const char* a, const char* b) {
    const std::string json = IterationJson(open, 1, bill);
    EXPECT_NE(json.find(a), std::string::npos) << json;
    EXPECT_NE(json.find(b), std::string::npos) << json;
  };
  shares(BillRule::kRequests, "[0,\"a\",\"decode\",1,50]",
         "[1,\"b\",\"prefill\",90,50]");
  // What the iteration that only decodes takes.
  shares(BillRule::kDecodeFirst, "[0,\"a\",\"decode\",1,10]",
         "[1,\"b\",\"prefill\",90,90]");
  shares(BillRule::kTokens, "[0,\"a\",\"decode\",1,1]",
         "[1,\"b\",\"prefill\",90,99]");
  EXPECT_NE(
      RequestJson(open, 0, BillRule::kRequests).find("[1,40,\"decode\",1,50]"),
      std::string::npos);
  EXPECT_NE(RequestsJson(open, BillRule::kRequests),
            RequestsJson(open, BillRule::kTokens));
}

TEST(ServingTest, LatenciesAreThoseOfTheRequests) {
  const OpenTrace open(TraceFromText(kTwo));
  const std::string json = ServingJson(open);
  EXPECT_NE(
      json.find("\"start\":0,\"dur\":160,\"bills\":[{\"name\":\"tokens\","),
      std::string::npos)
      << json;
  const size_t ttft = json.find("\"key\":\"ttft\"");
  ASSERT_NE(ttft, std::string::npos);
  // 50 and 119.
  EXPECT_NE(json.find("\"count\":2,\"p50\":50,\"p90\":119,\"p99\":119", ttft),
            std::string::npos)
      << json;
  const List edges = Numbers(json.substr(ttft), "edges");
  const List counts = Numbers(json.substr(ttft), "counts");
  ASSERT_EQ(edges.size(), counts.size() + 1);
  EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end()));
  EXPECT_EQ(counts.front(), 1);
  EXPECT_EQ(counts.back(), 1);
  EXPECT_LE(edges.front(), 50);
  EXPECT_GT(edges[1], 50);
  EXPECT_GT(edges.back(), 119);
  // The last iteration has no period.
  EXPECT_NE(json.find("period.mixed"), std::string::npos);
  EXPECT_EQ(json.find("period.decode"), std::string::npos);
}

TEST(ServingTest, OthersHaveNothingOfTheKind) {
  const OpenTrace open(TraceFromText(R"(
    thread 1 main
      0..10 step
        2..4 launch CudaRuntime correlation=1
    stream 7 GPU:0
      5..9 gemm Kernel correlation=1
  )"));
  EXPECT_FALSE(MayServe(open.tree()));
  EXPECT_EQ(open.serving(), nullptr);
  EXPECT_NE(TraceJson(open).find("\"serves\":false"), std::string::npos);
  EXPECT_EQ(ServesJson(open),
            "{\"count\":0,\"requests\":0,\"kinds\":[],\"groups\":[],"
            "\"concluded\":false}");
}

// A loop of generate(), which nobody marked: three passes.
TEST(ServingTest, IterationsThatWereConcludedAreOffered) {
  std::string text = "thread 1 main\n";
  std::string device = "stream 7 GPU:0\n";
  for (int i = 0; i < 3; ++i) {
    const int at = i * 100;
    const auto line = [&](int begin, int end, const std::string& rest) {
      return std::to_string(at + begin) + ".." + std::to_string(at + end) +
             " " + rest + "\n";
    };
    const std::string id = " correlation=" + std::to_string(i + 1);
    text += line(0, 10, "aten::embedding Operator") +
            line(12, 20, "aten::linear Operator") +
            line(14, 16, "launch CudaRuntime" + id) +
            line(50, 60, "aten::argmax Operator");
    device += line(20, 45, "gemm Kernel" + id);
  }
  const OpenTrace open(TraceFromText(text + device));
  EXPECT_TRUE(MayServe(open.tree()));
  EXPECT_EQ(ServesJson(open),
            "{\"count\":3,\"requests\":0,\"kinds\":[\"unknown\"],"
            "\"groups\":[1],\"concluded\":true}");
  EXPECT_NE(ServingJson(open).find("\"concluded\":\"iterations concluded from"),
            std::string::npos);
  // The second pass has its kernel, and what its thread did.
  const Row kernel = open.tree().work()[1].row;
  EXPECT_EQ(open.serving()->IterationOf(kernel), 1u);
  EXPECT_EQ(open.serving()->IterationOf(open.tree().work()[1].launch), 1u);
}

// Many iterations of one to three requests, with a kernel or two for each.
std::string RandomServer(std::mt19937& random, int iterations) {
  std::string host = "thread 1 engine\n";
  std::string device = "stream 7 GPU:0\n";
  int64_t now = 0;
  int64_t gpu = 0;
  for (int i = 0; i < iterations; ++i) {
    const int64_t length = 4 + static_cast<int64_t>(random() % 40);
    host += std::to_string(now) + ".." + std::to_string(now + length) +
            " iteration[x] stepscope.members=[";
    const int64_t members = 1 + static_cast<int64_t>(random() % 3);
    for (int64_t k = 0; k < members; ++k)
      host += (k > 0 ? "," : "") + std::to_string(8 * (1 + k) + 2) + ",1";
    const std::string id = std::to_string(i + 1);
    host += "]\n" + std::to_string(now + 1) + ".." + std::to_string(now + 2) +
            " launch CudaRuntime correlation=" + id + "\n";
    gpu = std::max(gpu, now + 1) + static_cast<int64_t>(random() % 5);
    for (uint32_t k = 0; k < 1 + random() % 2; ++k) {
      const int64_t end = gpu + 2 + static_cast<int64_t>(random() % 30);
      device += std::to_string(gpu) + ".." + std::to_string(end) +
                " k Kernel correlation=" + id + "\n";
      gpu = end + static_cast<int64_t>(random() % 3);
    }
    now += length + static_cast<int64_t>(random() % 20);
  }
  return host + device;
}

TEST(ServingTest, AWindowHasAllIterationsAndNoMorePlacesThanPixels) {
  std::mt19937 random(7);
  const OpenTrace open(TraceFromText(RandomServer(random, 300)));
  const Serving& serving = *open.serving();
  const std::vector<IterationRow>& list = serving.iterations().list;
  ASSERT_EQ(list.size(), 300u);
  for (const uint32_t pixels : {1u, 13u, 200u, 20'000u}) {
    const int64_t begin = static_cast<int64_t>(random() % 3000);
    const Stretch window = {
        begin, begin + 1 + static_cast<int64_t>(random() % 6000), pixels};
    int64_t seen = 0;
    for (const IterationRow& one : list)
      seen += one.start_ns < window.end &&
              one.start_ns + one.host_ns > window.begin;
    const std::string json =
        IterationsJson(open, window, std::nullopt, std::optional(2u));
    const List first = Numbers(json, "first");
    const List count = Numbers(json, "count");
    const List start = Numbers(json, "start");
    const List dur = Numbers(json, "dur");
    const List requests = Numbers(json, "requests");
    const List chosen = Numbers(json, "chosen");
    EXPECT_NE(json.find("\"total\":" + std::to_string(seen) + ","),
              std::string::npos);
    EXPECT_LE(first.size(), 2 * pixels + 2);
    int64_t sum = 0;
    for (size_t i = 0; i < first.size(); ++i) {
      sum += count[i];
      bool any = false;
      int64_t most = 0;
      const auto from = static_cast<size_t>(first[i]);
      for (size_t k = from; k < from + static_cast<size_t>(count[i]); ++k) {
        EXPECT_GE(list[k].start_ns, start[i]);
        EXPECT_LE(list[k].start_ns + list[k].host_ns, start[i] + dur[i]);
        most = std::max(most, *list[k].mark.requests);
        for (const Serving::Member& one :
             serving.MembersOf(static_cast<uint32_t>(k)))
          any = any || one.request == 2;
      }
      EXPECT_EQ(requests[i], most);
      EXPECT_EQ(chosen[i], int64_t{any});
    }
    EXPECT_EQ(sum, seen);
  }
  // The first group of tracks is the device; the process comes behind it.
  const auto of_group = [&](uint32_t group) {
    return Numbers(IterationsJson(open, {0, 9000, 100}, group, std::nullopt),
                   "first");
  };
  EXPECT_EQ(of_group(0), List{});
  EXPECT_GT(of_group(1).size(), 10u);
}

// [start, end) of the parts of an answer.
std::vector<Interval> PartsOf(const std::string& json) {
  std::vector<Interval> parts;
  for (size_t at = json.find("[", json.find("[") + 1); at != json.npos;
       at = json.find("[", at + 1)) {
    int64_t start = 0;
    int64_t dur = 0;
    EXPECT_EQ(std::sscanf(json.c_str() + at, "[%*d,%*d,%ld,%ld]", &start, &dur),
              2);
    parts.push_back({start, start + dur});
  }
  return parts;
}

TEST(ServingTest, WorkOfARequestIsThatOfItsIterations) {
  std::mt19937 random(11);
  const OpenTrace open(TraceFromText(RandomServer(random, 200)));
  const Serving& serving = *open.serving();
  const Trace& trace = open.trace();
  const std::vector<bool> chosen = IterationsOfRequest(serving, 1);
  const Stretch whole = {0, 100'000, 20'000};
  // With pixels of 5 ns: every nanosecond of that work, and none of others
  // that are longer than a pixel.
  const std::vector<Interval> parts =
      PartsOf(IterationWorkJson(open, chosen, whole));
  const auto covered = [&](int64_t time) {
    return std::any_of(parts.begin(), parts.end(), [&](const Interval& part) {
      return part.begin <= time && time < part.end;
    });
  };
  for (Row row = 0; row < trace.size(); ++row) {
    if (trace.str(trace.name()[row]) != "k") continue;
    const std::optional<uint32_t> owner = serving.IterationOf(row);
    ASSERT_TRUE(owner);
    const int64_t start = trace.start_ns()[row];
    const int64_t end = trace.end_ns(row);
    if (chosen[*owner]) {
      EXPECT_TRUE(covered(start) && covered(end - 1));
    } else if (end - start > 10) {
      EXPECT_FALSE(covered((start + end) / 2));
    }
  }
  EXPECT_LE(PartsOf(IterationWorkJson(open, chosen, {0, 9000, 20})).size(),
            22u);
  const std::vector<Interval> later =
      PartsOf(IterationWorkJson(open, chosen, {3000, 3400, 400}));
  ASSERT_FALSE(later.empty());
  for (const Interval& part : later) {
    EXPECT_GT(part.end, 3000);
    EXPECT_LT(part.begin, 3400);
  }
}

TEST(ServingTest, AnswersToRequestsThatMakeNoSense) {
  TestFolder folder;
  folder.Write("a.json", ChromeTrace(5));
  std::string serving = ChromeTrace(5, "execute_new_2_cached_5");
  for (size_t at = serving.find("cpu_op"); at != serving.npos;
       at = serving.find("cpu_op"))
    serving.replace(at, 6, "user_annotation");
  folder.Write("b/b.json", serving);
  TestServer server(folder.path());
  const std::string runs = server.Api("runs");
  std::vector<std::string> ids;
  for (size_t at = runs.find("\"t\":\""); at != runs.npos;
       at = runs.find("\"t\":\"", at + 1))
    ids.push_back(TextOf(runs.substr(at), "t"));
  bool serves = false;
  bool other = false;
  for (const std::string& id : ids) {
    ASSERT_EQ(Open(server, id), "ready");
    const std::string answer = server.Api("serving?t=" + id);
    if (StatusOf(answer) != 200) {
      other = true;
      EXPECT_EQ(StatusOf(answer), 404);
      EXPECT_EQ(StatusOf(server.Api("requests?t=" + id)), 404);
      continue;
    }
    serves = true;
    EXPECT_NE(answer.find("\"iterations\":5,\"requests\":0"),
              std::string::npos);
    EXPECT_EQ(StatusOf(server.Api("iteration?index=4&t=" + id)), 200);
    for (const char* wrong :
         {"iteration?index=5", "iteration?", "request?index=0",
          "iterations?group=99", "iterations?t0=9&t1=3", "iterations?request=0",
          "iteration_work?", "iteration_work?iteration=5",
          "iteration_work?iteration=1&px=0"})
      EXPECT_EQ(StatusOf(server.Api(wrong + ("&t=" + id))), 400) << wrong;
  }
  EXPECT_TRUE(serves && other);
}

}  // namespace
}  // namespace stepscope::server
