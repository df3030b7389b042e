// SPDX-License-Identifier: Apache-2.0
//
// Redactor: shows recorded text, or hides it behind a hash. One text has one
// hash in the whole report. The hash is salted, so that nobody can find a name
// by hashing names that they guess.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "analysis/schema.h"
#include "trace/trace.h"

namespace stepscope::html {

class Redactor {
 public:
  // Shows everything as it was recorded.
  Redactor() = default;
  // Hides what `trace` holds, which must outlive this.
  Redactor(const Trace& trace, std::string salt);

  bool hides() const { return trace_ != nullptr; }

  // A name, host or path of the trace.
  std::string Name(std::string_view text) const;
  // What a device or a kind of memory is called: "GPU0" and "Place(gpu:0)"
  // tell nothing and stay.
  std::string Place(std::string_view text) const;
  // A sentence of ours with names in it; each of them is hidden.
  std::string Sentence(std::string_view text) const;
  // The cell of a declared table: stays where the column holds words of ours.
  std::string Cell(std::string_view table, std::string_view column,
                   std::string_view text) const;

 private:
  std::string Hash(std::string_view text) const;
  bool IsPartOfName(std::string_view word) const;

  const Trace* trace_ = nullptr;
  std::string salt_;
  std::unordered_set<std::string> names_;  // visible
};

}  // namespace stepscope::html
