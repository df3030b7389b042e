// SPDX-License-Identifier: Apache-2.0
#include "importers/json/pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "importers/chrome/event_sink.h"
#include "importers/chrome/json_test_support.h"
#include "importers/json/document_reader.h"
#include "trace/build/trace_builder.h"

namespace stepscope::json {
namespace {

// Imports `text` in pieces of that size, and writes out what came of it.
std::string Read(const std::string& text, size_t piece_bytes, bool threads) {
  char path[] = "/tmp/stepscope_pipeline_XXXXXX";
  const int fd = mkstemp(path);
  EXPECT_TRUE(WriteAll(fd, text, path));
  close(fd);
  auto input = InputSource::Open(path);
  unlink(path);
  EXPECT_TRUE(input);
  TraceBuilder builder;
  EventSink sink(builder);
  Recorder recorder;
  Executor executor(threads ? 2 : 1);
  Pipeline pipeline(piece_bytes, &executor);
  EXPECT_EQ(pipeline.has_thread(), threads);
  Document document(threads ? static_cast<DocumentHandler&>(recorder) : sink);
  DocumentReader reader(**input, piece_bytes, document,
                        [&](Piece& piece) { pipeline.Settle(piece); });
  builder.raw_args().set_packer(
      [&](RawArgs::Block& block) { pipeline.Do([&block] { block.Pack(); }); });
  Status status = Ok();
  pipeline.Run(
      [&](Piece& piece) {
        recorder.set_piece(piece);
        reader.Read(piece);
      },
      [&](Piece& piece) {
        Replay(piece, sink);
        status = piece.status;
      });
  builder.raw_args().set_packer(nullptr);
  EXPECT_TRUE(status);
  sink.Finish();
  const auto trace = builder.Finish();
  EXPECT_TRUE(trace);
  std::string shown = LedgerLine(**trace) + "\n";
  RawArgReader raw(**trace);
  for (Row row = 0; row < (*trace)->size(); ++row) {
    shown += (*trace)->str((*trace)->name()[row]);
    shown += ' ' + std::to_string((*trace)->start_ns()[row]) + ' ';
    shown += raw.Get(row);
    shown += '\n';
  }
  return shown;
}

// Events of many lengths, some of them long, some over several lines.
std::string Events(int count, std::mt19937& random) {
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
  for (int i = 0; i < count; ++i) {
    text += i > 0 ? ",\n" : "\n";
    text += R"({"ph": "X", "cat": "cpu_op", "name": "op)" +
            std::to_string(i % 50) + R"(", "pid": 1, "tid": 2, "ts": )" +
            std::to_string(i * 10) + ", \"dur\": 3.5,";
    if (random() % 2 == 0) text += '\n';
    text += R"("args": {"External id": )" + std::to_string(i) +
            R"(, "note": "\"{\\)" + std::string(random() % 300, 'x') + R"("}})";
  }
  return text + "\n], \"traceName\": \"t\"}\n";
}

TEST(PipelineTest, PiecesOfEverySizeReadTheSame) {
  std::mt19937 random(1);
  const std::string text = Events(3000, random);
  const std::string whole = Read(text, text.size() + 1, false);
  EXPECT_TRUE(whole.starts_with("kept 3000\n")) << whole.substr(0, 100);
  for (const size_t bytes : {100, 1000, 4096, 100'000})
    for (const bool threads : {false, true})
      EXPECT_EQ(Read(text, bytes, threads), whole) << bytes << threads;
}

// Then tokens are looked for again and again, within one piece.
TEST(PipelineTest, BrokenEventsAreTheSameOnTwoThreads) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    std::string text = Events(400, random);
    for (int i = 0; i < 20; ++i)
      text[100 + random() % (text.size() - 100)] =
          "\"{}[]:,\\\n\x80"
          "x"[random() % 11];
    for (const size_t bytes : {5000, 60'000})
      EXPECT_EQ(Read(text, bytes, true), Read(text, bytes, false)) << round;
  }
}

// Longer than the room that a piece has for what is left over.
TEST(PipelineTest, EventsLongerThanPieces) {
  std::string text = "[";
  for (int i = 0; i < 4; ++i) {
    text += i > 0 ? "," : "";
    text += R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":1,"dur":1,"args":)"
            R"({"long": ")" +
            std::string(Piece::kRoom * 2 + 77, static_cast<char>('a' + i)) +
            "\"}}";
  }
  text += "]";
  const std::string whole = Read(text, text.size() + 1, false);
  EXPECT_TRUE(whole.starts_with("kept 4\n"));
  for (const bool threads : {false, true})
    EXPECT_EQ(Read(text, 50'000, threads), whole);
}

TEST(PipelineTest, EveryJobIsDone) {
  for (const bool threads : {false, true}) {
    Executor executor(threads ? 2 : 1);
    Pipeline pipeline(16, &executor);
    std::atomic<int> done = 0;
    int made = 0;
    int seen = 0;
    pipeline.Run(
        [&](Piece& piece) {
          piece.last = ++made == 50;
          if (made % 7 == 0) pipeline.Settle(piece);
        },
        [&](Piece&) {
          ++seen;
          for (int i = 0; i < 40; ++i) pipeline.Do([&] { ++done; });
        });
    EXPECT_EQ(made, 50);
    EXPECT_EQ(seen, 57);
    EXPECT_EQ(done, 57 * 40);
  }
}

TEST(PipelineTest, AThreadThatIsNotUsedIsGivenBack) {
  Executor executor(2);
  for (int round = 0; round < 3; ++round) {
    const Pipeline pipeline(16, &executor);
    EXPECT_TRUE(pipeline.has_thread());
    EXPECT_FALSE(Pipeline(16, &executor).has_thread());
  }
}

// Whichever side it is, the other does not wait for ever.
TEST(PipelineTest, WhatIsThrownReachesTheCaller) {
  for (const bool threads : {false, true}) {
    for (const bool by_producer : {false, true}) {
      Executor executor(threads ? 2 : 1);
      Pipeline pipeline(16, &executor);
      int made = 0;
      const auto fail = [](bool now) {
        if (now) throw std::bad_alloc();
      };
      EXPECT_THROW(pipeline.Run(
                       [&](Piece& piece) {
                         ++made;
                         fail(by_producer && made == 20);
                         if (made % 3 == 0) pipeline.Settle(piece);
                         piece.last = made == 1000;
                       },
                       [&, seen = 0](Piece&) mutable {
                         fail(!by_producer && ++seen == 20);
                       }),
                   std::bad_alloc);
    }
  }
}

}  // namespace
}  // namespace stepscope::json
