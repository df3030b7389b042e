// SPDX-License-Identifier: Apache-2.0
//
// Writes a capture of a server with its requests: a trace whose marks name no
// request, and the truth beside it, which says who took part in each iteration.
// Kernels, launches and times are those that were recorded on the GPU.
//
// usage: viewer_serving_trace TRACE TRUTH.json CAPTURE
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "analysis/serving/iterations.h"
#include "exporters/exporter.h"
#include "importers/registry.h"
#include "trace/build/trace_builder.h"
#include "trace/request_events.h"

namespace stepscope {
namespace {

struct Member {
  int64_t request = 0;
  MemberKind kind = MemberKind::kUnknown;
  int64_t tokens = 0;
};

// [[0, "ctx", 40], [1, "gen", 1]] of each iteration, in order.
std::vector<std::vector<Member>> ReadTruth(const std::string& text) {
  std::vector<std::vector<Member>> iterations;
  constexpr std::string_view kKey = "\"members\": [";
  for (size_t at = text.find(kKey); at != text.npos;
       at = text.find(kKey, at + 1)) {
    std::vector<Member>& members = iterations.emplace_back();
    const char* here = text.c_str() + at + kKey.size();
    while (*here != ']') {
      char kind[4] = {};
      long long request = 0;
      long long tokens = 0;
      int length = 0;
      if (std::sscanf(here, "[%lld, \"%3[a-z]\", %lld]%n", &request, kind,
                      &tokens, &length) != 3)
        break;
      members.push_back(
          {request, kind[0] == 'c' ? MemberKind::kPrefill : MemberKind::kDecode,
           tokens});
      here += length;
      while (*here == ',' || *here == ' ') ++here;
    }
  }
  return iterations;
}

class Writer {
 public:
  explicit Writer(const Trace& trace) : trace_(trace) {
    builder_.Add(trace, ClockMap());
  }

  Status Write(const std::vector<std::vector<Member>>& truth,
               const std::string& path) {
    const EventTree tree(trace_);
    const IterationTable table = ComputeIterations(tree);
    if (table.list.empty() || truth.size() < table.list.size())
      return Fail(ErrorCode::kInvalidArgument, "the truth is of another trace");
    Track track;
    track.process = table.list.front().process;
    track.id = 1;
    track.name = builder_.Intern("clients");
    track_ = builder_.AddTrack(track);
    for (size_t i = 0; i < table.list.size(); ++i)
      AddIteration(table.list[i], truth[i]);
    for (const auto& [number, times] : seen_) AddRequest(number, times);
    STEPSCOPE_TRY_ASSIGN(const auto made, builder_.Finish());
    return ExportFile(*made, *FindExporter("capture"), path);
  }

 private:
  struct Times {
    int64_t first_ns = 0;
    int64_t end_ns = 0;
    int64_t tokens_in = 0;
  };

  void AddList(Row row, std::string_view key,
               const std::vector<int64_t>& values) {
    Arg arg;
    arg.row = row;
    arg.key = builder_.Intern(key);
    builder_.AddListArg(arg, values);
  }

  void AddIteration(const IterationRow& one,
                    const std::vector<Member>& members) {
    std::vector<int64_t> values;
    const int64_t end =
        std::max(one.device_end_ns.value_or(0), one.start_ns + one.host_ns);
    for (const Member& member : members) {
      values.push_back((member.request + 1) * 8 +
                       static_cast<int64_t>(member.kind));
      values.push_back(member.tokens);
      Times& times =
          seen_.try_emplace(member.request, Times{one.start_ns, 0, 0})
              .first->second;
      times.end_ns = end;
      if (member.kind == MemberKind::kPrefill) times.tokens_in += member.tokens;
    }
    AddList(one.row, kMembersKey, values);
  }

  void AddRequest(int64_t number, const Times& times) {
    // Those that come later wait longer.
    const int64_t waited = 150'000 + 90'000 * number;
    const int64_t arrival = times.first_ns - waited;
    const Row begin = AddEvent(kRequestBegins, arrival);
    AddList(begin, kRequestKey, {number + 1, times.tokens_in, 0, 0});
    builder_.AddText(begin, kRequestIdKey, "req-" + std::to_string(number));
    AddList(AddEvent(kRequestEnds, times.end_ns), kRequestKey, {number + 1});
  }

  Row AddEvent(std::string_view name, int64_t start) {
    return builder_.AddEvent(
        {track_, start, 0, builder_.Intern(name), kRequestType, kEventInstant});
  }

  const Trace& trace_;
  TraceBuilder builder_;
  uint32_t track_ = 0;
  std::map<int64_t, Times> seen_;
};

Status Run(const std::string& from, const std::string& truth,
           const std::string& to) {
  STEPSCOPE_TRY_ASSIGN(const auto trace, ImportFile(from));
  std::ifstream file(truth);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return Writer(*trace).Write(ReadTruth(text), to);
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr,
                 "usage: viewer_serving_trace TRACE TRUTH.json CAPTURE\n");
    return 2;
  }
  const stepscope::Status status = stepscope::Run(argv[1], argv[2], argv[3]);
  if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status ? 0 : 1;
}
