// SPDX-License-Identifier: Apache-2.0
//
// The program as a user runs it: exit codes, what is on which stream, and that
// errors are one line that names the file.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "format/live_file.h"
#include "importers/capture/capture_writer_test_support.h"
#include "importers/capture/sample_capture_test_support.h"

namespace stepscope {
namespace {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

class CliTest : public testing::Test {
 protected:
  CliTest() {
    sample_ = folder_.Write("sample.sscap", capture::EndedSample().bytes);
  }

  // Runs `stepscope <arguments>` in a shell; `to` replaces standard output.
  Outcome Run(const std::string& arguments, std::string to = "") {
    const std::string err = folder_.path("stderr");
    const std::string out = to.empty() ? folder_.path("stdout") : to;
    const std::string command = std::string(STEPSCOPE_PROGRAM) + " " +
                                arguments + " >" + out + " 2>" + err +
                                " </dev/null";
    const int status = std::system(command.c_str());
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (to.empty()) outcome.out = *ReadFile(out);
    outcome.err = *ReadFile(err);
    return outcome;
  }

  // Fails with `code`, nothing on standard output, and one line that says
  // `part`.
  void ExpectError(const std::string& arguments, int code,
                   const std::string& part) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1)
        << outcome.err;
    EXPECT_TRUE(Has(outcome.err, "stepscope: ")) << outcome.err;
    EXPECT_TRUE(Has(outcome.err, part)) << outcome.err;
  }

  // What a strict parser makes of the output.
  bool IsJson(const std::string& text) {
    const std::string path = folder_.Write("check.json", text);
    const std::string command =
        "python3 -c 'import json,sys; json.loads(open(sys.argv[1],"
        "encoding=\"utf-8\").read())' " +
        path;
    return std::system(command.c_str()) == 0;
  }

  capture::TempFolder folder_;
  std::string sample_;
};

TEST_F(CliTest, HelpOfEachVerbHasAnExample) {
  const Outcome help = Run("--help");
  EXPECT_EQ(help.code, 0);
  for (const std::string verb : {"run", "info", "summary", "advise", "compare",
                                 "convert", "timeline", "completion"}) {
    EXPECT_TRUE(Has(help.out, verb));
    const Outcome outcome = Run(verb + " --help");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(Has(outcome.out, "Example: ")) << outcome.out;
    EXPECT_TRUE(Has(outcome.out, "stepscope " + verb)) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_EQ(Run("--version").out, "stepscope " STEPSCOPE_VERSION "\n");
  EXPECT_EQ(Run("-V").out, Run("--version").out);
  EXPECT_EQ(Run("help info").out, Run("info --help").out);
  EXPECT_EQ(Run("help").out, help.out);
}

TEST_F(CliTest, ChoosesSteps) {
  const std::string trace = folder_.Write("steps.json",
                                          R"({"traceEvents":[
      {"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,
       "tid":1,"ts":0,"dur":900},
      {"ph":"X","cat":"user_annotation","name":"ProfilerStep#5","pid":1,
       "tid":1,"ts":1000,"dur":90},
      {"ph":"X","cat":"user_annotation","name":"ProfilerStep#6","pid":1,
       "tid":1,"ts":1100,"dur":90},
      {"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":1,
       "tid":1,"ts":1200,"dur":90},
      {"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#7","pid":0,
       "tid":7,"ts":1250,"dur":45}],
      "schemaVersion":1,"trace_id":"1","record_shapes":1})");
  for (const std::string verb : {"summary ", "advise "}) {
    ExpectError(verb + trace + " --steps x", 2,
                "--steps: unknown value \"x\"; use all, settled or A:B");
    ExpectError(verb + trace + " --steps 9:", 2, "the trace has steps 4-7");
    for (const char* bad : {"14.9", "0ms", "-1ms", "nan", "nanms", "infs"}) {
      ExpectError(verb + trace + " --unprofiled=" + bad, 2, "is no duration");
    }
  }
  ExpectError("compare " + trace + " " + trace + " --steps 3", 2, "A:B");
  ExpectError(
      "compare " + trace + " " + trace + " --kind decode --bill requests", 2,
      "--kind request");
  ExpectError("compare " + trace + " " + trace + " --steps 9:", 2,
              "--steps 9:: no such step of A was recorded; it has steps 4-7");
  const std::string left_out =
      "Step 4 left out as warm-up (the first took 10.0 x the median); --steps "
      "all includes it.";
  const Outcome advice = Run("advise " + trace + " --unprofiled 80us");
  EXPECT_EQ(advice.code, 0);
  EXPECT_TRUE(Has(advice.out, " in 3 steps ")) << advice.out;
  EXPECT_TRUE(Has(advice.out, left_out)) << advice.out;
  EXPECT_TRUE(Has(advice.out, "Recorded steps took 1.25 x the unprofiled"))
      << advice.out;
  EXPECT_TRUE(Has(Run("advise --steps all " + trace).out, " in 4 steps "));
  const std::string json =
      Run("summary --format json --steps settled " + trace).out;
  EXPECT_TRUE(Has(json, R"("index":4,)")) << "all steps are listed";
  EXPECT_TRUE(Has(json, R"("warmup":true)"));
  EXPECT_TRUE(Has(json, R"("index":7,"start_ns":1200000,"dur_ns":90000,)"
                        R"("period_ns":95000,"device_start_ns":1250000,)"
                        R"("device_end_ns":1295000,"warmup":false)"))
      << json;
  EXPECT_TRUE(Has(json, R"("type":"ProfileStep","calls":3)")) << json;
  const Outcome same = Run("compare " + trace + " " + trace);
  EXPECT_EQ(same.code, 0);
  EXPECT_TRUE(Has(same.out, "B: step 4 left out as warm-up")) << same.out;
}

