// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/iteration_mark.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope {
namespace {

constexpr std::string_view kVllm = "vLLM";
constexpr std::string_view kSglang = "SGLang";
constexpr std::string_view kTensorRt = "TensorRT-LLM";
constexpr std::string_view kAtom = "ATOM";

// No engine has more of anything; what says more is not a count.
constexpr int64_t kMostOfAnything = 1'000'000'000'000;

// Takes a name apart from its front. After a mismatch nothing matches.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool Take(std::string_view prefix) {
    if (!good_ || !rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }
  Reader& Expect(std::string_view prefix) {
    good_ = Take(prefix);
    return *this;
  }
  Reader& Number(int64_t* value) {
    size_t digits = 0;
    *value = 0;
    while (good_ && digits < rest_.size() && rest_[digits] >= '0' &&
           rest_[digits] <= '9' && *value <= kMostOfAnything)
      *value = *value * 10 + (rest_[digits++] - '0');
    good_ = good_ && digits > 0 && *value <= kMostOfAnything;
    if (good_) rest_.remove_prefix(digits);
    return *this;
  }
  // Up to `end`, which goes with it.
  Reader& Skip(char end) {
    const size_t at = rest_.find(end);
    good_ = good_ && at != rest_.npos;
    if (good_) rest_.remove_prefix(at + 1);
    return *this;
  }
  bool AtEnd() const { return good_ && rest_.empty(); }
  bool good() const { return good_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

IterationKind KindOf(int64_t context, int64_t generation) {
  if (context > 0)
    return generation > 0 ? IterationKind::kMixed : IterationKind::kPrefill;
  return generation > 0 ? IterationKind::kDecode : IterationKind::kIdle;
}

IterationMark OfCounts(std::string_view engine, int64_t context,
                       int64_t generation) {
  IterationMark mark;
  mark.engine = engine;
  mark.kind = KindOf(context, generation);
  mark.requests = context + generation;
  return mark;
}

IterationMark Unparsed(std::string_view engine) {
  IterationMark mark;
  mark.engine = engine;
  mark.parsed = false;
  return mark;
}

// "(888)", "(888_788544)" or "(sq8155sk8430sqsq7475785sqsk7671310)".
void ReadTokens(Reader& reader, int64_t* tokens) {
  reader.Expect("(");
  reader.Take("sq");
  reader.Number(tokens).Skip(')');
}

// execute_new_2_cached_5
// execute_context_1(888)_generation_37(37)
// execute_8192_context_9(sq8155sk…)_generation_37(sq37sk…)
IterationMark Execute(Reader reader) {
  int64_t context = 0;
  int64_t generation = 0;
  if (reader.Take("new_")) {
    reader.Number(&context).Expect("_cached_").Number(&generation);
    if (!reader.AtEnd()) return Unparsed(kVllm);
    return OfCounts(kVllm, context, generation);
  }
  if (!reader.Take("context_")) {
    int64_t all = 0;
    reader.Number(&all).Expect("_context_");
  }
  int64_t context_tokens = 0;
  int64_t generation_tokens = 0;
  reader.Number(&context);
  ReadTokens(reader, &context_tokens);
  reader.Expect("_generation_").Number(&generation);
  ReadTokens(reader, &generation_tokens);
  if (!reader.AtEnd()) return Unparsed(kVllm);
  IterationMark mark = OfCounts(kVllm, context, generation);
  mark.tokens_context = context_tokens;
  mark.tokens_generation = generation_tokens;
  return mark;
}

// capture_32_FULL
IterationMark Capture(Reader reader) {
  IterationMark mark;
  mark.engine = kVllm;
  mark.kind = IterationKind::kCapture;
  int64_t size = 0;
  mark.parsed = reader.Number(&size).Expect("_").good();
  if (mark.parsed) mark.padded_requests = size;
  return mark;
}

// The value of "key=" in a list that blanks separate.
std::optional<int64_t> Value(std::string_view list, std::string_view key) {
  for (size_t at = list.find(key); at != list.npos;
       at = list.find(key, at + 1)) {
    if (at > 0 && list[at - 1] != ' ' && list[at - 1] != '[') continue;
    Reader reader(list.substr(at + key.size()));
    int64_t value = 0;
    if (reader.Take("=") && reader.Number(&value).good()) return value;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, IterationKind>, 9> kModes = {{
    {"EXTEND", IterationKind::kPrefill},
    {"SPLIT_PREFILL", IterationKind::kPrefill},
    {"DLLM_EXTEND", IterationKind::kPrefill},
    {"DECODE", IterationKind::kDecode},
    {"MIXED", IterationKind::kMixed},
    {"IDLE", IterationKind::kIdle},
    {"TARGET_VERIFY", IterationKind::kVerify},
    {"DRAFT_EXTEND", IterationKind::kDraft},
    {"DRAFT_EXTEND_V2", IterationKind::kDraft},
}};

// step[EXTEND bs=15 toks=15360], step[DECODE bs=32],
// step[MIXED bs=66 c=2 g=64 c_sq=2048 c_sk=… g_sq=64 …]
IterationMark Step(std::string_view name) {
  IterationMark mark;
  mark.engine = kSglang;
  const std::string_view list = name.substr(0, name.find(']'));
  const std::string_view mode = list.substr(5, list.find(' ') - 5);
  for (const auto& [word, kind] : kModes)
    if (mode == word) mark.kind = kind;
  mark.requests = Value(list, "bs");
  mark.tokens_context = Value(list, "c_sq");
  mark.tokens_generation = Value(list, "g_sq");
  if (!mark.tokens_context && mark.kind == IterationKind::kPrefill)
    mark.tokens_context = Value(list, "toks");
  if (!mark.tokens_generation && mark.kind == IterationKind::kDecode)
    mark.tokens_generation = mark.requests;
  mark.parsed = name.ends_with(']') && mark.requests.has_value();
  return mark;
}

// [Executor] _forward_step 42: 2 ctx reqs, 30 gen reqs
IterationMark ForwardStep(Reader reader) {
  int64_t number = 0;
  if (reader.Take(" ")) reader.Number(&number);
  int64_t context = 0;
  int64_t generation = 0;
  reader.Expect(": ").Number(&context).Expect(" ctx reqs, ");
  reader.Number(&generation).Expect(" gen reqs");
  if (!reader.good()) return Unparsed(kTensorRt);
  IterationMark mark = OfCounts(kTensorRt, context, generation);
  mark.tokens_generation = generation;
  int64_t tokens = 0;
  if (reader.Take(", ") && reader.Number(&tokens).Expect(" ctx tokens").good())
    mark.tokens_context = tokens;
  else if (context == 0)
    mark.tokens_context = 0;
  return mark;
}

// prefill[bs=2 tok=14721 ctx=[7803, 6918]], decode[bs=117/128 tok=117 d=117]
IterationMark Atom(std::string_view list, IterationKind kind) {
  IterationMark mark;
  mark.engine = kAtom;
  mark.kind = kind;
  mark.requests = Value(list, "bs");
  const bool decode = kind == IterationKind::kDecode;
  (decode ? mark.tokens_generation : mark.tokens_context) = Value(list, "tok");
  (decode ? mark.tokens_context : mark.tokens_generation) = 0;
  const size_t slash = list.find('/');
  int64_t padded = 0;
  if (slash != list.npos && slash < list.find(' ') &&
      Reader(list.substr(slash + 1)).Number(&padded).good())
    mark.padded_requests = padded;
  mark.parsed = list.ends_with(']') && mark.requests.has_value();
  return mark;
}

constexpr std::string_view kKindNames[kIterationKinds] = {
    "prefill", "decode",  "mixed", "verify",
    "draft",   "capture", "idle",  "unknown"};

// iteration[decode]: stepscope.iteration(), whose members are arguments.
IterationMark OwnMark(std::string_view name) {
  IterationMark mark;
  mark.engine = "stepscope";
  const std::string_view word = name.substr(10, name.find(']') - 10);
  for (size_t i = 0; i < kIterationKinds; ++i)
    if (word == kKindNames[i]) mark.kind = static_cast<IterationKind>(i);
  return mark;
}

}  // namespace

std::string_view NameOf(IterationKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

IterationMark MarkOfAnyName(std::string_view name) {
  IterationMark mark;
  mark.engine = "ranges";
  const auto says = [&](std::string_view word) {
    return std::search(name.begin(), name.end(), word.begin(), word.end(),
                       [](char a, char b) {
                         return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b;
                       }) != name.end();
  };
  const bool prefill = says("prefill");
  const bool decode = says("decode");
  if (says("mixed") || (prefill && decode))
    mark.kind = IterationKind::kMixed;
  else if (prefill || decode)
    mark.kind = prefill ? IterationKind::kPrefill : IterationKind::kDecode;
  else if (says("verify"))
    mark.kind = IterationKind::kVerify;
  else if (says("draft"))
    mark.kind = IterationKind::kDraft;
  return mark;
}

std::optional<IterationMark> ParseIterationMark(std::string_view name) {
  Reader reader(name);
  if (reader.Take("execute_") && (reader.rest().starts_with("new_") ||
                                  reader.rest().find("context_") < 24))
    return Execute(reader);
  if (reader = Reader(name); reader.Take("capture_") &&
                             !reader.rest().empty() &&
                             reader.rest()[0] >= '0' && reader.rest()[0] <= '9')
    return Capture(reader);
  if (name.starts_with("step[")) return Step(name);
  if (name.starts_with("iteration[") && name.ends_with(']'))
    return OwnMark(name);
  if (reader = Reader(name); reader.Take("[Executor] _forward_step"))
    return ForwardStep(reader);
  if (name.starts_with("prefill[bs="))
    return Atom(name, IterationKind::kPrefill);
  if (name.starts_with("decode[bs=")) return Atom(name, IterationKind::kDecode);
  // Around one or several step[…]: with speculative decoding a token takes more
  // than one.
  if (name == "scheduler.run_batch") {
    IterationMark mark;
    mark.engine = kSglang;
    return mark;
  }
  return std::nullopt;
}

}  // namespace stepscope
