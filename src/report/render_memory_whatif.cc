// SPDX-License-Identifier: Apache-2.0
#include "report/render_memory_whatif.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/grid.h"

namespace stepscope {
namespace {

std::string WhereText(const MemoryWhatifRow& row) {
  std::string text;
  if (row.step)
    text += Format(" at step %llu", static_cast<unsigned long long>(*row.step));
  if (!row.name.empty()) text += ", " + VisibleText(row.name);
  if (!row.line.empty() && row.name.find(row.line) == row.name.npos)
    text += ", line " + VisibleText(row.line);
  return text;
}

std::vector<std::string> Sentences(const MemoryWhatif& whatif) {
  std::vector<std::string> lines;
  for (const MemoryWhatif::Recorded& recorded : whatif.recorded) {
    lines.push_back(
        VisibleText(recorded.place) + ": " +
        CountText(recorded.allocations, "allocation") + ", at most " +
        CountText(recorded.peak_allocated_bytes) + " bytes allocated and " +
        CountText(recorded.peak_reserved_bytes) + " reserved" +
        (recorded.settings.empty() ? std::string()
                                   : " with " + recorded.settings) +
        ". The replay of the unchanged recording reserves " +
        (recorded.exact() ? "the same."
                          : CountText(recorded.replayed_reserved_bytes) + "."));
  }
  for (const MemoryWhatifRow& row : whatif.rows)
    if (const std::string fits = FitsText(whatif, row); !fits.empty())
      lines.push_back(VisibleText(row.place) + ", " + VisibleText(row.change) +
                      ": " + fits + ".");
  return lines;
}

Grid MakeMemoryGrid(const MemoryWhatif& whatif) {
  Grid grid;
  grid.title = "What if: memory";
  grid.has_times = false;
  grid.heads = {"Change",   "Reserved at most", "Saving", "Allocated at most",
                "Segments", "Retries",          "Place"};
  for (const MemoryWhatifRow& row : whatif.rows)
    grid.rows.push_back(
        {VisibleText(row.change), BytesText(row.peak_reserved_bytes),
         BytesText(row.saving_bytes), BytesText(row.peak_allocated_bytes),
         CountText(row.segments), CountText(row.retries),
         VisibleText(row.place)});
  grid.notes = whatif.notes;
  return grid;
}

}  // namespace

std::string FitsText(const MemoryWhatif& whatif, const MemoryWhatifRow& row) {
  if (!row.fits || !whatif.device_bytes) return {};
  const std::string head = "fits in " + BytesText(*whatif.device_bytes) + ": ";
  if (*row.fits)
    return head + "yes, with " +
           BytesText(*whatif.device_bytes - row.peak_reserved_bytes) +
           " to spare";
  return head + "no, by " + BytesText(row.short_bytes) + WhereText(row);
}

std::string RenderMemoryWhatifText(const MemoryWhatif& whatif) {
  std::string out;
  for (const std::string& line : Sentences(whatif)) out += line + "\n";
  out += "\n";
  PrintGrid(MakeMemoryGrid(whatif), out);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string RenderMemoryWhatifMarkdown(const MemoryWhatif& whatif) {
  std::string out = "## What if: memory\n\n";
  for (const std::string& line : Sentences(whatif)) out += line + "\n";
  out += "\n";
  PrintMarkdown(MakeMemoryGrid(whatif), out);
  return out;
}

std::string RenderMemoryWhatifJson(const MemoryWhatif& whatif) {
  JsonWriter json;
  json.BeginObject();
  int64_t most = 0;  // of the device that holds most
  for (const MemoryWhatif::Recorded& recorded : whatif.recorded)
    most = std::max(most, recorded.peak_reserved_bytes);
  json.Field("peak_reserved_bytes", most);
  json.Key("recorded").BeginArray();
  for (const MemoryWhatif::Recorded& recorded : whatif.recorded) {
    json.BeginObject();
    json.Field("place", recorded.place);
    json.Field("settings", recorded.settings);
    json.Field("allocations", recorded.allocations);
    json.Field("peak_allocated_bytes", recorded.peak_allocated_bytes);
    json.Field("peak_reserved_bytes", recorded.peak_reserved_bytes);
    json.Field("replayed_reserved_bytes", recorded.replayed_reserved_bytes);
    json.EndObject();
  }
  json.EndArray();
  json.Key("device_bytes");
  whatif.device_bytes ? json.Int(*whatif.device_bytes) : json.Null();
  json.Key("changes").BeginArray();
  for (const MemoryWhatifRow& row : whatif.rows) {
    json.BeginObject();
    json.Field("place", row.place);
    json.Field("change", row.change);
    json.Field("peak_reserved_bytes", row.peak_reserved_bytes);
    json.Field("peak_allocated_bytes", row.peak_allocated_bytes);
    json.Field("saving_bytes", row.saving_bytes);
    json.Field("segments", row.segments);
    json.Field("retries", row.retries);
    json.Key("fits");
    row.fits ? json.Bool(*row.fits) : json.Null();
    json.Field("short_bytes", row.short_bytes);
    json.Key("step");
    row.step ? json.Int(static_cast<int64_t>(*row.step)) : json.Null();
    json.Field("name", row.name);
    json.Field("line", row.line);
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
