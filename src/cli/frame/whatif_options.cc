// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/whatif_options.h"

#include <string_view>

#include "analysis/replay/change.h"
#include "cli/frame/help.h"

namespace stepscope {
namespace {

// "kernel:" of "kernel:GLOB=FACTOR", for completion.
std::vector<std::string> ChangeBeginnings() {
  std::vector<std::string> beginnings;
  for (const ChangeForm& change : ChangeForms()) {
    const std::string_view form = change.form;
    beginnings.emplace_back(
        form.substr(0, form.find_first_of("[ABCDEFGHIJKLMNOPQRSTUVWXYZ")));
  }
  return beginnings;
}

}  // namespace

std::vector<Option> ChangeOptions(WhatifArguments& arguments) {
  return {
      {.name = "--change",
       .value = "CHANGE[=FACTOR]",
       .kind = ValueKind::kText,
       .meaning = "what to change, see below; may be given several "
                  "times",
       .offers = ChangeBeginnings(),
       .group = "What to change",
       .target = &arguments.changes},
      {.name = "--memory",
       .meaning = "replay the allocations, not the steps",
       .group = "Memory",
       .target = &arguments.memory},
      {.name = "--setting",
       .value = "NAME:VALUE",
       .kind = ValueKind::kText,
       .meaning = "a setting of torch's allocator, as in "
                  "PYTORCH_CUDA_ALLOC_CONF; several after commas are one "
                  "question; may be given several times",
       .offers = {"expandable_segments:True", "garbage_collection_threshold:",
                  "max_split_size_mb:", "roundup_power2_divisions:"},
       .group = "Memory",
       .target = &arguments.settings},
      {.name = "--device-memory",
       .value = "SIZE",
       .kind = ValueKind::kText,
       .meaning = "what the allocator may reserve, like 80GiB",
       .group = "Memory",
       .target = &arguments.device_memory},
      {.name = "--batch",
       .value = "FACTOR",
       .kind = ValueKind::kText,
       .meaning = "that many times the recorded batch size",
       .group = "Memory",
       .target = &arguments.batch},
      {.name = "--recorded",
       .value = "FACTOR=FILE",
       .kind = ValueKind::kText,
       .meaning = "a recording with so many times the batch size, by which "
                  "--batch knows how memory grows; may be given several times",
       .group = "Memory",
       .target = &arguments.recorded},
      {.name = "--checkpoint",
       .value = "MODULE",
       .kind = ValueKind::kText,
       .meaning = "what calls of a module or of a marked range keep for the "
                  "backward pass is freed, and computed once more there; may "
                  "be given several times",
       .group = "Memory",
       .target = &arguments.checkpoints},
      {.name = "--free-early",
       .meaning = "what a step made and the next one freed is freed when the "
                  "first ends",
       .group = "Memory",
       .target = &arguments.free_early}};
}

std::string DescribeChanges() {
  constexpr size_t kIndent = 6;
  constexpr size_t kWidth = 80;
  std::string text = "Changes:\n";
  for (const ChangeForm& form : ChangeForms()) {
    text += "  " + std::string(form.form) + "\n" + std::string(kIndent, ' ') +
            WrapText(std::string(form.meaning), kIndent, kWidth) + "\n";
  }
  return text +
         "FACTOR is what remains of the time: 0.5 is half of it. GLOB is a "
         "name; * matches\nany text, ? any character.";
}

}  // namespace stepscope
