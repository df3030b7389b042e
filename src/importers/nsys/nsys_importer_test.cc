// SPDX-License-Identifier: Apache-2.0
#include "importers/nsys/nsys_importer.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/file.h"
#include "importers/input/input_source.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;

// Process 5 of host 1, and its thread 9.
const char* const kSchema = R"sql(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1,'cudaLaunchKernel_v7000'),(2,'sgemm'),
  (3,'main thread'),(4,'poll'),(5,'cudaGraphLaunch_v10000');
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES VALUES (281475060596736, 5, 'python');
CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
INSERT INTO ThreadNames VALUES (3, 1, 281475060596745);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, "end" INTEGER,
  eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER,
  returnValue INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
  (100,150,0,281475060596745,77,1,0), (160,170,0,281475060596745,78,5,700),
  (190,180,0,281475060596745,79,1,0),
  (9223372036854775807,9223372036854775807,0,281475060596745,80,1,0);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "end" INTEGER,
  deviceId INTEGER, contextId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER,
  registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER,
  blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER,
  dynamicSharedMemory INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (200,300,1,1,7,77,281475060596736,2,32,8,2,1,128,1,1,100,24);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, "end" INTEGER,
  deviceId INTEGER, streamId INTEGER, correlationId INTEGER,
  globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER,
  dstKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
  (310,320,1,7,78,281475060596736,4096,1,0,2);
CREATE TABLE NVTX_EVENTS (start INTEGER, "end" INTEGER, eventType INTEGER,
  rangeId INTEGER, category INTEGER, text TEXT, globalTid INTEGER,
  textId INTEGER, domainId INTEGER);
INSERT INTO NVTX_EVENTS VALUES
  (0,NULL,75,NULL,NULL,'NCCL',281475060596745,NULL,3),
  (90,400,59,NULL,NULL,'aten::mm, seq = 1, op_id = 2, sizes = [[2, 3], [3, 4]]',281475060596745,NULL,0),
  (95,96,59,NULL,NULL,'ncclAllReduce',281475060596745,NULL,3),
  (120,NULL,34,NULL,NULL,'mark',281475060596745,NULL,0),
  (50,500,60,1,NULL,'request',281475060596745,NULL,0),
  (1,2,99,NULL,NULL,'?',281475060596745,NULL,0);
CREATE TABLE OSRT_API (start INTEGER, "end" INTEGER, nameId INTEGER,
  globalTid INTEGER);
INSERT INTO OSRT_API VALUES (410,420,4,281475060596745);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER,
  deviceId INTEGER, address INTEGER, bytes INTEGER, memKind INTEGER,
  memoryOperationType INTEGER);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES
  (10,281475060596736,0,4096,256,2,0),(20,281475060596736,0,4096,256,2,1);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER,
  metricName TEXT);
INSERT INTO TARGET_INFO_GPU_METRICS VALUES (1, 2, 'SM Active');
CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER,
  value INTEGER);
INSERT INTO GPU_METRICS VALUES (100,1,2,55);
)sql";

class NsysImporterTest : public testing::Test {
 protected:
  NsysImporterTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("nsys_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~NsysImporterTest() override { std::filesystem::remove_all(folder_); }

  std::string Make(const char* sql, const std::string& name = "a b%?.sqlite") {
    const std::string path = (folder_ / name).string();
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, &error), SQLITE_OK)
        << error;
    sqlite3_close(database);
    return path;
  }

  static Status ImportFrom(const std::string& path, TraceBuilder& builder,
                           const ImportOptions& options = {}) {
    STEPSCOPE_TRY_ASSIGN(const auto input, InputSource::Open(path));
    return NsysImporter().Import(*input, options, builder);
  }
  static std::shared_ptr<const Trace> Import(const std::string& path) {
    TraceBuilder builder;
    const Status status = ImportFrom(path, builder);
    EXPECT_TRUE(status) << status.error().message;
    auto trace = builder.Finish();
    EXPECT_TRUE(trace);
    return *trace;
  }

  std::filesystem::path folder_;
};

std::string Drawn(const Trace& trace) {
  std::string text;
  for (const Track& track : trace.tracks()) {
    text += std::to_string(static_cast<int>(track.kind)) + " " +
            std::to_string(track.id) + " " +
            std::string(trace.str(track.name)) + "\n";
    for (Row row = track.first; row < track.last; ++row) {
      text += "  " + std::to_string(trace.start_ns()[row]) + ".." +
              std::to_string(trace.end_ns(row)) + " ";
      text += trace.str(trace.name()[row]);
      text += " ";
      text += EventTypeName(trace.type()[row]);
      text += "\n";
    }
  }
  return text;
}

TEST_F(NsysImporterTest, ConfinedItReadsTheFileThatWasOpened) {
  const std::string path = std::filesystem::canonical(Make(kSchema)).string();
  const std::string expected = Drawn(*Import(path));
  const auto input = InputSource::OpenConfined(path);
  ASSERT_TRUE(input);
  // Another file has its name by then.
  std::filesystem::rename(Make("CREATE TABLE x (y);", "other"), path);
  ImportOptions options;
  options.confined = true;
  TraceBuilder builder;
  const Status status = NsysImporter().Import(**input, options, builder);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(Drawn(**builder.Finish()), expected);
}