TEST_F(CliTest, AloneItSaysHowToBegin) {
  const Outcome outcome = Run("");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(Has(outcome.err, "stepscope run -- python train.py"));
  EXPECT_TRUE(Has(outcome.err, "stepscope --help"));
}

TEST_F(CliTest, Whatif) {
  const Outcome json = Run("whatif " + sample_ +
                           " --change host=0.5 --change no_sync --format "
                           "json --unprofiled 1ms");
  EXPECT_EQ(json.code, 0);
  for (const char* key :
       {"\"recorded_step_ns\":", "\"unprofiled_step_ns\":1000000",
        "\"slow_down\":", "\"replay\":{\"step_ns\":", "\"unexplained_ns\":",
        "\"change\":\"host=0.5\"", "\"change\":\"no_sync\"",
        "\"change\":\"all\"", "\"saving_ratio\":", "\"low_ns\":"}) {
    EXPECT_TRUE(Has(json.out, key)) << key << "\n" << json.out;
  }
  EXPECT_TRUE(Has(Run("whatif " + sample_ + " --change 'kernel:none=0'").out,
                  "kernel:none=0: nothing in the trace matches"));
  EXPECT_TRUE(
      Has(Run("whatif --format md --change graph " + sample_).out, "| graph"));
  ExpectError("whatif " + sample_, 2, "--change");
  for (const std::string change :
       {"host=x", "host=-1", "host=inf", "kernel:x", "faster"}) {
    ExpectError("whatif " + sample_ + " --change " + change, 2, change);
  }
  ExpectError("whatif " + sample_ + " --change graph --unprofiled 5", 2,
              "--unprofiled");
}

