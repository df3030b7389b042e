// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_fold.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/record/run_captures.h"
#include "cli/record/run_report.h"
#include "cli/record/run_watch.h"
#include "importers/capture/capture_importer.h"
#include "importers/capture/sample_capture_test_support.h"
#include "importers/import_many.h"
#include "report/info/notes.h"
#include "trace/job/process_ending.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

using capture::CaptureWriter;
using capture::KilledSample;
using capture::MakeKilledSample;
using capture::TempFolder;

std::shared_ptr<const Trace> Import(const std::string& path) {
  Result<std::shared_ptr<const Trace>> trace = ImportCapture(path);
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *trace : nullptr;
}

// What the sample says when it is read with its live file beside it.
std::string Joined(const TempFolder& folder, const KilledSample& sample) {
  folder.Write("joined.sscap.live", sample.live);
  return TraceToText(
      *Import(folder.Write("joined.sscap", sample.capture.bytes)));
}

TEST(RunFoldTest, TheFoldedCaptureSaysWhatBothFilesSaid) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  const std::string live = folder.Write("ring", sample.live);
  const std::string path = folder.Write("x.sscap", sample.capture.bytes);
  const Result<uint64_t> folded = FoldLiveFile(path, live, "exit 0");
  ASSERT_TRUE(folded) << folded.error().message;
  EXPECT_GT(*folded, 0u);
  const auto trace = Import(path);
  EXPECT_EQ(TraceToText(*trace), Joined(folder, sample));
  EXPECT_TRUE(trace->complete());
  EXPECT_EQ(trace->ledger().kept(),
            capture::kSampleEvents + capture::kSampleSideRecords);
  EXPECT_EQ(trace->ledger().seen(), trace->ledger().kept());
  ASSERT_EQ(trace->notes().size(), 2u);  // and what the sample lost
  EXPECT_NE(trace->notes()[0].find("_exit (code 0)"), std::string::npos);
}

TEST(RunFoldTest, OnceIsEnough) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  const std::string live = folder.Write("ring", sample.live);
  const std::string path = folder.Write("x.sscap", sample.capture.bytes);
  ASSERT_TRUE(FoldLiveFile(path, live, "exit 0"));
  const std::string once = *ReadFile(path);
  ASSERT_TRUE(FoldLiveFile(path, live, "signal 9"));
  EXPECT_EQ(*ReadFile(path), once);
}

TEST(RunFoldTest, ABlockThatAKillCutOffIsTakenFromTheRing) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  const std::string live = folder.Write("ring", sample.live);
  // Every length from the last block's header on.
  const size_t last = sample.capture.blocks.back();
  for (size_t size = last; size < sample.capture.bytes.size(); size += 3) {
    KilledSample cut = sample;
    cut.capture.bytes.resize(size);
    const std::string path = folder.Write("x.sscap", cut.capture.bytes);
    ASSERT_TRUE(FoldLiveFile(path, live, "unknown")) << size;
    const auto trace = Import(path);
    EXPECT_EQ(TraceToText(*trace), Joined(folder, cut)) << size;
    EXPECT_EQ(trace->notes().size(), 2u) << size;
  }
}

TEST(RunFoldTest, AnotherRingsLiveFileChangesNothing) {
  const TempFolder folder;
  KilledSample sample = MakeKilledSample();
  sample.live[20] = 'x';  // in ring_id
  const std::string live = folder.Write("ring", sample.live);
  const std::string path = folder.Write("x.sscap", sample.capture.bytes);
  EXPECT_FALSE(FoldLiveFile(path, live, "exit 0"));
  EXPECT_EQ(*ReadFile(path), sample.capture.bytes);
  EXPECT_FALSE(FoldLiveFile(path, folder.path("none"), "exit 0"));
  EXPECT_FALSE(FoldLiveFile(folder.path("none"), live, "exit 0"));
}

TEST(RunFoldTest, ADiskWithoutRoomChangesNothing) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  const std::string live = folder.Write("ring", sample.live);
  const std::string path = folder.Write("x.sscap", sample.capture.bytes);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = sample.capture.bytes.size() + 10;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  const Result<uint64_t> folded = FoldLiveFile(path, live, "exit 0");
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  ASSERT_FALSE(folded);
  EXPECT_EQ(*ReadFile(path), sample.capture.bytes);
  EXPECT_FALSE(FileExists(path + ".part"));
}

