// SPDX-License-Identifier: Apache-2.0
//
// Result<T> and Status: how everything outside the collector reports failure.
// The accessors are a subset of std::expected's, which C++20 does not have.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace stepscope {

enum class ErrorCode {
  kInvalidArgument,  // the caller asked for something that makes no sense
  kNotFound,         // no such file, name or row
  kIo,               // the operating system refused
  kCorrupt,          // input is not what it claims to be
  kUnsupported,      // understood, but not handled by this build
  kCancelled,        // the caller asked to give up
};

// `message` is one line that names file, offset and expectation:
//   trace.json: byte 8123: "dur" is negative
struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return *get(); }
  const T& operator*() const& { return *get(); }
  T&& operator*() && { return std::move(*get()); }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }

  const Error& error() const {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }

 private:
  T* get() {
    assert(has_value());
    return std::get_if<0>(&state_);
  }
  const T* get() const {
    assert(has_value());
    return std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

struct Unit {};
using Status = Result<Unit>;

inline Status Ok() { return Unit{}; }

// Failures are made here only. Converts to any Result<T>.
inline Error Fail(ErrorCode code, std::string message) {
  return Error{code, std::move(message)};
}

// Adds what the caller knows: "<context>: <message>".
inline Error WithContext(const Error& error, const std::string& context) {
  return Error{error.code, context + ": " + error.message};
}

}  // namespace stepscope

// Returns the error of `expr`, a Status or Result, from the calling function.
#define STEPSCOPE_TRY(expr)                                         \
  do {                                                              \
    auto stepscope_try_result = (expr);                             \
    if (!stepscope_try_result) return stepscope_try_result.error(); \
  } while (false)

#define STEPSCOPE_TRY_CONCAT_(a, b) a##b
#define STEPSCOPE_TRY_CONCAT(a, b) STEPSCOPE_TRY_CONCAT_(a, b)

// STEPSCOPE_TRY_ASSIGN(auto file, Open(path)); one per source line.
#define STEPSCOPE_TRY_ASSIGN(lhs, expr)                            \
  auto STEPSCOPE_TRY_CONCAT(stepscope_try_, __LINE__) = (expr);    \
  if (!STEPSCOPE_TRY_CONCAT(stepscope_try_, __LINE__))             \
    return STEPSCOPE_TRY_CONCAT(stepscope_try_, __LINE__).error(); \
  lhs = *std::move(STEPSCOPE_TRY_CONCAT(stepscope_try_, __LINE__))