TEST_F(CliTest, CriticalPath) {
  const std::string trace = folder_.Write("path.json",
                                          R"({"traceEvents":[
      {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,
       "tid":1,"ts":0,"dur":100},
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,
       "tid":1,"ts":10,"dur":5,"args":{"correlation":7}},
      {"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,
       "tid":1,"ts":30,"dur":60,"args":{"correlation":8}},
      {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,
       "dur":68,"args":{"correlation":7,"device":0,"stream":7}}],
      "schemaVersion":1,"trace_id":"1","record_shapes":1})");
  const std::string asked = "summary --views critical_path " + trace;
  const Outcome table = Run(asked + " --format csv");
  EXPECT_EQ(table.code, 0);
  EXPECT_TRUE(Has(table.out, "kernel,gemm,68000,0.68,1,68000")) << table.out;
  EXPECT_TRUE(Has(Run(asked).out, "Critical path of 1 step: kernel 68.0 %"));
  EXPECT_TRUE(
      Has(Run("summary --format json " + trace).out, R"("critical_path":[])"))
      << "only if it is asked for";

  const std::string chrome = folder_.path("chrome.json");
  const std::string perfetto = folder_.path("perfetto.pftrace");
  const std::string back = folder_.path("back.json");
  const std::string convert = "convert " + trace + " --critical-path -o ";
  ASSERT_EQ(Run(convert + chrome).code, 0);
  ASSERT_EQ(Run(convert + perfetto).code, 0);
  ASSERT_EQ(Run("convert " + perfetto + " -o " + back).code, 0);
  for (const std::string& path : {chrome, back}) {
    const std::string text = *ReadFile(path);
    EXPECT_TRUE(IsJson(text));
    EXPECT_TRUE(Has(text, R"("category":"kernel")")) << text;
    EXPECT_TRUE(Has(text, R"("name":"critical path","id":1,"cat":"flow",)"
                          R"("ph":"f","bp":"e")"))
        << text;
  }
}

TEST_F(CliTest, UsageErrors) {
  ExpectError("frobnicate", 2, "choose from run, trigger, doctor, summary, ");
  ExpectError("sumary " + sample_, 2,
              "unknown command \"sumary\"; did you mean \"summary\"?");
  ExpectError("--fromat", 2, "unknown option \"--fromat\"");
  ExpectError("run ls", 2, "stepscope run -- ls");
  ExpectError("completion tcsh", 2, "choose from bash, zsh, fish");
  ExpectError("compare - -", 2, "standard input is given twice");
  ExpectError("convert - - -o x.json", 2, "standard input is given twice");
  ExpectError("info", 2, "TRACE is required");
  ExpectError("info " + sample_ + " --format xml", 2, "text, json");
  ExpectError("info " + sample_ + " --nonsense", 2, "--nonsense");
  ExpectError("summary " + sample_ + " --sort size", 2, "CPUTotal");
  ExpectError("summary " + sample_ + " --unit min", 2, "s, ms, us, ns");
  ExpectError("summary " + sample_ + " --views all,none", 2, "\"none\"");
  ExpectError("convert " + sample_, 2, "--output is required");
  ExpectError("convert " + sample_ + " -o x --to nothing", 2, "chrome");
  ExpectError("convert " + sample_ + " -o " + sample_, 2, "is the input");
}

TEST_F(CliTest, UnreadableInput) {
  const std::string text = folder_.Write("notes.txt", "not a trace at all");
  const std::string empty = folder_.Write("empty", "");
  const std::string bare = folder_.path("bare");
  ASSERT_EQ(mkdir(bare.c_str(), 0777), 0);
  for (const std::string verb : {"info ", "summary "}) {
    ExpectError(verb + folder_.path("missing"), 3, "missing: No such file");
    ExpectError(verb + text, 3, "byte 0: not a trace");
    ExpectError(verb + empty, 3, "empty");
    ExpectError(verb + bare, 3, "no readable trace");
  }
  // A process that ran out of memory leaves a snapshot in a folder of its own.
  const std::string below = bare + "/out_of_memory";
  ASSERT_EQ(mkdir(below.c_str(), 0777), 0);
  std::filesystem::copy_file(sample_, below + "/process_7.json");
  ExpectError("advise " + bare, 3,
              "out_of_memory has 1 file that can be read: " + below +
                  "/process_7.json");
  // TensorFlow and JAX write deeper.
  const std::string logdir = folder_.path("logdir");
  const std::string run = logdir + "/plugins/profile/2026_11_19";
  std::filesystem::create_directories(run);
  std::filesystem::copy_file(sample_, run + "/vm.json");
  ExpectError("summary " + logdir, 3,
              "2026_11_19 has 1 file that can be read: " + run + "/vm.json");
  ExpectError("convert " + text + " -o " + folder_.path("x.json"), 3, "byte 0");
  EXPECT_FALSE(FileExists(folder_.path("x.json")));
}

