// SPDX-License-Identifier: Apache-2.0
//
// The flight recorder in one process: what it keeps, when it saves, what it
// answers. tests/run/flight_test.py has two that train together.
#include <gtest/gtest.h>
#include <stepscope/c.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "recorded.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using testing::Load;
using testing::TempFolder;

// Steps that have begun, and steps that have not.
constexpr char kLate[] = "kind steps\nfirst 0\nlast 1\nfolder window_late\n";
constexpr char kSoon[] =
    "kind steps\nfirst 35\nlast 38\nfolder window_asked_for\n";

std::set<std::string> details;  // of one test at a time
std::atomic<int> ahead{-1};     // likewise; as told last

class Flight {
 public:
  Flight() {
    options_.struct_size = sizeof(options_);
    options_.folder = folder_.path().c_str();
    options_.slow_factor = -1;
    options_.hang_ns = -1;
  }
  ~Flight() { Stop(); }
  stepscope_flight_options& options() { return options_; }
  void Start() {
    ASSERT_EQ(stepscope_flight_start(&options_), STEPSCOPE_OK)
        << stepscope_last_error();
  }
  void Stop() {
    if (stepscope_flight_stop() == STEPSCOPE_OK)
      stepscope_wait(stepscope_session(), 60000);
  }
  void Step(int events = 20) {
    const std::string name = "step " + std::to_string(step_);
    stepscope_end(scope_);
    stepscope_flight_step(step_++);
    scope_ = stepscope_begin(name.c_str(), STEPSCOPE_PROFILE_STEP);
    for (int i = 0; i < events; ++i)
      stepscope_end(stepscope_begin("op", STEPSCOPE_OPERATOR));
  }
  // Only the test's own timeout ends this.
  static void Await(const std::function<bool()>& holds) {
    while (!holds()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::vector<std::string> Windows(const std::string& kind) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("window_") || name.find(kind) == name.npos)
        continue;
      for (const auto& file : fs::directory_iterator(entry.path()))
        if (file.path().extension() == ".sscap")
          found.push_back(file.path().string());
    }
    return found;
  }
  std::string Capture() const {
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.path().extension() == ".sscap") return entry.path().string();
    return "";
  }
  // What the process says of itself.
  std::string Said() const {
    std::error_code error;
    for (fs::directory_iterator entry(folder_ / "control", error);
         !error && entry != fs::directory_iterator(); entry.increment(error))
      if (entry->path().extension() == ".process") {
        std::ifstream file(entry->path());
        return {std::istreambuf_iterator<char>(file), {}};
      }
    return "";
  }
  // Makes a request of the first number that is free; returns it.
  int Ask(const std::string& lines) const {
    const std::string text = "stepscope request 1\n" + lines + "end\n";
    for (int number = 1;; ++number) {
      char name[32];
      std::snprintf(name, sizeof(name), "control/request_%06d", number);
      std::FILE* file = std::fopen((folder_ / name).c_str(), "wx");
      if (file == nullptr) continue;
      std::fwrite(text.data(), 1, text.size(), file);
      std::fclose(file);
      return number;
    }
  }
  void AwaitAnswer(int number, const std::string& answer) const {
    Await([&] {
      const std::string said = Said();
      return said.find("request " + std::to_string(number) + "\n") !=
                 said.npos &&
             said.find("answer " + answer + "\n") != said.npos;
    });
  }
  int64_t step() const { return step_; }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_;
  stepscope_flight_options options_ = {};
  stepscope_scope scope_ = {nullptr, 0};
  int64_t step_ = 0;
};

std::set<std::string> StepsOf(const Trace& trace) {
  std::set<std::string> steps;
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.type()[row] == STEPSCOPE_PROFILE_STEP)
      steps.emplace(trace.str(trace.name()[row]));
  return steps;
}

// Of a file that is complete: nothing of it is rejected.
std::set<std::string> StepsIn(const std::string& path) {
  const auto trace = Load(path);
  if (trace == nullptr) return {};
  uint64_t rejected = 0;
  for (const auto& [reason, bin] : trace->ledger().rejected())
    rejected += bin.count;
  EXPECT_EQ(rejected, 0u);
  return StepsOf(*trace);
}

