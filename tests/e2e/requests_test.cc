// SPDX-License-Identifier: Apache-2.0
//
// Request and Iteration of stepscope.h, as a server uses them: what its threads
// say is what the tables of requests and iterations have.
#include "analysis/serving/requests.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "recorded.h"

namespace stepscope {
namespace {

using testing::Recorded;

constexpr int kClients = 6;
constexpr int kRequestsOfClient = 20;
constexpr int64_t kMostTokens = 5;

// A server with continuous batching: clients on threads of their own hand
// requests to the engine's thread, which reads each prompt in one iteration,
// then makes a token in each, and hands the request back.
class Server {
 public:
  struct Job {
    Request request;
    int64_t prompt = 0;
    int64_t wanted = 0;  // tokens
    int64_t made = -1;   // -1: its prompt is not read
  };

  void Run() {
    std::vector<std::thread> clients;
    for (int client = 0; client < kClients; ++client)
      clients.emplace_back([this, client] { Ask(client); });
    std::thread engine([this] { Serve(); });
    for (std::thread& client : clients) client.join();
    engine.join();
  }

  static std::string IdOf(int client, int i) {
    return std::to_string(client) + "/" + std::to_string(i);
  }
  static int64_t PromptOf(int client, int i) { return 10 + client * 20 + i; }
  static int64_t TokensOf(int client, int i) {
    return 1 + (client + i) % kMostTokens;
  }

 private:
  void Ask(int client) {
    for (int i = 0; i < kRequestsOfClient; ++i) {
      const std::string id = IdOf(client, i);
      auto job = std::make_unique<Job>(
          Job{Request(id, PromptOf(client, i),
                      i % 3 == 0 ? "00-4bf92f3577b34da6a3ce929d0e0e4736-"
                                   "00f067aa0ba902b7-01"
                                 : ""),
              PromptOf(client, i), TokensOf(client, i)});
      Job* const raw = job.get();
      std::unique_lock lock(mutex_);
      waiting_.push_back(raw);
      changed_.notify_all();
      changed_.wait(lock, [&] { return raw->made == raw->wanted; });
      lock.unlock();
      if (i % 5 == 0) raw->request.End("Cancelled");
      // Else the destructor ends it.
    }
    const std::lock_guard lock(mutex_);
    ++gone_;
    changed_.notify_all();
  }

  // False: all clients are gone.
  bool TakeWaiting(std::vector<Job*>& batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return !batch.empty() || !waiting_.empty() || gone_ == kClients;
    });
    batch.insert(batch.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    return !batch.empty();
  }