TEST_F(CliTest, ControlBytesInAPathStayOneLine) {
  ExpectError("info \"$(printf 'a\\nb\\033[2J')\"", 3, "a\\nb\\x1b[2J");
}

TEST_F(CliTest, OutputThatCannotBeWritten) {
  for (const std::string arguments :
       {"--help", "info ", "summary ", "info --format json "}) {
    const Outcome outcome = Run(
        arguments == "--help" ? arguments : arguments + sample_, "/dev/full");
    EXPECT_EQ(outcome.code, 4) << arguments;
    EXPECT_TRUE(Has(outcome.err, "No space left")) << outcome.err;
  }
  ExpectError("convert " + sample_ + " -o /dev/full", 4, "/dev/full");
  ExpectError("convert " + sample_ + " -o " + folder_.path("no/such/x.json"), 4,
              "no/such");
  ExpectError("convert " + sample_ + " -o " + folder_.root(), 4,
              "is a folder; give a file in it");
  ExpectError("convert " + sample_ + " -o " + sample_ + "/x.json", 4,
              "sample.sscap is a file, not a folder");
  ExpectError("timeline --profile_path " + sample_ + " --timeline_path " +
                  folder_.root(),
              4, "is a folder");
  EXPECT_EQ(Run("convert " + sample_ + " -o -", "/dev/full").code, 4);
}

TEST_F(CliTest, ConvertToStandardOutput) {
  const std::string path = folder_.path("a.json");
  ASSERT_EQ(Run("convert " + sample_ + " -o " + path).code, 0);
  const Outcome text = Run("convert " + sample_ + " -o -");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out, *ReadFile(path));
  const Outcome binary = Run("convert " + sample_ + " -o - --to capture");
  EXPECT_EQ(binary.code, 0) << binary.err;
  EXPECT_EQ(binary.out.substr(0, 7), "SSCAP01");
  EXPECT_FALSE(FileExists("-"));
}

TEST_F(CliTest, CompressionByName) {
  const std::string plain = folder_.path("a.json");
  ASSERT_EQ(Run("convert " + sample_ + " -o " + plain).code, 0);
  const auto head = [&](const std::string& name) {
    const Outcome outcome =
        Run("convert " + sample_ + " -o " + folder_.path(name));
    // A build without libzstd says so instead.
    if (outcome.code == 2 && Has(outcome.err, "does not write zstd"))
      return std::string("no zstd");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
#ifndef STEPSCOPE_LIVE
    EXPECT_EQ(Run("summary --format csv " + folder_.path(name)).out,
              Run("summary --format csv " + plain).out);
#endif
    return ReadFile(folder_.path(name))->substr(0, 4);
  };
  EXPECT_EQ(head("a.json.gz").substr(0, 2), "\x1f\x8b");
  const std::string zstd = head("b.json.zst");
  EXPECT_TRUE(zstd == "no zstd" || zstd == "\x28\xb5\x2f\xfd") << zstd;
}

TEST_F(CliTest, InfoSaysWhatWasRecorded) {
  const Outcome outcome = Run("info " + sample_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"sample.sscap (capture)",
        "state     incomplete: the file could not be written, 5 events dropped "
        "(31 %)",
        "clock", "11 events", "seen =", "thread"}) {
    EXPECT_TRUE(Has(outcome.out, part)) << part << "\n" << outcome.out;
  }
}

TEST_F(CliTest, InfoOfAKilledProcessNamesItsOpenScopes) {
  const capture::KilledSample killed = capture::MakeKilledSample();
  const std::string path = folder_.Write("dead.sscap", killed.capture.bytes);
  folder_.Write("dead.sscap.live", killed.live);
  const Outcome outcome = Run("info " + path);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Has(outcome.out,
                  "5 events dropped (31 %); the capture has no "
                  "end\n"))
      << outcome.out;
  EXPECT_TRUE(Has(outcome.out, "note      process was killed")) << outcome.out;
  EXPECT_TRUE(Has(outcome.out, "      open ")) << outcome.out;
  const Outcome json = Run("info --format json " + path);
  EXPECT_TRUE(Has(json.out, "\"complete\":false")) << json.out;
  EXPECT_TRUE(IsJson(json.out)) << json.out;
}

