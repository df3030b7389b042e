// SPDX-License-Identifier: Apache-2.0
//
// Trains the network under the profiler. The profiler's part is what a user
// adds to a training loop: an object, Start(), Step() after each batch, Stop().
#include <stepscope/stepscope.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <utility>

#include "cnn_training/data_loader.h"
#include "cnn_training/options.h"
#include "cnn_training/trainer.h"

namespace cnn {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kSeed = 1;
constexpr int64_t kPrintEvery = 10;  // steps

volatile std::sig_atomic_t interrupted = 0;

void Interrupt(int) { interrupted = 1; }

// What the program measures of itself, profiled or not.
struct Totals {
  int64_t steps = 0;
  float first_loss = 0.0F;
  float last_loss = 0.0F;
  Seconds waiting{0};  // in DataLoader::Next()
  Seconds elapsed{0};
};

Totals Train(const Options& options, stepscope::Profiler* profiler) {
  const Dataset dataset(kTrainingImages, kSeed);
  DataLoader loader(
      dataset, {options.loader_threads, options.batch,
                std::chrono::milliseconds(options.storage_latency_ms), kSeed});
  Trainer trainer(kSeed);
  Totals totals;
  const auto start = Clock::now();
  while ((options.forever || totals.steps < options.steps) &&
         interrupted == 0) {
    const auto before = Clock::now();
    Batch batch = loader.Next();
    totals.waiting += Clock::now() - before;
    if (batch.index % loader.batches_per_epoch() == 0) {
      stepscope::RecordInstant("epoch begins");
    }
    const StepResult result = trainer.Step(std::move(batch));
    if (totals.steps == 0) totals.first_loss = result.loss;
    totals.last_loss = result.loss;
    if (profiler != nullptr) {
      profiler->Step(options.batch);
    } else {
      stepscope_step();  // lets STEPSCOPE_STEPS choose what to record
    }
    if (totals.steps % kPrintEvery == 0) {
      std::printf(
          "step %3lld  loss %.3f  accuracy %.2f %s\n",
          static_cast<long long>(totals.steps),
          static_cast<double>(result.loss),
          static_cast<double>(result.accuracy),
          profiler == nullptr ? "" : profiler->StepInfo("images").c_str());
      std::fflush(stdout);
    }
    ++totals.steps;
  }
  totals.elapsed = Clock::now() - start;
  return totals;
}

void Report(const Totals& totals) {
  std::printf(
      "trained %lld steps in %.2f s (%.1f steps/s), loss %.3f -> %.3f, "
      "waiting for data %.1f %% of the time\n",
      static_cast<long long>(totals.steps), totals.elapsed.count(),
      static_cast<double>(totals.steps) / totals.elapsed.count(),
      static_cast<double>(totals.first_loss),
      static_cast<double>(totals.last_loss),
      100.0 * totals.waiting.count() / totals.elapsed.count());
}

int Run(const Options& options) {
  stepscope::SetThreadName("training");
  std::signal(SIGINT, Interrupt);
  std::signal(SIGTERM, Interrupt);
  std::printf(
      "batches of %lld images, %d loader thread(s), %d ms simulated storage "
      "latency a batch\n",
      static_cast<long long>(options.batch), options.loader_threads,
      options.storage_latency_ms);
  if (!options.profile) {
    Report(Train(options, nullptr));
    return 0;
  }
  stepscope::Profiler profiler(
      {.scheduler =
           stepscope::StepRange(options.profile_begin, options.profile_end),
       .on_trace_ready = stepscope::ExportChromeTracing(options.out)});
  profiler.Start();
  const Totals totals = Train(options, &profiler);
  profiler.Stop();
  Report(totals);
  profiler.Summary();
  std::printf("timeline: %s/*.json, for ui.perfetto.dev or chrome://tracing\n",
              options.out.c_str());
  return 0;
}

}  // namespace
}  // namespace cnn

int main(int argc, char** argv) {
  const auto parsed =
      cnn::ParseOptions({argv + 1, static_cast<size_t>(argc - 1)});
  if (!parsed.error.empty()) {
    std::fprintf(stderr, "cnn_training: %s\n", parsed.error.c_str());
    return 2;
  }
  if (parsed.options.help) {
    std::fputs(cnn::HelpText(), stdout);
    return 0;
  }
  return cnn::Run(parsed.options);
}
