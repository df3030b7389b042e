// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

// One record: an event on its thread, which is made when it is first met, with
// something of every table that importers of parts fill.
class Reader {
 public:
  explicit Reader(TraceBuilder& builder) : builder_(builder) {}

  void Read(int i) {
    const uint32_t thread = Thread(i % 5);
    const Row row =
        builder_.AddEvent({thread, 10 * i, 5,
                           builder_.Intern("e" + std::to_string(i % 7)), 0, 0});
    builder_.AddText(row, "text", "value " + std::to_string(i % 3));
    builder_.AddInt(row, "i", i);
    Arg list;
    list.row = row;
    list.key = builder_.Intern("list");
    const int64_t values[] = {i, i + 1};
    builder_.AddListArg(list, values);
    builder_.AddLink({builder_.track(thread).process, LinkSpace::kExternal,
                      static_cast<uint64_t>(i), row});
    builder_.AddMemory({10 * i, 64, i, 0, 0, builder_.Intern("cpu"), thread,
                        MemoryKind::kAllocate, kNoRow});
    if (i % 4 == 0) builder_.ledger().Reject("odd", static_cast<uint64_t>(i));
    builder_.ledger().Keep();
  }

 private:
  uint32_t Thread(int id) {
    for (uint32_t i = 0; i < builder_.track_count(); ++i)
      if (builder_.track(i).id == id) return i;
    Process process;
    process.pid = 100 + id / 3;
    uint32_t index = 0;
    while (index < builder_.process_count() &&
           builder_.process(index).pid != process.pid)
      ++index;
    if (index == builder_.process_count()) builder_.AddProcess(process);
    Track track;
    track.process = index;
    track.id = id;
    return builder_.AddTrack(track);
  }

  TraceBuilder& builder_;
};

std::string ForkedText(TraceBuilder& builder) {
  const auto trace = builder.Finish();
  if (!trace) return trace.error().message;
  const Trace& t = **trace;
  std::string all;
  const auto add = [&all](auto... values) {
    ((all += std::to_string(values) + " "), ...);
    all += "\n";
  };
  for (const Process& process : t.processes()) add(process.pid);
  for (const Track& track : t.tracks()) add(track.id, track.process);
  for (Row row = 0; row < t.size(); ++row)
    add(t.start_ns()[row], t.name()[row].v, t.track()[row]);
  for (const Arg& arg : t.args())
    add(arg.row, arg.key.v,
        arg.kind == ArgKind::kIntList ? t.arg_ints()[arg.list_first]
        : arg.has_text()              ? arg.text.v
                                      : arg.int_value);
  for (const Link& link : t.links()) add(link.process, link.id, link.row);
  for (const MemoryEvent& event : t.memory())
    add(event.track, event.bytes, event.owner, event.place.v);
  add(t.ledger().kept());
  for (const Ledger::Example& example :
       t.ledger().rejected().find("odd")->second.examples)
    add(example.offset);
  for (uint32_t id = 0; id < t.strings().size(); ++id)
    all += std::string(t.str({id})) + ",";
  return all;
}

TEST(TraceBuilderForkTest, PartsMakeTheWhole) {
  constexpr int kRecords = 40;
  TraceBuilder one;
  Reader reader(one);
  for (int i = 0; i < kRecords; ++i) reader.Read(i);
  const std::string expected = ForkedText(one);
  for (const int cut : {1, 2, 3, 10, 39}) {
    TraceBuilder whole;
    Reader(whole).Read(0);
    std::vector<TraceBuilder> forks;
    for (int first = 1; first < kRecords; first += cut)
      forks.push_back(whole.Fork());
    // The last first: they do not depend on each other.
    for (size_t k = forks.size(); k-- > 0;) {
      const int first = 1 + static_cast<int>(k) * cut;
      for (int i = first; i < std::min(first + cut, kRecords); ++i)
        Reader(forks[k]).Read(i);
    }
    for (TraceBuilder& fork : forks) whole.Join(std::move(fork));
    EXPECT_EQ(ForkedText(whole), expected) << cut;
  }
}

}  // namespace
}  // namespace stepscope
