// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/requests.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "analysis/serving/bill.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr BillRule kEveryRule[] = {BillRule::kTokens, BillRule::kRequests,
                                   BillRule::kDecodeFirst};

RequestTable RequestsOf(const std::string& text,
                        BillRule rule = BillRule::kTokens) {
  static std::shared_ptr<const Trace> trace;  // names live as long
  trace = TraceFromText(text);
  return ComputeRequests(*trace, rule);
}

int64_t Billed(const RequestTable& table) {
  int64_t sum = table.outside_ns + table.unknown_ns;
  for (const RequestRow& request : table.list) {
    EXPECT_EQ(request.gpu_ns, request.gpu_prefill_ns + request.gpu_decode_ns);
    int64_t listed = 0;
    for (const RequestIteration& one : request.iterations) listed += one.gpu_ns;
    EXPECT_EQ(request.gpu_ns, listed);
    sum += request.gpu_ns;
  }
  return sum;
}

const RequestRow* Find(const RequestTable& table, std::string_view id) {
  for (const RequestRow& request : table.list)
    if (request.id == id) return &request;
  return nullptr;
}

// "a" (number 1) is read and decodes; "b" (number 2) is read beside it.
constexpr const char* kTwo = R"(
  thread 1 engine
    0..1 request Request stepscope.request=[1,8,0,0] id="a" traceparent="00-ab"
    10..30 iteration[prefill] PythonUserDefined stepscope.members=[9,8]
      12..14 launch CudaRuntime correlation=1
    31..32 request Request stepscope.request=[2,90,5,0] id="b"
    40..60 iteration[mixed] PythonUserDefined stepscope.members=[10,1,17,90]
      42..44 launch CudaRuntime correlation=2
    50..50 "request token" Request instant stepscope.request=[1,1]
    70..80 iteration[decode] PythonUserDefined stepscope.members=[10,1]
      72..74 launch CudaRuntime correlation=3
    75..75 "request token" Request instant stepscope.request=[1,1]
    95..95 "request token" Request instant stepscope.request=[1,2]
    99..99 "request end" Request instant stepscope.request=[1]
  stream 7 GPU:0
    15..25 prefill Kernel correlation=1
    45..145 mixed Kernel correlation=2
    150..160 decode Kernel correlation=3
    170..177 stray Kernel correlation=99
)";

TEST(RequestsTest, HavePhasesTokensAndAShareOfTheDevice) {
  const RequestTable table = RequestsOf(kTwo);
  ASSERT_EQ(table.list.size(), 2u);
  const RequestRow& a = table.list[0];
  EXPECT_EQ(a.id, "a");
  EXPECT_EQ(a.traceparent, "00-ab");
  EXPECT_EQ(a.tokens_in, 8);
  EXPECT_EQ(a.tokens_out, 4);
  EXPECT_TRUE(a.token_times_recorded);
  EXPECT_EQ(a.arrival_ns, 0);
  EXPECT_EQ(a.queue_ns(), 10);
  EXPECT_EQ(a.ttft_ns(), 50);
  EXPECT_EQ(a.tpot_ns(), 15);  // 45 for the three after the first
  EXPECT_EQ(a.token_gaps.p50_ns, 10);
  EXPECT_EQ(a.token_gaps.p99_ns, 25);
  EXPECT_EQ(a.whole()->end, 99);
  EXPECT_EQ(a.iterations.size(), 3u);
  const RequestRow& b = table.list[1];
  EXPECT_EQ(b.arrival_ns, 26);  // it was announced later than it came
  EXPECT_EQ(b.end_ns, std::nullopt);
  EXPECT_EQ(b.whole(), std::nullopt);
  EXPECT_EQ(b.first_token_ns, 145);  // all of its prompt was read
  EXPECT_EQ(b.tokens_out, 1);
  // 100 ns by 1 and 90 tokens: 1.0989 and 98.9 ns.
  EXPECT_EQ(a.gpu_ns, 10 + 1 + 10);
  EXPECT_EQ(b.gpu_prefill_ns, 99);
  EXPECT_EQ(table.unknown_ns, 7);
  EXPECT_EQ(table.total_busy_ns, 127);
  EXPECT_EQ(Billed(table), table.total_busy_ns);
}

