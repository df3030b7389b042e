// SPDX-License-Identifier: Apache-2.0
#include "server/events/find.h"

#include <regex.h>

#include <algorithm>
#include <queue>
#include <utility>

#include "base/json_writer.h"
#include "server/events/event_json.h"
#include "server/http/host_name.h"

namespace stepscope::server {
namespace {

constexpr size_t kLongestText = 256;
// More than anybody reads in a list.
constexpr size_t kMostHits = 5000;

Error BadQuery(std::string why) {
  return Fail(ErrorCode::kInvalidArgument, "q: " + std::move(why));
}

// A pattern of POSIX: no way to write one that takes for ever, once counts
// and references back are left out.
class Pattern {
 public:
  ~Pattern() {
    if (compiled_) regfree(&regex_);
  }
  bool Compile(const std::string& text) {
    compiled_ = regcomp(&regex_, text.c_str(),
                        REG_EXTENDED | REG_ICASE | REG_NOSUB) == 0;
    return compiled_;
  }
  bool Matches(std::string_view name) const {
    return regexec(&regex_, std::string(name).c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t regex_ = {};
  bool compiled_ = false;
};

Status CheckPattern(const std::string& pattern) {
  if (pattern.find('{') != pattern.npos)
    return BadQuery("counts as in a{3} are not possible here");
  for (size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    ++i;
    if (pattern[i] >= '0' && pattern[i] <= '9')
      return BadQuery("references as in \\1 are not possible here");
  }
  return Ok();
}

}  // namespace

Result<std::vector<bool>> MatchNames(const Trace& trace,
                                     const std::string& text) {
  if (text.empty()) return BadQuery("expected a part of a name");
  if (text.size() > kLongestText) return BadQuery("too long");
  const bool is_pattern =
      text.size() > 2 && text.front() == '/' && text.back() == '/';
  const std::string wanted =
      is_pattern ? text.substr(1, text.size() - 2) : Lower(text);
  Pattern pattern;
  if (is_pattern) {
    STEPSCOPE_TRY(CheckPattern(wanted));
    if (!pattern.Compile(wanted)) return BadQuery("not a regular expression");
  }
  std::vector<bool> matches(trace.strings().size(), false);
  std::vector<bool> used(trace.strings().size(), false);
  for (const StringId name : trace.name()) used[name.v] = true;
  for (uint32_t i = 0; i < matches.size(); ++i) {
    if (!used[i]) continue;
    const std::string_view name = trace.str(StringId{i});
    matches[i] = is_pattern ? pattern.Matches(name)
                            : Lower(name).find(wanted) != std::string::npos;
  }
  return matches;
}

Result<std::string> FindJson(const OpenTrace& open,
                             const FindRequest& request) {
  const Trace& trace = open.trace();
  STEPSCOPE_TRY_ASSIGN(const std::vector<bool> matches,
                       MatchNames(trace, request.text));
  // By time, then by row.
  using Place = std::pair<int64_t, Row>;
  const auto place = [&](Row row) { return Place(trace.start_ns()[row], row); };
  Place from = {request.from + open.origin_ns(), request.forwards ? 0 : kNoRow};
  const bool strictly = request.after != kNoRow;
  if (strictly) from = place(request.after);
  const Place none = {INT64_MAX, kNoRow};
  Place best = none;     // in the direction that was asked for
  Place wrapped = none;  // from the other end
  uint64_t count = 0;
  const auto before = [&](const Place& a, const Place& b) {
    if (b == none) return true;
    return request.forwards ? a < b : b < a;
  };
  for (Row row = 0; row < trace.size(); ++row) {
    if (!matches[trace.name()[row].v]) continue;
    ++count;
    const Place here = place(row);
    if (before(here, wrapped)) wrapped = here;
    const bool ahead = request.forwards
                           ? (strictly ? here > from : here >= from)
                           : (strictly ? here < from : here <= from);
    if (ahead && before(here, best)) best = here;
  }
  if (best == none) best = wrapped;
  uint64_t index = 0;
  for (Row row = 0; row < trace.size() && count > 0; ++row)
    if (matches[trace.name()[row].v] && place(row) <= best) ++index;
  JsonWriter json;
  json.BeginObject().Field("count", count);
  json.Field("names",
             uint64_t(std::count(matches.begin(), matches.end(), true)));
  json.Field("index", index);
  if (count == 0)
    json.Key("row").Null();
  else
    WriteEventPlace(json, open, best.second);
  json.EndObject();
  return json.Take();
}

Result<std::string> HitsJson(const OpenTrace& open, const std::string& text) {
  const Trace& trace = open.trace();
  STEPSCOPE_TRY_ASSIGN(const std::vector<bool> matches,
                       MatchNames(trace, text));
  // The first so far, the last of them on top: memory does not grow with the
  // number of events.
  using Place = std::pair<int64_t, Row>;
  std::priority_queue<Place> first;
  uint64_t count = 0;
  for (Row row = 0; row < trace.size(); ++row) {
    if (!matches[trace.name()[row].v]) continue;
    ++count;
    const Place here(trace.start_ns()[row], row);
    if (first.size() == kMostHits && first.top() < here) continue;
    first.push(here);
    if (first.size() > kMostHits) first.pop();
  }
  std::vector<Row> rows(first.size());
  for (auto row = rows.rbegin(); row != rows.rend(); ++row, first.pop())
    *row = first.top().second;
  JsonWriter json;
  json.BeginObject().Field("count", count).Key("rows").BeginArray();
  for (const Row row : rows) {
    json.BeginObject();
    WriteEventPlace(json, open, row);
    json.EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