TEST_F(CliTest, DamagedInputOfWhichSomethingIsLeftIsNoError) {
  std::string bytes = capture::EndedSample().bytes;
  bytes.resize(bytes.size() * 3 / 4);
  const std::string path = folder_.Write("cut.sscap", bytes);
  const Outcome outcome = Run("summary " + path);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Has(outcome.out, "* The recording was cut short")) << outcome.out;
  const Outcome tables = Run("summary --layout paddle " + path);
  EXPECT_EQ(tables.code, 0) << tables.err;
  EXPECT_TRUE(Has(tables.out, "About this summary:")) << tables.out;
}

#ifndef STEPSCOPE_LIVE
TEST_F(CliTest, DamagedInputOfWhichNothingIsLeftIsAnError) {
  const std::string path = folder_.Write(
      "bad.json", "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":\"never\"}]");
  ExpectError("info " + path, 3, "bad.json: byte 1: ");
  ExpectError("summary " + path, 3, "bad.json: byte 1: ");
  const std::string some = folder_.Write(
      "some.json",
      "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":\"never\"},"
      "{\"ph\":\"X\",\"name\":\"b\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":1}]");
  EXPECT_EQ(Run("info " + some).code, 0);
}
#endif

TEST_F(CliTest, EveryJsonOutputHasItsKeys) {
  const Outcome info = Run("info --format json " + sample_);
  for (const char* key : {"source", "ledger", "processes", "threads", "clock",
                          "open_scopes", "dropped"}) {
    EXPECT_TRUE(Has(info.out, "\"" + std::string(key) + "\":")) << key;
  }
  EXPECT_TRUE(IsJson(info.out));
  const Outcome summary = Run("summary --format json " + sample_);
  for (const char* key :
       {"source", "ledger", "steps", "device", "overview", "model",
        "distribution", "operator", "kernel", "memory_manipulation",
        "user_defined", "memory", "benchmark", "waterfall", "idle", "launch",
        "outliers", "flops", "advice"}) {
    EXPECT_TRUE(Has(summary.out, "\"" + std::string(key) + "\":")) << key;
  }
  EXPECT_TRUE(IsJson(summary.out));
}

TEST_F(CliTest, SummaryTakesViewsBeforeAndAfterTheTrace) {
  const Outcome outcome = Run("summary --views DeviceView,model " + sample_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Has(outcome.out, "Device Summary"));
  EXPECT_FALSE(Has(outcome.out, "Overview Summary"));
  EXPECT_EQ(Run("summary " + sample_ + " --views DeviceView,model").out,
            outcome.out);
  EXPECT_TRUE(Has(Run("summary --format csv " + sample_).out, "table,parent"));
  EXPECT_TRUE(Has(Run("summary --format md " + sample_).out, "## Device"));
}

TEST_F(CliTest, SummaryIsOneScreenUnlessTablesAreAskedFor) {
  const std::string screen = Run("summary " + sample_).out;
  EXPECT_TRUE(Has(screen, "stepscope advise " + sample_)) << screen;
  EXPECT_FALSE(Has(screen, "Device Summary")) << screen;
  EXPECT_EQ(Run("summary --layout screen " + sample_).out, screen);
  const std::string tables = Run("summary --layout paddle " + sample_).out;
  EXPECT_TRUE(Has(tables, "Device Summary")) << tables;
  for (const std::string option :
       {"--views overview ", "--thread-sep ", "--no-op-detail ", "--flops "}) {
    EXPECT_TRUE(Has(Run("summary " + option + sample_).out, "Summary-----"))
        << option;
  }
  EXPECT_EQ(Run("summary --sort self " + sample_).code, 0);
  ExpectError("summary --layout wide " + sample_, 2, "screen");
}

TEST_F(CliTest, SummaryWritesAFileInTheFormatOfItsName) {
  for (const std::string format : {"csv", "json", "md"}) {
    const std::string path = folder_.path("tables." + format);
    EXPECT_EQ(Run("summary -o " + path + " " + sample_).code, 0);
    EXPECT_EQ(*ReadFile(path),
              Run("summary --format " + format + " " + sample_).out);
  }
  ExpectError("summary -o " + folder_.path("none/x.csv") + " " + sample_, 4,
              "none");
}

