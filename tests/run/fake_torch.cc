// SPDX-License-Identifier: Apache-2.0
//
// A libtorch_cpu.so with nothing but the interface for observers, in torch's
// layout or, by FAKE_..., in another one: what a later torch may look like.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#define EXPORT __attribute__((visibility("default")))

namespace at {

enum class RecordScope : uint8_t {};
struct RecordFunction;

struct ObserverContext {
  virtual ~ObserverContext() = default;
};

struct RecordFunctionCallback {
  std::unique_ptr<ObserverContext> (*start)(const RecordFunction&);
  void (*end)(const RecordFunction&, ObserverContext*);
  double sampling_probability;
#ifdef FAKE_SCOPES
  bool earlier;
#endif
  std::array<bool, 10> scopes;
  bool needs[3];
};

namespace {

std::map<uint64_t, RecordFunctionCallback> callbacks;
uint64_t last_handle = 0;

}  // namespace

struct EXPORT RecordFunction {
  explicit RecordFunction(RecordScope scope);
  virtual ~RecordFunction();
  void before(const char* name, int64_t sequence);
  const char* name() const;
  size_t num_inputs() const;

 private:
  RecordScope scope_;
  std::vector<
      std::pair<RecordFunctionCallback, std::unique_ptr<ObserverContext>>>
      running_;
  std::string name_;
  int64_t sequence_ = -1;
  void* inputs_[2] = {};
};

EXPORT uint64_t addGlobalCallback(RecordFunctionCallback callback) {
#ifdef FAKE_CRASH
  std::abort();  // it made something else of the bytes it was given
#endif
  callbacks[++last_handle] = callback;
  return last_handle;
}
EXPORT void removeCallback(uint64_t handle) { callbacks.erase(handle); }

RecordFunction::RecordFunction(RecordScope scope) : scope_(scope) {}
RecordFunction::~RecordFunction() {
  for (auto& [callback, context] : running_) callback.end(*this, context.get());
}
void RecordFunction::before(const char* name, int64_t sequence) {
  name_ = name;
#ifndef FAKE_SEQUENCE
  sequence_ = sequence;
#else
  sequence_ = -sequence;
#endif
  for (const auto& [handle, callback] : callbacks) {
    if (!callback.scopes[static_cast<size_t>(scope_)]) continue;
    running_.emplace_back(callback, callback.start(*this));
  }
}
const char* RecordFunction::name() const {
#ifndef FAKE_NAME
  return name_.c_str();
#else
  return "another name";
#endif
}
size_t RecordFunction::num_inputs() const { return 0; }

}  // namespace at

extern "C" EXPORT void fake_run(const char* name, int scope, int64_t sequence) {
  at::RecordFunction function(static_cast<at::RecordScope>(scope));
  function.before(name, sequence);
}
