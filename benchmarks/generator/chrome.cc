// SPDX-License-Identifier: Apache-2.0
//
// Chrome trace-event JSON of no particular tool: the array form, complete
// events, arrows and counters.
#include <string>

#include "exporters/chrome/json_text.h"
#include "generator/formats.h"

namespace stepscope::generator {
namespace {

using chrome::AppendInt;
using chrome::AppendMicros;
using chrome::AppendUint;

// Processes: the host's pid, and one for the device.
constexpr int64_t kDevicePid = 1;

void AppendWhere(std::string& out, const Workload& workload,
                 const Record& record) {
  out += R"(,"pid":)";
  AppendInt(out, record.on_host() ? workload.pid() : kDevicePid);
  out += R"(,"tid":)";
  AppendInt(out, workload.tid(record.line));
  out += R"(,"ts":)";
  AppendMicros(out, record.start_ns);
}

void AppendMeta(std::string& out, const char* what, int64_t pid, int64_t tid,
                const char* name) {
  out += R"({"name":")";
  out += what;
  out += R"(","ph":"M","pid":)";
  AppendInt(out, pid);
  out += R"(,"tid":)";
  AppendInt(out, tid);
  out += R"(,"args":{"name":")";
  out += name;
  out += "\"}},\n";
}

void AppendRecord(std::string& out, const Workload& workload, Names& names,
                  const Record& record) {
  if (record.is_memory()) {
    out += R"({"name":"allocated","ph":"C")";
    AppendWhere(out, workload, record);
    out += R"(,"args":{"bytes":)";
    AppendInt(out, record.total);
    out += "}},\n";
    return;
  }
  out += R"({"name":")";
  out += names.Of(record);
  // A list of categories, none of which is a framework's.
  out += R"(","cat":"generated,)";
  out += KindName(record.kind);
  out += R"(","ph":"X")";
  AppendWhere(out, workload, record);
  out += R"(,"dur":)";
  AppendMicros(out, record.dur_ns);
  out += R"(,"args":{"op":)";
  AppendUint(out, record.op);
  out += "}},\n";
  if (record.correlation == 0) return;
  const bool call = record.kind == Kind::kLaunch;
  out += call ? R"({"name":"launch","cat":"flow","ph":"s","id":)"
              : R"({"name":"launch","cat":"flow","ph":"f","bp":"e","id":)";
  AppendUint(out, record.correlation);
  AppendWhere(out, workload, record);
  out += "},\n";
}

}  // namespace

Status WriteChrome(const Workload& workload, OutBuffer& out) {
  Names names(Dialect::kPaddle, workload.options().names);
  std::string text = "[\n";
  AppendMeta(text, "process_name", workload.pid(), 0, "host");
  AppendMeta(text, "process_name", kDevicePid, 0, "device");
  AppendMeta(text, "thread_name", workload.pid(), workload.tid(kMain), "main");
  AppendMeta(text, "thread_name", workload.pid(), workload.tid(kAutograd),
             "autograd");
  workload.Walk([&](const Record& record) {
    AppendRecord(text, workload, names, record);
    out.Append(text);
    text.clear();
  });
  out.RemoveSuffix(2);
  out.Append("\n]\n");
  return out.Finish();
}

}  // namespace stepscope::generator