TEST(RequestsTest, ShareByTheRuleThatIsAskedFor) {
  const RequestTable equal = RequestsOf(kTwo, BillRule::kRequests);
  EXPECT_EQ(Find(equal, "b")->gpu_ns, 50);
  EXPECT_EQ(Billed(equal), equal.total_busy_ns);
  // The one iteration that only decodes took 10.
  const RequestTable first = RequestsOf(kTwo, BillRule::kDecodeFirst);
  EXPECT_EQ(Find(first, "b")->gpu_ns, 90);
  EXPECT_EQ(Find(first, "a")->gpu_decode_ns, 10 + 10);
  EXPECT_EQ(Billed(first), first.total_busy_ns);
  for (const BillRule rule : kEveryRule)
    EXPECT_EQ(BillRuleByName(NameOf(rule)), rule);
  EXPECT_EQ(BillRuleByName("token"), std::nullopt);
}

TEST(RequestsTest, TokensThatNobodyRecordedAreConcluded) {
  const RequestTable table = RequestsOf(R"(
    thread 1 engine
      5..6 request Request stepscope.request=[1,-1,0,1] id="x"
      10..20 iteration[prefill] stepscope.members=[9,5]
        12..13 launch CudaRuntime correlation=1
      30..40 iteration[decode] stepscope.members=[10,1]
      50..60 iteration[decode] stepscope.members=[10,1]
    stream 7 GPU:0
      15..25 prefill Kernel correlation=1
  )");
  ASSERT_EQ(table.list.size(), 1u);
  const RequestRow& x = table.list[0];
  EXPECT_FALSE(x.token_times_recorded);
  EXPECT_EQ(x.arrival_ns, std::nullopt);  // an iteration named it
  EXPECT_EQ(x.first_iteration_ns, 10);
  EXPECT_EQ(x.first_token_ns, 25);  // when the device was done
  EXPECT_EQ(x.tokens_out, 3);
  EXPECT_EQ(x.last_token_ns, 60);
  EXPECT_EQ(x.tpot_ns(), 17);
}

// The front end takes the request; two ranks of the engine work on it.
TEST(RequestsTest, OneThatSeveralProcessesTellOfIsOne) {
  const std::string rank = R"(
    thread 1 engine
      8..9 request Request stepscope.request=[1,-1,0,1] id="a"
      10..20 iteration[prefill] stepscope.members=[9,5]
        12..13 launch CudaRuntime correlation=1
      30..40 iteration[decode] stepscope.members=[10,1]
    stream 7 GPU:0
      15..25 prefill Kernel correlation=1
)";
  const RequestTable table = RequestsOf(R"(
    process 1 name=front
    thread 1 main
      1..2 request Request stepscope.request=[77,5,0,0] id="a"
      50..50 "request token" Request instant stepscope.request=[77,1]
      60..60 "request end" Request instant stepscope.request=[77] error="Timeout"
    process 2 rank=0
)" + rank + "    process 3 rank=1\n" + rank);
  ASSERT_EQ(table.list.size(), 1u);
  const RequestRow& a = table.list[0];
  EXPECT_EQ(a.arrival_ns, 1);
  EXPECT_EQ(a.tokens_in, 5);
  EXPECT_EQ(a.tokens_out, 1);
  EXPECT_EQ(a.error, "Timeout");
  EXPECT_EQ(a.gpu_ns, 20);  // of both ranks
  ASSERT_EQ(a.iterations.size(), 4u);
  EXPECT_EQ(a.iteration_count(), 2);
  EXPECT_EQ(a.iterations[0].repeats_another_rank +
                a.iterations[1].repeats_another_rank,
            1);
  EXPECT_EQ(Billed(table), table.total_busy_ns);
}