TEST_F(CliTest, TheNewestRunIsTaken) {
  const std::string runs = folder_.path("runs");
  std::filesystem::create_directories(runs + "/run_a");
  std::filesystem::create_directories(runs + "/run_b");
  const std::string bytes = capture::EndedSample().bytes;
  folder_.Write("runs/run_a/1.sscap", bytes);
  folder_.Write("runs/run_b/1.sscap", bytes);
  for (const std::string verb : {"summary ", "advise ", "info "}) {
    const Outcome outcome = Run(verb + runs);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(Has(outcome.err, "the newest of 2 runs")) << outcome.err;
  }
}

TEST_F(CliTest, TopCutsOnlyWhereItIsAsked) {
  const std::string summary = "summary --views overview,user_defined ";
  const std::string all = Run(summary + sample_).out;
  EXPECT_FALSE(Has(all, "--top 0 shows all")) << all;
  EXPECT_TRUE(Has(all, "Time unit: ms")) << all;
  EXPECT_EQ(Run(summary + "--top 0 " + sample_).out, all);
  const Outcome one = Run(summary + "--top 1 " + sample_);
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_LE(one.out.size(), all.size() + 40);
  EXPECT_EQ(Run("advise --top 1 " + sample_).code, 0);
  EXPECT_EQ(Run("compare --top 1 " + sample_ + " " + sample_).code, 0);
  EXPECT_EQ(Run("summary --sort calls --unit auto " + sample_).code, 0);
  ExpectError("summary --top many " + sample_, 2,
              "--top: expected a whole number of 0 or more, not \"many\"");
}

TEST_F(CliTest, SummaryAsTheOlderProfilerPrintedIt) {
  const Outcome outcome = Run("summary --format fluid " + sample_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Has(outcome.out, "Profiling Report")) << outcome.out;
  EXPECT_TRUE(Has(Run("summary --format fluid --sort ave " + sample_).out,
                  "Sorted by average time"));
  ExpectError("summary --format fluid --sort CPUTotal " + sample_, 2,
              "calls, total, max, min, ave");
}

TEST_F(CliTest, ConvertWritesAWholeFile) {
  const std::string path = folder_.path("out.json");
  const Outcome outcome = Run("convert " + sample_ + " -o " + path);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  const std::string text = *ReadFile(path);
  EXPECT_TRUE(Has(text, "\"traceEvents\""));
  EXPECT_TRUE(IsJson(text));
  EXPECT_TRUE(Has(text, "[memory]"));
}

TEST_F(CliTest, SeveralInputsBecomeOneTimeline) {
  const std::string again =
      folder_.Write("again.sscap", capture::EndedSample().bytes);
  EXPECT_TRUE(Has(Run("info " + folder_.root()).out, "22 events"));
  const std::string path = folder_.path("both.json");
  EXPECT_EQ(Run("convert " + sample_ + " " + again + " -o " + path).code, 0);
  EXPECT_TRUE(IsJson(*ReadFile(path)));
}

TEST_F(CliTest, ConvertChoosesTheFormatByName) {
  const auto head = [&](const std::string& name, const std::string& more = "") {
    const std::string path = folder_.path(name);
    EXPECT_EQ(Run("convert " + sample_ + " -o " + path + more).code, 0);
    return ReadFile(path)->substr(0, 20);
  };
  EXPECT_EQ(head("a.sscap").substr(0, 7), "SSCAP01");
  EXPECT_EQ(head("a.pftrace")[0], '\n');
  EXPECT_EQ(head("a.pb").substr(2, 5), "1.0.2");
  EXPECT_EQ(head("a.csv"),
            Run("summary --format csv " + sample_).out.substr(0, 20));
  EXPECT_EQ(head("a.cuda.csv").substr(0, 17), "gpustarttimestamp");
  EXPECT_EQ(head("a").substr(0, 1), "{");
  EXPECT_EQ(head("a.txt", " --to chrome").substr(0, 1), "{");
  ExpectError("convert " + sample_ + " -o " + folder_.path("b.txt"), 2,
              "end the name in .paddle_trace.json, .pt.trace.json, ");
  ExpectError("convert " + sample_ + " -o " + folder_.path("b.txt.gz"), 2,
              "--to FORMAT");
  EXPECT_FALSE(FileExists(folder_.path("b.txt")));
  EXPECT_EQ(head("a.json", " --to capture").substr(0, 7), "SSCAP01");
  ExpectError(
      "convert " + sample_ + " -o " + folder_.path("x") + " --to parrot", 2,
      "choose from chrome");
  ExpectError(
      "convert " + sample_ + " -o " + folder_.path("x.json") + " --remove-live",
      2, "--to capture only");
  ExpectError(
      "convert " + sample_ + " -o " + folder_.path("x.csv") + " --mode xml", 2,
      "choose from csv, kvp");
}

