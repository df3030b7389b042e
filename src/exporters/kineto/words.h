// SPDX-License-Identifier: Apache-2.0
//
// Kineto's categories.
#pragma once

#include <cstdint>
#include <string_view>

#include "exporters/kineto/form.h"
#include "trace/trace.h"

namespace stepscope::kineto {

enum class Word : uint8_t {
  kCpuOp,
  kUserAnnotation,
  kPythonFunction,
  kRuntime,
  kDriver,
  kInstant,
  kKernel,
  kMemcpy,
  kMemset,
  kGpuUserAnnotation,
  kSync,
  kEvent,
  kOverhead,
  kCollective,
  kSpan,  // of the profiler itself
  kNone,
};

Word WordOf(const Trace& trace, Row row);
// What is written as "cat"; empty: nothing.
std::string_view CategoryOf(Word word, const Form& form);

// Operators and annotations: what device work is said to belong to.
inline bool IsRange(Word word) {
  return word == Word::kCpuOp || word == Word::kUserAnnotation;
}

// A range that our recorder made around a stage, and torch does not.
bool IsOwnStage(const Trace& trace, Row row);

}  // namespace stepscope::kineto