TEST(RunCapturesTest, OnlyEmptyLiveFilesThatNobodyHasOpenAreRemoved) {
  const TempFolder folder;
  const auto write = [&](const char* name, const std::string& bytes) {
    return folder.Write("stepscope-" + std::string(name) + ".sscap.live",
                        bytes);
  };
  const KilledSample sample = MakeKilledSample();
  const std::string empty = capture::MakeLive(1, 0, {}, {}, {});
  const std::string full = write("1-full", sample.live);
  const std::string unfinished = write("2-unfinished", "");
  const std::string gone = write("3-empty", empty);
  const std::string open = write("4-open", empty);
  const std::string other = folder.Write("else.sscap.live", empty);
  {
    const int fd = ::open(open.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(RemoveEmptyLiveFiles(folder.root()), 2);
    close(fd);
  }
  EXPECT_TRUE(FileExists(full) && FileExists(open) && FileExists(other));
  EXPECT_FALSE(FileExists(unfinished) || FileExists(gone));
  EXPECT_EQ(RemoveEmptyLiveFiles(folder.root()), 1);
  EXPECT_EQ(RemoveEmptyLiveFiles(folder.path("none")), 0);
}

// A process begins to record, records and ends while another run looks at its
// live file: the events in it are the last of that process.
TEST(RunCapturesTest, WhatIsRecordedWhileWeLookIsKept) {
  const TempFolder folder;
  const KilledSample sample = MakeKilledSample();
  const std::string name = "stepscope-1.sscap.live";
  const std::string path =
      folder.Write(name, capture::MakeLive(1, 0, {}, {}, {}));
  int asked = 0;
  const auto ends_now = [&](pid_t) {
    ++asked;
    folder.Write(name, sample.live);
    return false;
  };
  EXPECT_EQ(RemoveEmptyLiveFiles(folder.root(), ends_now), 0);
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(FileExists(path));
}

TEST(ProcessEndingTest, OnlyForceAndFaultsCutShort) {
  EXPECT_FALSE(DescribeEnding("exit 1").cut_short);
  EXPECT_FALSE(DescribeEnding("signal 15").cut_short);
  EXPECT_FALSE(DescribeEnding("exec").cut_short);
  EXPECT_FALSE(DescribeEnding("unknown").cut_short);
  EXPECT_FALSE(DescribeEnding("signal x").cut_short);
  for (const int signal : {SIGKILL, SIGSEGV, SIGABRT, SIGBUS, SIGFPE})
    EXPECT_TRUE(DescribeEnding("signal " + std::to_string(signal)).cut_short);
  EXPECT_NE(DescribeEnding("signal 11").text.find("SIGSEGV"),
            std::string::npos);
}

TEST(ProcessEndingTest, NamesAreClippedBetweenCharacters) {
  EXPECT_EQ(NameProcess(7, "python3 a.py"), "process 7 (python3 a.py)");
  std::string command(59, 'a');
  command += "é and more";
  EXPECT_EQ(NameProcess(7, command),
            "process 7 (" + std::string(59, 'a') + "...)");
}

TEST(RunWatchTest, TheNameOfACaptureHasItsProcess) {
  EXPECT_EQ(PidOfCapture("python3_71_1a2b_0.sscap"), 71);
  EXPECT_EQ(PidOfCapture("my_long_name_71_1a2b_12.sscap"), 71);
  EXPECT_EQ(PidOfCapture("python3_x_1a2b_0.sscap"), 0);
  EXPECT_EQ(PidOfCapture("71_1_0.sscap"), 0);
  EXPECT_EQ(PidOfCapture(".sscap"), 0);
  EXPECT_EQ(PidOfCapture(""), 0);
}

TEST(RunReportTest, OnlyWhatIsUnusualIsSaidAndOnce) {
  EXPECT_TRUE(DescribeProcesses({{1, "a", "exit 0", ""},
                                 {2, "a", "unknown", ""},
                                 {3, "a", "signal 15", ""}},
                                {})
                  .empty());
  const auto lines = DescribeProcesses({{4, "a b", "signal 9", ""},
                                        {5, "a c", "signal 9", ""},
                                        {6, "d", "exit 0", "disk full"}},
                                       {{7, "e", "/dev/shm/x"}});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].find("2 processes (4 (a b) and others): was killed"), 0u);
  EXPECT_NE(lines[1].find("process 6 (d): its last events"), std::string::npos);
  EXPECT_NE(lines[2].find("process 7 (e): still runs"), std::string::npos);
}

TEST(NotesTest, WhatIsNotedOfSeveralProcessesIsSaidOnce) {
  const TempFolder folder;
  for (int pid = 1; pid <= 10; ++pid) {
    CaptureWriter writer(static_cast<uint8_t>(pid));
    writer.Process({{"pid", std::to_string(pid)},
                    {"command", "python3 worker.py " + std::to_string(pid)},
                    {"ended", pid == 10 ? "signal 9" : "exit 0"}});
    writer.Clock(format::ClockKind::kTsc, 0, {capture::MakeAnchor(1000, 500)});
    writer.End(2000);
    folder.Write("x" + std::to_string(pid) + ".sscap", writer.bytes());
  }
  const auto trace = ImportPath(folder.root(), {});
  ASSERT_TRUE(trace) << trace.error().message;
  std::vector<std::string> notes;
  for (const std::string& note : NotesForPeople(**trace))
    if (note.find("process") == 0 || note.find("processes") != note.npos)
      notes.push_back(note);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].find("9 processes (1, 2, 3, 4, 5, 6, 7, 8 and 1 more): "
                          "ended by _exit (code 0)"),
            0u)
      << notes[0];
  EXPECT_EQ(notes[1].find("process 10 (python3 worker.py 10): was killed by "
                          "SIGKILL"),
            0u);
  EXPECT_FALSE((*trace)->complete());
}

}  // namespace
}  // namespace stepscope