TEST_F(NsysImporterTest, EveryRowIsInItsPlace) {
  const auto trace = Import(Make(kSchema));
  EXPECT_EQ(Drawn(*trace),
            "0 9 main thread\n"
            "  90..400 aten::mm Operator\n"
            "  95..96 ncclAllReduce Communication\n"
            "  100..150 cudaLaunchKernel_v7000 CudaRuntime\n"
            "  120..120 mark UserDefined\n"
            "  160..170 cudaGraphLaunch_v10000 GraphLaunch\n"
            "  190..190 cudaLaunchKernel_v7000 CudaRuntime\n"
            "  410..420 poll UserDefined\n"
            "3 0 \n"
            "  50..500 request UserDefined\n"
            "1 7 \n"
            "  200..300 sgemm Kernel\n"
            "  310..320 MEMCPY_HtoD Memcpy\n"
            "0 0 \n"
            "2 2 SM Active\n");
  EXPECT_EQ(trace->epoch_ns(), kEpoch);
  const Ledger& ledger = trace->ledger();
  EXPECT_EQ(ledger.kept(), 13u);
  EXPECT_EQ(ledger.repaired().at("end before start").count, 1u);
  EXPECT_EQ(ledger.rejected().at("time out of range").count, 1u);
  EXPECT_EQ(ledger.rejected().at("unknown NVTX event type").count, 1u);
  EXPECT_EQ(ledger.seen(), 16u);
  EXPECT_EQ(trace->processes()[0].pid, 5);
  EXPECT_EQ(trace->str(trace->processes()[0].name), "python");
  ASSERT_EQ(trace->memory().size(), 2u);
  EXPECT_EQ(trace->memory()[0].total_allocated, 256u);
  EXPECT_EQ(trace->memory()[1].bytes, -256);
  ASSERT_EQ(trace->counters().size(), 1u);
  EXPECT_EQ(trace->counters()[0].int_value, 55);
}

TEST_F(NsysImporterTest, WorkIsLinkedToItsCall) {
  const auto trace = Import(Make(kSchema));
  uint32_t found = 0;
  for (const Link& link : trace->links()) {
    if (link.id != 77) continue;
    ++found;
    EXPECT_TRUE(trace->start_ns()[link.row] == 100 ||
                trace->start_ns()[link.row] == 200);
  }
  EXPECT_EQ(found, 2u);
}

// Under emit_nvtx each call of an operator has a text of its own: they are
// calls of one operator nevertheless.
TEST_F(NsysImporterTest, TextsOfOperatorsAreTakenApart) {
  const auto trace = Import(Make(kSchema));
  const Row row = 0;
  ASSERT_EQ(trace->str(trace->name()[row]), "aten::mm");
  const auto args = trace->args_of(row);
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(trace->str(args[0].key), "op_id");
  EXPECT_EQ(args[0].int_value, 2);
  EXPECT_EQ(trace->str(args[1].key), "Input Dims");
  EXPECT_EQ(trace->str(args[1].text), "[[2, 3], [3, 4]]");
  uint32_t sequences = 0;
  for (const Link& link : trace->links())
    sequences +=
        link.space == LinkSpace::kSequence && link.id == 1 && link.row == row;
  EXPECT_EQ(sequences, 1u);
}

TEST_F(NsysImporterTest, OtherDatabasesAreRefused) {
  TraceBuilder builder;
  const Status status = ImportFrom(
      Make("CREATE TABLE t (a); INSERT INTO t VALUES (1);"), builder);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
}

// A view of the name of a table is not run.
TEST_F(NsysImporterTest, ViewsAreNotRead) {
  const auto trace =
      Import(Make("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                  "CREATE VIEW OSRT_API AS SELECT 1 AS start, 2 AS \"end\", "
                  "3 AS nameId, 4 AS globalTid;"));
  EXPECT_EQ(trace->size(), 0u);
}

// Every page lost in turn, and parts of pages: what is left is read, and the
// ledger says that a table broke off.
TEST_F(NsysImporterTest, CutShort) {
  const auto read = ReadFile(Make(kSchema));
  ASSERT_TRUE(read);
  const std::string cut_path = (folder_ / "cut").string();
  uint32_t partly = 0;
  for (size_t size = 0; size < read->size(); size += 211) {
    std::ofstream(cut_path, std::ios::binary) << read->substr(0, size);
    TraceBuilder builder;
    const Status status = ImportFrom(cut_path, builder);
    const auto trace = builder.Finish();
    ASSERT_TRUE(trace) << size;
    if (!status) continue;
    const Ledger& ledger = (*trace)->ledger();
    if (ledger.kept() < 13) {
      EXPECT_FALSE((*trace)->complete()) << size;
      partly += ledger.kept() > 0;
    }
  }
  EXPECT_GT(partly, 10u);
}

TEST_F(NsysImporterTest, DamageNeverCrashes) {
  const std::string path = Make(kSchema);
  const auto read = ReadFile(path);
  ASSERT_TRUE(read);
  const std::string whole = *read;
  const std::string damaged_path = (folder_ / "damaged").string();
  std::mt19937 random(1);
  uint32_t other = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    if (i % 3 == 0) {
      bytes.resize(random() % whole.size());
    } else {
      for (int flips = 0; flips < 8; ++flips)
        bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
    }
    std::ofstream(damaged_path, std::ios::binary) << bytes;
    TraceBuilder builder;
    const Status status = ImportFrom(damaged_path, builder);
    const auto trace = builder.Finish();
    ASSERT_TRUE(trace) << i;
    other += !status || (*trace)->ledger().kept() != 13;
  }
  // The damage did reach the reader.
  EXPECT_GT(other, 100u);
}

}  // namespace
}  // namespace stepscope