TEST(Flight, KeepsTheLastSteps) {
  Flight flight;
  flight.options().steps = 10;
  flight.Start();
  for (int i = 0; i < 3000; ++i) flight.Step(400);
  // 1.2 million events are some MB. The watch may see the last of them late,
  // and the writer the first, so the file becomes small while the program goes
  // on. One look at a file that is being written may miss what comes from the
  // ring meanwhile.
  const std::string capture = flight.Capture();
  int absent = 0;
  Flight::Await([&] {
    flight.Step();
    absent = StepsOf(*Load(capture)).contains("step 0") ? 0 : absent + 1;
    return absent >= 3 && fs::file_size(capture) < 1u << 20;
  });
  flight.Stop();
  const auto steps = StepsIn(capture);
  EXPECT_FALSE(steps.contains("step 0"));
  for (int64_t i = flight.step() - 11; i < flight.step(); ++i)
    EXPECT_TRUE(steps.contains("step " + std::to_string(i))) << i;
  EXPECT_EQ(flight.Said(), "");  // it has left the job
}

TEST(Flight, SavesExactlyTheWindowWhenAsked) {
  Flight flight;
  flight.options().steps = 10;
  flight.Start();
  for (int i = 0; i < 50; ++i) flight.Step();
  ASSERT_EQ(stepscope_flight_save("a test"), STEPSCOPE_OK);
  Flight::Await([&] { return !flight.Windows("asked_step_49").empty(); });
  std::set<std::string> expected;
  for (int i = 39; i < 50; ++i) expected.insert("step " + std::to_string(i));
  EXPECT_EQ(StepsIn(flight.Windows("asked")[0]), expected);
}

TEST(Flight, AHangIsSavedOnce) {
  Flight flight;
  flight.options().hang_ns = 300'000'000;
  flight.Start();
  for (int i = 0; i < 5; ++i) flight.Step();
  const stepscope_scope open =
      stepscope_begin("gloo:all_reduce", STEPSCOPE_COMMUNICATION);
  Flight::Await([&] { return !flight.Windows("hang_step_4").empty(); });
  // Longer does not make it another hang: two answers later there is one.
  for (int i = 0; i < 2; ++i) flight.AwaitAnswer(flight.Ask(kLate), "late");
  EXPECT_EQ(flight.Windows("hang_step_4").size(), 1u);
  const auto trace = Load(flight.Windows("hang")[0]);
  ASSERT_NE(trace, nullptr);
  bool found = false;
  for (const ThreadReport& thread : trace->threads())
    for (const Row row : thread.open_scopes)
      found |= trace->str(trace->name()[row]) == "gloo:all_reduce";
  EXPECT_TRUE(found);
  stepscope_end(open);
}

TEST(Flight, SavesAreLimited) {
  Flight flight;
  flight.options().saves_per_hour = 2;
  flight.Start();
  for (int i = 0; i < 30; ++i) flight.Step();
  for (size_t saved = 1; saved <= 2; ++saved) {
    flight.Step();
    stepscope_flight_save("");
    Flight::Await([&] { return flight.Windows("asked").size() == saved; });
  }
  stepscope_flight_save("one too many");
  for (int i = 0; i < 2; ++i) flight.AwaitAnswer(flight.Ask(kLate), "late");
  EXPECT_EQ(flight.Windows("asked").size(), 2u);
}

TEST(Flight, RecordsTheStepsThatAreAskedForInDetail) {
  Flight flight;
  flight.options().detail = [](int on) { details.insert(on ? "on" : "off"); };
  flight.options().ahead = [](int on) { ahead = on; };
  details.clear();
  flight.Start();
  for (int i = 0; i < 30; ++i) flight.Step();
  const int number = flight.Ask(kSoon);
  flight.AwaitAnswer(number, "accepted");
  EXPECT_TRUE(details.empty());
  EXPECT_EQ(ahead, 1);
  while (flight.step() < 45) flight.Step();
  flight.AwaitAnswer(number, "saved");
  EXPECT_EQ(details, (std::set<std::string>{"on", "off"}));
  EXPECT_EQ(ahead, 0);
  EXPECT_EQ(StepsIn(flight.Windows("asked_for")[0]),
            (std::set<std::string>{"step 35", "step 36", "step 37"}));
}