// The front end gives an id again, once while it is in use, and the engine
// names whom it works on at the time.
TEST(RequestsTest, OfAnIdThatComesAgainTheLatestThatGoesOn) {
  const RequestTable table = RequestsOf(R"(
    process 1 name=front
    thread 1 main
      1..1 request Request instant stepscope.request=[71,1,0,0] id="a"
      10..10 "request end" Request instant stepscope.request=[71]
      20..20 request Request instant stepscope.request=[72,2,0,0] id="a"
      30..30 request Request instant stepscope.request=[73,3,0,0] id="a"
      40..40 "request end" Request instant stepscope.request=[73]
    process 2 rank=0
    thread 1 engine
      5..5 request Request instant stepscope.request=[1,-1,0,1] id="a"
      6..7 iteration[decode] stepscope.members=[10,1]
      8..8 "request end" Request instant stepscope.request=[1]
      32..32 request Request instant stepscope.request=[2,-1,0,1] id="a"
      33..34 iteration[decode] stepscope.members=[18,3]
      35..35 "request end" Request instant stepscope.request=[2]
      45..45 request Request instant stepscope.request=[3,-1,0,1] id="a"
      46..47 iteration[decode] stepscope.members=[26,2]
  )");
  ASSERT_EQ(table.list.size(), 3u);
  for (const RequestRow& one : table.list) {
    ASSERT_EQ(one.iterations.size(), 1u);
    EXPECT_EQ(one.iterations[0].tokens, one.tokens_in);
  }
}

// Two replicas of an engine with marks alike work on different requests.
TEST(RequestsTest, ReplicasDoNotRepeatEachOther) {
  const std::shared_ptr<const Trace> trace = TraceFromText(R"(
    process 1 rank=0
    thread 1 engine
      8..9 request Request stepscope.request=[1,-1,0,1] id="a"
      10..20 iteration[prefill] stepscope.members=[9,5]
    process 2 rank=1
    thread 1 engine
      8..9 request Request stepscope.request=[1,-1,0,1] id="b"
      10..20 iteration[prefill] stepscope.members=[9,5]
  )");
  const IterationTable table = ComputeIterations(EventTree(*trace));
  ASSERT_EQ(table.kinds.size(), 1u);
  EXPECT_EQ(table.kinds[0].count, 2u);
  EXPECT_EQ(table.kinds[0].tokens_context, 10);
}

// The first iteration and token that were recorded are the first only if its
// whole prompt was read in the recording.
TEST(RequestsTest, OfOneThatCameBeforeTheRecordingTheBeginningIsNotKnown) {
  const RequestTable table = RequestsOf(R"(
    thread 1 engine
      100..101 request Request stepscope.request=[1,5,80,0] id="late"
      101..101 "request token" Request instant stepscope.request=[1,1]
      110..120 iteration[decode] stepscope.members=[10,1]
        112..113 launch CudaRuntime correlation=1
      125..125 "request token" Request instant stepscope.request=[1,1]
      126..127 request Request stepscope.request=[2,8,60,0] id="waited"
      130..140 iteration[prefill] stepscope.members=[17,8]
      145..145 "request token" Request instant stepscope.request=[2,1]
      150..150 "request end" Request instant stepscope.request=[1]
    stream 7 GPU:0
      115..118 decode Kernel correlation=1
  )");
  ASSERT_EQ(table.list.size(), 2u);
  const RequestRow& late = *Find(table, "late");
  EXPECT_EQ(late.arrival_ns, 20);
  EXPECT_EQ(late.queue_ns(), std::nullopt);
  EXPECT_EQ(late.ttft_ns(), std::nullopt);
  EXPECT_EQ(late.tpot_ns(), std::nullopt);
  EXPECT_EQ(late.tokens_out, std::nullopt);
  EXPECT_EQ(late.prefill(), std::nullopt);
  EXPECT_EQ(late.decode(), std::nullopt);
  EXPECT_EQ(late.whole()->end, 150);
  EXPECT_EQ(late.token_gaps.p50_ns, 24);  // was recorded from end to end
  EXPECT_EQ(late.gpu_ns, 3);
  const RequestRow& waited = *Find(table, "waited");
  EXPECT_EQ(waited.queue_ns(), 130 - 66);
  EXPECT_EQ(waited.ttft_ns(), 145 - 66);
  EXPECT_EQ(waited.tokens_out, 1);
}

