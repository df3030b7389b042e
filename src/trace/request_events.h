// SPDX-License-Identifier: Apache-2.0
//
// How a capture tells of the requests of a server. A recorder gives each
// request a number, unique in its process, and records these events of type
// kRequestType, in which `stepscope.request` is a list of integers:
//
//   request         [number, tokens_in, age_ns, how]   id, traceparent
//   request token   [number, count] repeated for each request of a batch
//   request end     [number]                           error
//
// "request" comes first in each recording, when the request arrives, or else
// before the first of its other events; age_ns then says for how long it has
// existed. `how`: 0, the program said when it came; 1, an iteration named it,
// so that nobody knows. tokens_in is -1 where it is not known. A member may say
// `clipped`: such an id is not whole.
//
// An iteration is a range "iteration[decode]" of the user's type, or whatever
// range has `stepscope.members`: a list [number * 8 + kind, tokens] repeated
// for each request, and several such lists where there are many; kinds are
// those of MemberKind.
#pragma once

#include <stepscope/c.h>

#include <cstdint>
#include <string_view>

namespace stepscope {

inline constexpr uint16_t kRequestType = STEPSCOPE_REQUEST;

inline constexpr std::string_view kRequestBegins = "request";
inline constexpr std::string_view kRequestTokens = "request token";
inline constexpr std::string_view kRequestEnds = "request end";
inline constexpr std::string_view kRequestKey = "stepscope.request";
inline constexpr std::string_view kRequestIdKey = "id";
inline constexpr std::string_view kTraceparentKey = "traceparent";
inline constexpr std::string_view kRequestErrorKey = "error";
inline constexpr std::string_view kMembersKey = "stepscope.members";

// Stored: never renumber.
enum class MemberKind : uint8_t {
  kUnknown = 0,
  kPrefill = 1,
  kDecode = 2,
  kVerify = 3,
  kDraft = 4,
};

}  // namespace stepscope
