// SPDX-License-Identifier: Apache-2.0
//
// What the marks of inference engines say: the name of the range that an engine
// puts around one iteration of its loop tells which requests and how many
// tokens it works on. vLLM, SGLang, TensorRT-LLM and ATOM have forms of their
// own, which change from version to version; iteration_mark_test.cc has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

enum class IterationKind : uint8_t {
  kPrefill,  // reads prompts
  kDecode,   // one token more for each request
  kMixed,    // both
  kVerify,   // the large model checks what a draft proposed
  kDraft,
  kCapture,  // records a graph
  kIdle,     // nothing to do, in step with other ranks
  kUnknown,
};
inline constexpr size_t kIterationKinds = 8;
std::string_view NameOf(IterationKind kind);

struct IterationMark {
  std::string_view engine;
  IterationKind kind = IterationKind::kUnknown;
  // Absent where the name does not say.
  std::optional<int64_t> requests = {};
  std::optional<int64_t> tokens_context = {};
  std::optional<int64_t> tokens_generation = {};
  std::optional<int64_t> padded_requests = {};  // as many as were computed
  bool parsed = true;  // false: begins like a mark and goes on otherwise

  // Of two marks around the same work, the one that says more counts.
  int says() const {
    return int{requests.has_value()} + int{tokens_context.has_value()} +
           int{tokens_generation.has_value()} +
           int{kind != IterationKind::kUnknown};
  }
};

// Nothing: the name is not a mark.
std::optional<IterationMark> ParseIterationMark(std::string_view name);
// Of a range that the user called an iteration: its kind if the name says it,
// as "prefill" and "decode_step 7" do.
IterationMark MarkOfAnyName(std::string_view name);

}  // namespace stepscope