TEST(RequestsTest, TokensOfABatchAreOneEvent) {
  const RequestTable table = RequestsOf(R"(
    thread 1 engine
      1..2 request Request stepscope.request=[1,5,0,0] id="a"
      2..3 request Request stepscope.request=[2,5,0,0] id="b"
      10..10 "request token" Request instant stepscope.request=[1,1,2,3]
      20..20 "request token" Request instant stepscope.request=[2,1,1,2,2]
  )");
  ASSERT_EQ(table.list.size(), 2u);
  EXPECT_EQ(Find(table, "a")->tokens_out, 3);
  EXPECT_EQ(Find(table, "b")->tokens_out, 4);  // a number without a count: none
  EXPECT_EQ(Find(table, "a")->first_token_ns, 10);
  EXPECT_EQ(Find(table, "b")->last_token_ns, 20);
}

TEST(RequestsTest, AnIdThatIsUsedAgainIsAnotherRequest) {
  const RequestTable table = RequestsOf(R"(
    thread 1 engine
      1..2 request Request stepscope.request=[1,5,0,0] id="a"
      10..10 "request end" Request instant stepscope.request=[1]
      11..12 request Request stepscope.request=[2,6,0,0] id="a"
      13..14 request Request stepscope.request=[3,7,0,0] id="a"
      20..20 "request token" Request instant stepscope.request=[3,1]
  )");
  ASSERT_EQ(table.list.size(), 3u);
  EXPECT_EQ(table.list[0].end_ns, 10);
  EXPECT_EQ(table.list[1].tokens_out, std::nullopt);
  EXPECT_EQ(table.list[2].tokens_in, 7);
  EXPECT_EQ(table.list[2].tokens_out, 1);
}

// The recorder forgets whom only iterations name.
TEST(RequestsTest, OneThatIsNamedAgainUnderANewNumberIsTheSame) {
  const RequestTable table = RequestsOf(R"(
    thread 1 engine
      1..2 request Request stepscope.request=[1,-1,0,1] id="a"
      10..20 iteration[prefill] stepscope.members=[9,5]
      21..22 request Request stepscope.request=[2,-1,0,1] id="a"
      30..40 iteration[decode] stepscope.members=[18,1]
  )");
  ASSERT_EQ(table.list.size(), 1u);
  EXPECT_EQ(table.list[0].iterations.size(), 2u);
}

TEST(RequestsTest, NonsenseIsLeftOut) {
  const RequestTable table = RequestsOf(R"(
    thread 1 engine
      1..2 request Request stepscope.request=[] id="nobody"
      2..3 request Request id="numberless"
      3..4 request Request stepscope.request=[1,-7,-9,0] id="a"
      5..5 "request token" Request instant stepscope.request=[1,-1]
      5..5 "request token" Request instant stepscope.request=[1,9223372036854775807]
      6..6 "request token" Request instant stepscope.request=[5,1]
      6..7 strange Request stepscope.request=[1]
      10..20 iteration[decode] stepscope.members=[-1,5,15,3,10,-4,10,9223372036854775807,10]
      12..14 iteration[decode] stepscope.members=[10,1]
      30..40 iteration[wrong] stepscope.members=[]
  )");
  ASSERT_EQ(table.list.size(), 2u);  // "a", and number 5, of which no more is
  const RequestRow& a = *Find(table, "a");
  EXPECT_EQ(a.tokens_in, std::nullopt);
  EXPECT_EQ(a.arrival_ns, 3);
  ASSERT_EQ(a.iterations.size(), 1u);
  EXPECT_EQ(a.iterations[0].kind, IterationKind::kUnknown);
  EXPECT_EQ(a.iterations[0].tokens, 3);
  EXPECT_NE(Find(table, ""), nullptr);
  EXPECT_EQ(Billed(table), table.total_busy_ns);
}

