// SPDX-License-Identifier: Apache-2.0
//
// The arguments of an event under Kineto's keys.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "exporters/chrome/escaped_names.h"
#include "exporters/chrome/key_set.h"
#include "exporters/kineto/form.h"
#include "exporters/kineto/ids.h"
#include "exporters/kineto/words.h"
#include "trace/trace.h"

namespace stepscope::kineto {

class ArgWriter {
 public:
  // `ids`: null where the file has ids of its own.
  ArgWriter(const Trace& trace, const Form& form, chrome::EscapedNames& names,
            const RangeIds* ids);

  // Appends `"key":value` with commas between, for all of a row. `out` ends
  // in the brace.
  void Append(std::string& out, Row row, Word word, std::span<const Arg> args,
              std::span<const Link> links);

 private:
  void AppendKey(std::string& out, std::string_view key);
  void AppendOwn(std::string& out, const Arg& arg);
  void AppendInt(std::string& out, std::string_view key, int64_t value);
  void AppendRaw(std::string& out, std::string_view members);
  void AppendIds(std::string& out, Row row, Word word);

  const Trace& trace_;
  const Form& form_;
  chrome::EscapedNames& names_;
  const RangeIds* ids_;
  RawArgReader raw_;
  chrome::KeySet keys_;  // of the event being written
  std::unordered_map<Row, uint32_t> forward_threads_;  // by row of autograd
  int64_t next_index_ = 0;
};

}  // namespace stepscope::kineto