TEST_F(CliTest, ConvertSaysWhatAFormatCannotHold) {
  const Outcome outcome =
      Run("convert " + sample_ + " -o " + folder_.path("a.cuda.csv"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(Has(outcome.err, "note: cuda-profile has no place for"));
  EXPECT_TRUE(Has(outcome.err, "host events"));
}

TEST_F(CliTest, CaptureOfACaptureHasTheSameTables) {
  const std::string path = folder_.path("whole.sscap");
  ASSERT_EQ(Run("convert " + sample_ + " -o " + path).code, 0);
  const std::string want = Run("summary --format json " + sample_).out;
  EXPECT_EQ(Run("summary --format json " + path).out, want);
  EXPECT_GT(want.size(), 100u);
}

TEST_F(CliTest, RemoveLiveTakesOnlyTheRingOfADeadProcess) {
  // The ring of the sample capture, but the process is this one: it runs.
  const auto live = [&](uint8_t ring, uint32_t pid) {
    std::string bytes = capture::MakeLive(ring, 1, {}, {}, {});
    std::memcpy(bytes.data() + offsetof(format::LiveHeader, pid), &pid,
                sizeof(pid));
    return folder_.Write("sample.sscap.live", bytes);
  };
  const std::string convert = "convert " + sample_ + " -o " +
                              folder_.path("whole.sscap") + " --remove-live";
  constexpr uint32_t kNobody = 0x7ffffffe;
  ASSERT_EQ(sample_, folder_.path("sample.sscap"));
  std::string path = live(1, static_cast<uint32_t>(getpid()));
  EXPECT_TRUE(Has(Run(convert).err, "still runs"));
  EXPECT_TRUE(FileExists(path));
  path = live(2, kNobody);  // of another session
  EXPECT_EQ(Run(convert).err, "");
  EXPECT_TRUE(FileExists(path));
  path = live(1, kNobody);
  EXPECT_TRUE(Has(Run(convert).err, "removed"));
  EXPECT_FALSE(FileExists(path));
}

TEST_F(CliTest, TimelineOfLabelledFiles) {
  const std::string again =
      folder_.Write("again.sscap", capture::EndedSample().bytes);
  const std::string path = folder_.path("dist.timeline");
  const Outcome outcome =
      Run("timeline --profile_path trainer0=" + sample_ + ",pserver0=" + again +
          " --timeline_path=" + path);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string text = *ReadFile(path);
  EXPECT_TRUE(IsJson(text));
  EXPECT_TRUE(Has(text, "\"trainer0:cpu:block:0\""));
  EXPECT_TRUE(Has(text, "\"pserver0:cpu:block:0\""));
  ASSERT_EQ(
      Run("timeline --profile_path " + sample_ + " --timeline_path " + path)
          .code,
      0);
  EXPECT_TRUE(Has(*ReadFile(path), "\"trainer:cpu:block:0\""));
  ExpectError("timeline --profile_path a=x,b --timeline_path " + path, 2,
              "expected LABEL=FILE");
  ExpectError("timeline --profile_path a=x,a=y --timeline_path " + path, 2,
              "given twice");
  ExpectError("timeline --profile_path " + folder_.path("none") +
                  " --timeline_path " + path,
              3, "none");
}

}  // namespace
}  // namespace stepscope
