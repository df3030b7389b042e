// SPDX-License-Identifier: Apache-2.0
#include "report/render_memory_whatif.h"

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/grid.h"
#include "report/info/human.h"

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

// What a change costs, or where it comes from.
std::string ChangeText(const MemoryWhatif& whatif, const MemoryWhatifRow& row) {
  if (row.freed_early)
    return CountText(row.freed_early->allocations, "allocation") + " (" +
           BytesText(row.freed_early->bytes) + ") freed a step earlier";
  if (!row.made_again) return {};
  const MadeAgain& again = *row.made_again;
  if (again.calls == 0) return "no call keeps anything for a backward pass";
  const uint64_t steps = std::max<uint64_t>(1, again.steps);
  std::string text =
      CountText(again.calls, "call") + " made again" +
      (again.steps > 0 ? " in " + CountText(steps, "step") : "") +
      ", which adds " +
      HumanDuration(again.host_ns / static_cast<int64_t>(steps)) +
      " of the host";
  if (whatif.has_device_work)
    text += " and " +
            HumanDuration(again.device_ns / static_cast<int64_t>(steps)) +
            " of the device";
  return text + (again.steps > 0 ? " to a step" : "");
}

// What a fit says of a category, and how far it is off.
std::string FitText(const BatchFit& fit) {
  std::string text = "fitted over batches";
  for (const BatchPoint& point : fit.points())
    text += Format("%s x %g", &point == &fit.points().front() ? "" : ",",
                   point.batch);
  std::string lines;
  for (size_t i = 0; i < kMemoryCategories; ++i) {
    const auto category = static_cast<MemoryCategory>(i);
    if (std::abs(fit.bytes_per_batch(category)) < 1) continue;
    lines += std::string(lines.empty() ? ": " : "; ") +
             std::string(MemoryCategoryName(category)) + " " +
             BytesText(std::llround(fit.fixed_bytes(category))) + " and " +
             BytesText(std::llround(fit.bytes_per_batch(category))) +
             " x batch";
  }
  return text + lines +
         (fit.error() ? Format(". Each peak, predicted from the others, is off "
                               "by at most %.1f %%",
                               *fit.error() * 100)
                      : std::string(". Two sizes say nothing about the error "
                                    "of a straight line"));
}

std::vector<std::string> Sentences(const MemoryWhatif& whatif) {
  std::vector<std::string> lines;
  for (const MemoryWhatif::Recorded& recorded : whatif.recorded) {
    lines.push_back(
        VisibleText(WhoseText(recorded)) + ": " +
        CountText(recorded.allocations, "allocation") + ", at most " +
        CountText(recorded.peak_allocated_bytes) + " bytes allocated and " +
        CountText(recorded.peak_reserved_bytes) + " reserved" +
        (recorded.settings.empty() ? std::string()
                                   : " with " + recorded.settings) +
        ". The replay of the unchanged recording reserves " +
        (recorded.exact() ? "the same."
                          : CountText(recorded.replayed_reserved_bytes) + "."));
  }
  for (const MemoryWhatif::Recorded& recorded : whatif.recorded)
    if (recorded.fit)
      lines.push_back(VisibleText(WhoseText(recorded)) + ": " +
                      FitText(*recorded.fit) + ".");
  for (const MemoryWhatifRow& row : whatif.rows) {
    const std::string whose =
        VisibleText(WhoseText(row) + ", " + row.change) + ": ";
    if (const std::string change = ChangeText(whatif, row); !change.empty())
      lines.push_back(whose + change + ".");
    if (const std::string fits = FitsText(whatif, row); !fits.empty())
      lines.push_back(whose + fits + ".");
  }
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
         VisibleText(WhoseText(row))});
  grid.notes = whatif.notes;
  return grid;
}

void WriteRank(const std::optional<int64_t>& rank, JsonWriter& json) {
  json.Key("rank");
  rank ? json.Int(*rank) : json.Null();
}

void WriteFit(const std::optional<BatchFit>& fit, JsonWriter& json) {
  json.Key("fit");
  if (!fit) {
    json.Null();
    return;
  }
  json.BeginObject();
  json.Key("recordings").BeginArray();
  for (const BatchPoint& point : fit->points()) {
    json.BeginObject();
    json.Field("batch", point.batch);
    json.Field("peak_allocated_bytes", point.peak_bytes);
    json.EndObject();
  }
  json.EndArray();
  json.Key("categories").BeginArray();
  for (size_t i = 0; i < kMemoryCategories; ++i) {
    const auto category = static_cast<MemoryCategory>(i);
    json.BeginObject();
    json.Field("category", MemoryCategoryName(category));
    json.Field("fixed_bytes",
               int64_t{std::llround(fit->fixed_bytes(category))});
    json.Field("bytes_per_batch",
               int64_t{std::llround(fit->bytes_per_batch(category))});
    json.EndObject();
  }
  json.EndArray();
  json.Key("error");
  fit->error() ? json.Number(*fit->error()) : json.Null();
  json.EndObject();
}

void WriteChange(const MemoryWhatif& whatif, const MemoryWhatifRow& row,
                 JsonWriter& json) {
  json.Key("made_again");
  if (row.made_again) {
    json.BeginObject();
    json.Field("calls", row.made_again->calls);
    json.Field("steps", row.made_again->steps);
    json.Field("dropped_bytes", row.made_again->dropped_bytes);
    json.Field("host_ns", row.made_again->host_ns);
    json.Key("device_ns");
    whatif.has_device_work ? json.Int(row.made_again->device_ns) : json.Null();
    json.EndObject();
  } else {
    json.Null();
  }
  json.Key("freed_early");
  if (row.freed_early) {
    json.BeginObject();
    json.Field("allocations", row.freed_early->allocations);
    json.Field("bytes", row.freed_early->bytes);
    json.EndObject();
  } else {
    json.Null();
  }
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

std::string RenderMemoryWhatifText(const MemoryWhatif& whatif, size_t width) {
  return SentencesAndGrid(Sentences(whatif), MakeMemoryGrid(whatif), width);
}

std::string RenderMemoryWhatifMarkdown(const MemoryWhatif& whatif) {
  return SentencesAndGridMarkdown(Sentences(whatif), MakeMemoryGrid(whatif));
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
    json.Field("process", recorded.process);
    WriteRank(recorded.rank, json);
    json.Field("settings", recorded.settings);
    json.Field("allocations", recorded.allocations);
    json.Field("peak_allocated_bytes", recorded.peak_allocated_bytes);
    json.Field("peak_reserved_bytes", recorded.peak_reserved_bytes);
    json.Field("replayed_reserved_bytes", recorded.replayed_reserved_bytes);
    WriteFit(recorded.fit, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("device_bytes");
  whatif.device_bytes ? json.Int(*whatif.device_bytes) : json.Null();
  json.Key("changes").BeginArray();
  for (const MemoryWhatifRow& row : whatif.rows) {
    json.BeginObject();
    json.Field("place", row.place);
    json.Field("process", row.process);
    WriteRank(row.rank, json);
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
    WriteChange(whatif, row, json);
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
