// SPDX-License-Identifier: Apache-2.0
#include "report/render_whatif.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/grid.h"

namespace stepscope {
namespace {

// Four digits and the unit that suits them.
std::string TimeText(int64_t ns) {
  const double value = static_cast<double>(ns);
  const double size = value < 0 ? -value : value;
  if (size < 1e3) return Format("%lld ns", static_cast<long long>(ns));
  if (size < 1e6) return Format("%.4g us", value / 1e3);
  if (size < 1e9) return Format("%.4g ms", value / 1e6);
  return Format("%.4g s", value / 1e9);
}

std::string Steps(const Whatif& whatif) {
  if (whatif.steps == 0) {
    return "No steps are marked: the whole window is replayed. It took " +
           TimeText(whatif.recorded_step_ns) + ".";
  }
  return Format("%llu step%s, median ",
                static_cast<unsigned long long>(whatif.steps),
                whatif.steps == 1 ? "" : "s") +
         TimeText(whatif.recorded_step_ns) + " as recorded.";
}

std::vector<std::string> Lines(const Whatif& whatif) {
  std::vector<std::string> lines;
  lines.push_back(Steps(whatif));
  if (whatif.unprofiled_step_ns) {
    lines.push_back(
        "Without the recorder a step takes " +
        TimeText(*whatif.unprofiled_step_ns) +
        Format("; recording made it %.2f times as long.",
               whatif.slow_down.value_or(1)) +
        (whatif.recorder_ns > 0
             ? Format(" About %.1f us per host event are taken out before "
                      "predicting.",
                      whatif.recorder_ns / 1e3)
             : std::string()));
  } else if (whatif.recorded_step_ns > 0) {
    lines.push_back("How long a step takes without the recorder is not known" +
                    (whatif.unprofiled_doubt.empty()
                         ? "."
                         : ": " + whatif.unprofiled_doubt) +
                    " State it with --unprofiled DUR for a better answer.");
  }
  lines.push_back(
      Format("The replay of the unchanged steps gives %s "
             "(%+.2f %%). Delays without a known cause: %s of a "
             "step.",
             TimeText(whatif.replay_step_ns).c_str(), whatif.replay_error * 100,
             TimeText(whatif.unexplained_ns).c_str()));
  return lines;
}

Grid MakeGrid(const Whatif& whatif) {
  Grid grid;
  grid.title = "What if";
  grid.has_times = false;
  grid.heads = {"Change", "Step", "Saving", "Ratio", "Saving from", "to"};
  for (const WhatifChange& change : whatif.changes) {
    grid.rows.push_back({VisibleText(change.change), TimeText(change.step_ns),
                         TimeText(change.saving_ns),
                         Format("%.1f %%", change.saving_ratio * 100),
                         TimeText(change.low_ns), TimeText(change.high_ns)});
  }
  for (const std::string& note : whatif.notes) grid.notes.push_back(note);
  return grid;
}

}  // namespace

std::string RenderWhatifText(const Whatif& whatif, size_t width) {
  return SentencesAndGrid(Lines(whatif), MakeGrid(whatif), width);
}

std::string RenderWhatifMarkdown(const Whatif& whatif) {
  return SentencesAndGridMarkdown(Lines(whatif), MakeGrid(whatif));
}

std::string RenderWhatifJson(const Whatif& whatif) {
  JsonWriter json;
  json.BeginObject();
  json.Field("steps", whatif.steps);
  json.Field("recorded_step_ns", whatif.recorded_step_ns);
  json.Key("unprofiled_step_ns");
  whatif.unprofiled_step_ns ? json.Int(*whatif.unprofiled_step_ns)
                            : json.Null();
  json.Key("slow_down");
  whatif.slow_down ? json.Number(*whatif.slow_down) : json.Null();
  json.Key("replay").BeginObject();
  json.Field("step_ns", whatif.replay_step_ns);
  json.Field("error", whatif.replay_error);
  json.Field("unexplained_ns", whatif.unexplained_ns);
  json.EndObject();
  json.Key("changes").BeginArray();
  for (const WhatifChange& change : whatif.changes) {
    json.BeginObject();
    json.Field("change", change.change);
    json.Field("step_ns", change.step_ns);
    json.Field("saving_ns", change.saving_ns);
    json.Field("saving_ratio", change.saving_ratio);
    json.Field("low_ns", change.low_ns);
    json.Field("high_ns", change.high_ns);
    json.EndObject();
  }
  json.EndArray();
  json.Key("notes").BeginArray();
  for (const std::string& note : whatif.notes) json.String(note);
  json.EndArray();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace stepscope