TEST(Flight, OnDemandThereIsNoSessionOtherwise) {
  Flight flight;
  flight.options().flags = STEPSCOPE_FLIGHT_ON_DEMAND;
  flight.Start();
  EXPECT_EQ(stepscope_enabled(), 0);
  for (int i = 0; i < 30; ++i) flight.Step();
  EXPECT_EQ(stepscope_flight_save(""), STEPSCOPE_INVALID);
  const int number = flight.Ask(kSoon);
  flight.AwaitAnswer(number, "accepted");
  while (flight.step() < 45) flight.Step();
  flight.AwaitAnswer(number, "saved");
  EXPECT_EQ(stepscope_enabled(), 0);
  EXPECT_EQ(flight.Capture(), "");
  EXPECT_EQ(StepsIn(flight.Windows("asked_for")[0]),
            (std::set<std::string>{"step 35", "step 36", "step 37"}));
}

TEST(Flight, RequestsThatMakeNoSenseAreLeftAlone) {
  Flight flight;
  flight.Start();
  for (int i = 0; i < 5; ++i) flight.Step();
  flight.Ask("kind save\nfolder ../outside\nreason x\n");
  flight.Ask("kind save\nfolder .hidden\nreason x\n");
  flight.Ask("nonsense\n");
  flight.AwaitAnswer(flight.Ask(kLate), "late");
  EXPECT_FALSE(fs::exists(flight.folder() / "../outside"));
  EXPECT_FALSE(fs::exists(flight.folder() / ".hidden"));
}

// Others may be able to write into the folder of a job. A pipe that nobody
// writes to would hold up whoever opens it.
TEST(Flight, WhatOthersPutIntoTheControlFolderHoldsNothingUp) {
  Flight flight;
  const fs::path control = flight.folder() / "control";
  const std::string victim = flight.folder() / "victim";
  std::ofstream(victim) << "kept";
  flight.Start();
  for (int i = 0; i < 5; ++i) flight.Step();
  Flight::Await([&] { return !flight.Said().empty(); });
  std::string part;
  for (const auto& entry : fs::directory_iterator(control))
    if (entry.path().extension() == ".process")
      part = entry.path().string() + ".part";
  ASSERT_EQ(mkfifo((control / "request_000001").c_str(), 0600), 0);
  fs::create_symlink(victim, control / "request_000002");
  // Into its own place: a link to a file elsewhere, then a pipe.
  while (link(victim.c_str(), part.c_str()) != 0 && errno == EEXIST) {
  }
  flight.AwaitAnswer(flight.Ask(kLate), "late");
  while (mkfifo(part.c_str(), 0600) != 0 && errno == EEXIST) {
  }
  flight.AwaitAnswer(flight.Ask(kLate), "late");
  flight.Stop();
  std::ifstream file(victim);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "kept");
}

TEST(Flight, AControlFolderThatIsALinkIsRefused) {
  Flight flight;
  const fs::path elsewhere = flight.folder() / "elsewhere";
  fs::create_directory(elsewhere);
  fs::create_directory_symlink(elsewhere, flight.folder() / "control");
  EXPECT_NE(stepscope_flight_start(&flight.options()), STEPSCOPE_OK);
  EXPECT_NE(std::string(stepscope_last_error()).find("control"),
            std::string::npos);
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

TEST(Flight, AForkedChildIsNotOfTheJob) {
  Flight flight;
  flight.Start();
  for (int i = 0; i < 5; ++i) flight.Step();
  Flight::Await([&] { return !flight.Said().empty(); });
  const pid_t child = fork();
  if (child == 0) {
    stepscope_flight_step(7);
    _exit(stepscope_flight_stop() == STEPSCOPE_NOT_RUNNING ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_NE(flight.Said(), "");
}

// A stop may come before the watch has run at all.
TEST(Flight, StartsAndStopsInABreath) {
  for (int i = 0; i < 50; ++i) {
    Flight flight;
    flight.Start();
    flight.Step();
    ASSERT_EQ(stepscope_flight_stop(), STEPSCOPE_OK);
    ASSERT_EQ(stepscope_wait(stepscope_session(), 60000), STEPSCOPE_OK);
  }
}

TEST(Flight, WrongOptionsAreRefused) {
  Flight flight;
  flight.options().steps = 5000;
  EXPECT_EQ(stepscope_flight_start(&flight.options()), STEPSCOPE_INVALID);
  EXPECT_NE(std::string(stepscope_last_error()).find("1 to 2000"),
            std::string::npos);
  flight.options().steps = 0;
  flight.Start();
  EXPECT_EQ(stepscope_flight_start(&flight.options()), STEPSCOPE_BUSY);
}

}  // namespace
}  // namespace stepscope