  void Serve() {
    std::vector<Job*> batch;
    while (TakeWaiting(batch)) {
      std::vector<IterationMember> members;
      for (Job* job : batch)
        members.push_back(
            {job->request,
             job->made < 0 ? RequestKind::kPrefill : RequestKind::kDecode,
             job->made < 0 ? job->prompt : 1});
      {
        const Iteration iteration(members);
        std::this_thread::yield();
      }
      const std::lock_guard lock(mutex_);
      std::erase_if(batch, [](Job* job) {
        job->request.Token();
        job->made = std::max<int64_t>(job->made, 0) + 1;
        return job->made == job->wanted;
      });
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job*> waiting_;
  int gone_ = 0;
};

struct Tables {
  explicit Tables(std::shared_ptr<const Trace> recorded)
      : trace(std::move(recorded)),
        iterations(ComputeIterations(EventTree(*trace))),
        requests(ComputeRequests(iterations, BillRule::kTokens)) {
    for (const RequestRow& one : requests.list)
      EXPECT_TRUE(by_id.emplace(one.id, &one).second) << one.id;
  }

  std::shared_ptr<const Trace> trace;  // names are as long as it
  IterationTable iterations;
  RequestTable requests;
  std::map<std::string_view, const RequestRow*> by_id;
};

TEST(Requests, OfManyThreadsAreWhatTheServerDid) {
  Recorded recorded;
  Server().Run();
  const Tables tables(recorded.Finish());
  ASSERT_EQ(tables.by_id.size(), size_t{kClients * kRequestsOfClient});
  int64_t context = 0;
  int64_t generation = 0;
  for (int client = 0; client < kClients; ++client) {
    for (int i = 0; i < kRequestsOfClient; ++i) {
      const std::string id = Server::IdOf(client, i);
      ASSERT_TRUE(tables.by_id.contains(id)) << id;
      const RequestRow& one = *tables.by_id.at(id);
      EXPECT_EQ(one.tokens_in, Server::PromptOf(client, i)) << id;
      EXPECT_EQ(one.tokens_out, Server::TokensOf(client, i)) << id;
      EXPECT_TRUE(one.token_times_recorded);
      EXPECT_EQ(one.error, i % 5 == 0 ? "Cancelled" : "") << id;
      EXPECT_EQ(one.traceparent.empty(), i % 3 != 0) << id;
      // Its prompt, then a token in each but the first.
      const auto iterations = static_cast<int64_t>(one.iterations.size());
      EXPECT_EQ(iterations, Server::TokensOf(client, i)) << id;
      // All phases are known, in their order.
      ASSERT_TRUE(one.queue_ns() && one.ttft_ns() && one.whole()) << id;
      EXPECT_GE(*one.ttft_ns(), *one.queue_ns()) << id;
      EXPECT_EQ(one.tpot_ns().has_value(), *one.tokens_out > 1) << id;
      context += *one.tokens_in;
      generation += *one.tokens_out - 1;
    }
  }
  EXPECT_EQ(tables.iterations.engine, "stepscope");
  EXPECT_EQ(tables.iterations.marks_nested, 0u);
  int64_t listed_context = 0;
  int64_t listed_generation = 0;
  for (const IterationKindRow& row : tables.iterations.kinds) {
    listed_context += row.tokens_context.value_or(0);
    listed_generation += row.tokens_generation.value_or(0);
  }
  EXPECT_EQ(listed_context, context);
  EXPECT_EQ(listed_generation, generation);
}

TEST(Requests, ThatCameBeforeTheRecordingAreAnnouncedOnce) {
  Request early("early", 7);
  Request idle("idle");
  Recorded recorded;
  early.Token();
  early.Token(0);
  early.Token(-4);
  early.Token(3);
  Request moved(std::move(early));
  EXPECT_TRUE(early.ended());  // NOLINT: that is what is tested
  early.Token();
  early.End();
  EXPECT_FALSE(moved.ended());
  moved.End("Timeout");
  moved.Token();
  moved.End();
  EXPECT_TRUE(moved.ended());
  const Tables tables(recorded.Finish());
  // Of "idle" nothing was said.
  ASSERT_EQ(tables.requests.list.size(), 1u);
  const RequestRow& one = tables.requests.list.front();
  EXPECT_EQ(one.id, "early");
  EXPECT_EQ(one.tokens_in, 7);
  EXPECT_EQ(one.error, "Timeout");
  ASSERT_TRUE(one.arrival_ns && one.end_ns && one.last_token_ns);
  EXPECT_LE(*one.arrival_ns, *one.last_token_ns);
  EXPECT_LE(*one.last_token_ns, *one.end_ns);
  // It may have had others before.
  EXPECT_EQ(one.first_token_ns, std::nullopt);
  EXPECT_EQ(one.tokens_out, std::nullopt);
}

// More than one list of the collector holds.
TEST(Requests, AnIterationMayHaveMany) {
  constexpr size_t kMany = 500;
  Recorded recorded;
  std::vector<Request> requests;
  for (size_t i = 0; i < kMany; ++i) requests.emplace_back(std::to_string(i));
  std::vector<IterationMember> members;
  for (size_t i = 0; i < kMany; ++i)
    members.push_back({requests[i],
                       i == 3 ? RequestKind::kPrefill : RequestKind::kDecode,
                       i == 3 ? 90 : 1});
  { const Iteration mixed(members); }
  { const Iteration idle({}); }
  { const Iteration verify({{requests[0], RequestKind::kVerify, 4}}); }
  {
    const Iteration two({{requests[0], RequestKind::kVerify, 4},
                         {requests[1], RequestKind::kDraft, 4}});
  }
  const Tables tables(recorded.Finish());
  ASSERT_EQ(tables.requests.list.size(), kMany);
  const std::vector<IterationRow>& list = tables.iterations.list;
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].name, "iteration[mixed]");
  EXPECT_EQ(list[0].mark.requests, int64_t{kMany});
  EXPECT_EQ(list[0].mark.tokens_context, 90);
  EXPECT_EQ(list[0].mark.tokens_generation, int64_t{kMany} - 1);
  EXPECT_EQ(list[1].mark.kind, IterationKind::kIdle);
  EXPECT_EQ(list[2].mark.kind, IterationKind::kVerify);
  EXPECT_EQ(list[3].name, "iteration[unknown]");
  EXPECT_EQ(tables.by_id.at("3")->iterations.front().kind,
            IterationKind::kPrefill);
  EXPECT_EQ(tables.by_id.at("0")->iterations.size(), 3u);
  EXPECT_EQ(tables.by_id.at("499")->iterations.size(), 1u);
}

}  // namespace
}  // namespace stepscope