TEST(RequestsTest, DeviceTimeWithoutIterationsIsOutside) {
  const RequestTable table = RequestsOf(R"(
    thread 1 engine
      1..2 request Request stepscope.request=[1,5,0,0] id="a"
      12..13 launch CudaRuntime correlation=1
    stream 7 GPU:0
      15..25 work Kernel correlation=1
  )");
  EXPECT_EQ(table.outside_ns, 10);
  EXPECT_EQ(Billed(table), 10);
}

TEST(BillTest, LargestRemainder) {
  int64_t parts[3];
  SplitByWeight(10, std::vector<int64_t>{1, 1, 1}, parts);
  EXPECT_EQ(parts[0], 4);
  EXPECT_EQ(parts[1], 3);
  SplitByWeight(7, std::vector<int64_t>{0, 0, 0}, parts);
  EXPECT_EQ(parts[0] + parts[1] + parts[2], 7);
  SplitByWeight(INT64_MAX, std::vector<int64_t>{INT64_MAX, 1, INT64_MAX},
                parts);
  EXPECT_EQ(parts[1], 1);  // 0.4999..., the others have .25
  EXPECT_EQ(parts[0], parts[2]);
  EXPECT_EQ(parts[0] + parts[1] + parts[2], INT64_MAX);
}

// Whatever engines do: all rules bill all of the device's time, to the
// nanosecond, and nobody's share is negative.
TEST(RequestsTest, BillsAddUpWhateverHappens) {
  std::mt19937 random(31);
  const auto upto = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  for (int round = 0; round < 60; ++round) {
    std::string host;
    std::string device[2];
    int64_t now = 1;
    const auto event = [&](std::string& out, int64_t from, int64_t to,
                           const std::string& rest) {
      out +=
          std::to_string(from) + ".." + std::to_string(to) + " " + rest + "\n";
    };
    int64_t correlation = 0;
    for (int i = 0; i < 30; ++i) {
      std::string members;
      for (int64_t k = upto(6); k-- > 0;) {
        members += (members.empty() ? "" : ",") +
                   std::to_string(upto(9) * 8 + upto(5)) + "," +
                   std::to_string(upto(300));
      }
      const bool marked = upto(8) != 0;
      const int64_t end = now + 20 + upto(30);
      if (marked) {
        event(host, now, end,
              "iteration[mixed] stepscope.members=[" + members + "]");
      }
      for (int64_t k = upto(4); k-- > 0;) {
        const int64_t at = now + 1 + upto(15);
        event(host, at, at,
              "launch CudaRuntime instant correlation=" +
                  std::to_string(++correlation));
        const int64_t begin = at + upto(100);
        const bool known = upto(9) != 0;
        event(device[upto(2)], begin, begin + upto(60),
              "k Kernel correlation=" +
                  std::to_string(known ? correlation : correlation + 1000));
      }
      now = end + 1 + upto(10);
    }
    const std::string text = "thread 1 a\n" + host + "stream 7 GPU:0\n" +
                             device[0] + "stream 8 GPU:0\n" + device[1];
    for (const BillRule rule : kEveryRule) {
      const RequestTable table = RequestsOf(text, rule);
      ASSERT_EQ(Billed(table), table.total_busy_ns) << text;
      for (const RequestRow& request : table.list) {
        ASSERT_GE(request.gpu_prefill_ns, 0);
        ASSERT_GE(request.gpu_decode_ns, 0);
      }
    }
  }
}

}  // namespace
}  // namespace stepscope
