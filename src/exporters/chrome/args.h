// SPDX-License-Identifier: Apache-2.0
//
// The members of "args" that not every event has: its own arguments, ids that
// link it, and what must be said about its record.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/chrome/chrome.h"
#include "exporters/chrome/escaped_names.h"
#include "exporters/chrome/key_set.h"
#include "trace/trace.h"

namespace stepscope::chrome {

// The value of an argument as JSON.
void AppendArgValue(std::string& out, const Trace& trace, const Arg& arg);
// Members of an object that a file had, without braces: each goes to
// add(key, value), key and value as they are written. What is no JSON, as one
// text under "raw_args".
void ForEachRawMember(
    std::string_view members,
    const std::function<void(std::string_view, std::string_view)>& add);

class ArgWriter {
 public:
  ArgWriter(const Trace& trace, EscapedNames& names,
            ChromeStyle style = ChromeStyle::kPlain)
      : trace_(trace), names_(names), raw_(trace), style_(style) {}

  // Appends `,"key":value` for each. Goes before nothing but the closing
  // brace; start_time and end_time stand before it. `name_altered`: what is
  // written for the name is not the name.
  void Append(std::string& out, Row row, std::span<const Arg> args,
              std::span<const Link> links, bool name_altered = false);

 private:
  void AppendKey(std::string& out, std::string_view key);
  // What the tables of the trace know, unless the event itself says it.
  void AppendKnown(std::string& out, std::span<const Arg> args,
                   std::string_view key, int64_t value);
  void AppendOwn(std::string& out, const Arg& arg, bool of_operator);
  bool AppendPaddleValue(std::string& out, std::string_view key,
                         const Arg& arg);
  void AppendPaddleDefaults(std::string& out, bool of_operator, bool device);
  void AppendNotes(std::string& out, Row row, std::span<const Arg> args,
                   bool name_altered);
  void AppendBytes(std::string& out, std::string_view key, StringId text);

  const Trace& trace_;
  EscapedNames& names_;
  RawArgReader raw_;
  ChromeStyle style_;
  KeySet keys_;  // of the event being written
};

}  // namespace stepscope::chrome
