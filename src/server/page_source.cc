// SPDX-License-Identifier: Apache-2.0
//
// Writes what the page must not say a second time: words, order and colours of
// analysis/looks.h as TypeScript and CSS, and the types of answers.h. A program
// of the build, which runs before the page is built.
//
// usage: stepscope_page_source FOLDER
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

#include "analysis/looks.h"
#include "server/answers.h"

namespace stepscope {
namespace {

std::string Quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

template <class Colours>
std::string ColoursText(const std::string& name, const Colours& colours) {
  std::string out = "export const " + name + " = {\n";
  for (const Colour& colour : colours) {
    out += "  " + Quoted(colour.key) + ": [" + Quoted(colour.light) + ", " +
           Quoted(colour.dark) + "],\n";
  }
  return out + "} as const;\n";
}

std::string LookText(const Look& look, std::string_view alone = {}) {
  return "  " + Quoted(look.name) + ": { title: " + Quoted(look.title) +
         ", hue: " + Quoted(look.hue) +
         (alone.empty() ? "" : ", alone: " + Quoted(alone)) + " },\n";
}

template <class Looks>
std::string LooksText(const std::string& name, const Looks& looks) {
  std::string out = "export const " + name + ": Looks = {\n";
  for (const auto& look : looks) {
    if constexpr (requires { look.alone; }) {
      out += LookText(look, look.alone);
    } else if constexpr (requires { look.type; }) {
      out += LookText(
          {EventTypeName(look.type), look.title, LookOf(look.event_class).hue});
    } else {
      out += LookText(look);
    }
  }
  return out + "};\n";
}

std::string LegendText() {
  std::string out =
      "export const LEGEND: { hue: Hue; title: string; device: boolean }[] = "
      "[\n";
  for (const Hue& hue : kHues) {
    std::string_view title = hue.title;
    for (const PartLook& part : kStepPartLooks)
      if (title.empty() && part.hue == hue.key) title = part.title;
    out += "  { hue: " + Quoted(hue.key) + ", title: " + Quoted(title) +
           ", device: " + (hue.of_device ? "true" : "false") + " },\n";
  }
  return out + "];\n";
}

std::string TypeScript() {
  std::string series;
  for (const std::string_view hue : kSeriesHues) series += Quoted(hue) + ", ";
  std::string columns;
  for (const std::string_view name : kStepPartColumns)
    columns += Quoted(name) + ", ";
  return "// SPDX-License-Identifier: Apache-2.0\n"
         "// Made by src/server/page_source.cc from src/analysis/looks.h.\n" +
         ColoursText("GROUNDS", kGrounds) + ColoursText("HUES", kHues) +
         "export type Hue = keyof typeof HUES;\n"
         "export const SERIES: Hue[] = [" +
         series +
         "];\n"
         "/** `alone`: the title where no device was recorded. */\n"
         "export interface Look { title: string; hue: Hue; alone?: string }\n"
         "type Looks = Record<string, Look>;\n" +
         LegendText() + LooksText("PARTS", kStepPartLooks) +
         "export const PART_COLUMNS = [" + columns + "];\n" +
         LooksText("CLASSES", kEventClassLooks) +
         LooksText("TYPES", kEventTypeLooks) +
         LooksText("STAGES", kStageLooks) +
         LooksText("OVERLAPS", kOverlapLooks) + LooksText("PATHS", kPathLooks) +
         LooksText("CURVES", kCurveLooks) +
         LooksText("ITERATIONS", kIterationLooks) +
         LooksText("PHASES", kRequestPhaseLooks);
}

std::string StyleSheet() {
  const std::string dark = "{" + ColourVariables(&Colour::dark) + "}\n";
  return "/* SPDX-License-Identifier: Apache-2.0 */\n:root{" +
         ColourVariables(&Colour::light) +
         "}\n@media (prefers-color-scheme:dark){:root" + dark +
         "}\n:root[data-theme=\"light\"]{" + ColourVariables(&Colour::light) +
         "}\n:root[data-theme=\"dark\"]" + dark;
}

// "a, b?: T; ..." as lines of an interface.
std::string FieldsText(std::string_view fields) {
  std::string out;
  while (!fields.empty()) {
    const std::string_view field = fields.substr(0, fields.find(';'));
    fields.remove_prefix(std::min(field.size() + 1, fields.size()));
    const size_t type = field.rfind(": ");
    if (type == field.npos) continue;  // "..."
    std::istringstream names(std::string(field.substr(0, type)));
    for (std::string name; std::getline(names >> std::ws, name, ',');)
      out += "  " + name + std::string(field.substr(type)) + ";\n";
  }
  return out;
}

std::string AnswersText() {
  std::string out =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Made by src/server/page_source.cc from src/server/answers.h.\n";
  for (const server::AnswerType& type : server::kAnswerTypes) {
    const std::string name(type.name);
    out += type.is.find(':') == type.is.npos
               ? "export type " + name + " = " + std::string(type.is) + ";\n"
               : "export interface " + name + " {" +
                     (type.is.ends_with("...") ? "  // and more" : "") + "\n" +
                     FieldsText(type.is) + "}\n";
  }
  return out;
}

// A file that is as it should be stays: what is made from it is newer.
bool Write(const std::filesystem::path& path, const std::string& text) {
  std::ifstream before(path);
  if (before && std::string(std::istreambuf_iterator<char>(before), {}) == text)
    return true;
  return static_cast<bool>(std::ofstream(path) << text << std::flush);
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: stepscope_page_source FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const bool done =
      stepscope::Write(folder / "looks.ts", stepscope::TypeScript()) &&
      stepscope::Write(folder / "looks.css", stepscope::StyleSheet()) &&
      stepscope::Write(folder / "answers.ts", stepscope::AnswersText());
  if (!done) std::cerr << "stepscope_page_source: cannot write " << folder;
  return done ? 0 : 4;
}
