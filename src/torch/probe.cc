// SPDX-License-Identifier: Apache-2.0
#include "torch/probe.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

namespace stepscope::torch_abi {
namespace {

constexpr size_t kRoom = 4096;  // torch's own object has less than 400 bytes
constexpr int64_t kSequence = 0x5e9'5c09'e51e'57a6;
constexpr const char* kNames[] = {"stepscope::probe", "stepscope probe"};
constexpr Scope kScopesTried[] = {kFunction, kUserScope};

// What torch's constructor, the call that begins a range, and the destructor
// do, found by name. The second has had three forms.
struct Maker {
  void (*construct)(void* object, Scope scope) = nullptr;
  void (*destroy)(void* object) = nullptr;
  void (*before_text)(void* object, const char* name,
                      int64_t sequence) = nullptr;
  // A std::variant of a string view and a reference: passed in memory.
  struct Descriptor {
    uintptr_t first;
    uintptr_t second;
    unsigned char index;
  };
  void (*before)(void* object, Descriptor name, int64_t sequence) = nullptr;
  bool size_first = false;  // libstdc++'s string view, not torch's own
};

bool FindMaker(void* torch, Maker* maker) {
  if (!Find(torch, "_ZN2at14RecordFunctionC1ENS_11RecordScopeE",
            &maker->construct) ||
      !Find(torch, "_ZN2at14RecordFunctionD1Ev", &maker->destroy))
    return false;
  if (Find(torch, "_ZN2at14RecordFunction6beforeEPKcl", &maker->before_text))
    return true;
  if (Find(torch,
           "_ZN2at14RecordFunction6beforeESt7variantIJN3c1017basic_string_"
           "viewIcEESt17reference_wrapperIKNS2_14FunctionSchemaEEEEl",
           &maker->before))
    return true;
  maker->size_first = true;
  return Find(torch,
              "_ZN2at14RecordFunction6beforeESt7variantIJSt17basic_string_"
              "viewIcSt11char_traitsIcEESt17reference_wrapperIKN3c1014Function"
              "SchemaEEEEl",
              &maker->before);
}

void Begin(const Maker& maker, void* object, const char* name) {
  if (maker.before_text != nullptr)
    return maker.before_text(object, name, kSequence);
  const auto text = reinterpret_cast<uintptr_t>(name);
  const uintptr_t size = std::strlen(name);
  maker.before(object,
               maker.size_first ? Maker::Descriptor{size, text, 0}
                                : Maker::Descriptor{text, size, 0},
               kSequence);
}

// The object under test. Callbacks of other threads have another one and do
// nothing.
std::atomic<const void*> tested{nullptr};

// What was seen of it.
struct Seen {
  const char* (*name)(const RecordFunction*) = nullptr;
  int begins[2] = {};  // by callback: operators, ranges
  int ends[2] = {};
  bool right_name = false;
  size_t sequence = 0;  // its offset; 0 if it is not there once
};
Seen seen;
const char* expected_name;

size_t OffsetOfSequence(const void* object) {
  size_t found = 0;
  for (size_t at = 0; at + sizeof(int64_t) <= kRoom; at += sizeof(int64_t)) {
    int64_t value = 0;
    std::memcpy(&value, static_cast<const char*>(object) + at, sizeof(value));
    if (value != kSequence) continue;
    if (found != 0) return 0;
    found = at;
  }
  return found;
}

template <int kWhich>
std::unique_ptr<ObserverContext> ProbeBegins(const RecordFunction& function) {
  if (tested.load(std::memory_order_relaxed) == &function) {
    ++seen.begins[kWhich];
    const char* name = seen.name(&function);
    seen.right_name = name != nullptr && std::strcmp(name, expected_name) == 0;
    seen.sequence = OffsetOfSequence(&function);
  }
  return nullptr;
}

template <int kWhich>
void ProbeEnds(const RecordFunction& function, ObserverContext*) {
  if (tested.load(std::memory_order_relaxed) == &function) ++seen.ends[kWhich];
}

// Returns where the sequence number is, or 0 with the reason in `why`.
size_t Try(const Maker& maker, const Functions& functions, int which,
           const char** why) {
  alignas(64) static unsigned char object[kRoom];
  std::memset(object, 0, sizeof(object));
  seen = {};
  seen.name = functions.name;
  expected_name = kNames[which];
  tested = object;
  maker.construct(object, kScopesTried[which]);
  Begin(maker, object, expected_name);
  maker.destroy(object);
  tested = nullptr;
  *why = nullptr;
  if (seen.begins[which] != 1 || seen.ends[which] != 1 ||
      seen.begins[1 - which] != 0 || seen.ends[1 - which] != 0)
    *why = "this torch calls its observers in another way";
  else if (!seen.right_name)
    *why = "this torch names its operators in another way";
  else if (seen.sequence == 0)
    *why = "this torch keeps its sequence numbers in another way";
  return *why == nullptr ? seen.sequence : 0;
}

RecordFunctionCallback CallbackOf(StartCallback start, EndCallback end,
                                  Scope scope) {
  RecordFunctionCallback callback = {start, end};
  callback.scopes[scope] = true;
  return callback;
}

}  // namespace

const char* Probe(void* torch, const Functions& functions, Layout* layout) {
  Maker maker;
  if (!FindMaker(torch, &maker))
    return "this torch has another interface for observers";
  const uint64_t operators = functions.add_global_callback(
      CallbackOf(&ProbeBegins<0>, &ProbeEnds<0>, kFunction));
  const uint64_t ranges = functions.add_global_callback(
      CallbackOf(&ProbeBegins<1>, &ProbeEnds<1>, kUserScope));
  const char* why = nullptr;
  const size_t first = Try(maker, functions, 0, &why);
  const char* why_range = nullptr;
  const size_t second = Try(maker, functions, 1, &why_range);
  functions.remove_callback(ranges);
  functions.remove_callback(operators);
  if (why != nullptr) return why;
  if (why_range != nullptr) return why_range;
  if (first != second)
    return "this torch keeps its sequence numbers in another way";
  layout->sequence = first;
  return nullptr;
}

}  // namespace stepscope::torch_abi
