// SPDX-License-Identifier: Apache-2.0
//
// Clocks of trainers and parameter servers, which have no collectives: a
// request begins before its handling begins, and its handling ends before the
// reply is there. So each pair of the two bounds the offset between two clocks
// from both sides; what is left between all bounds is the error. A drift is not
// found this way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ranks/align_clocks.h"

namespace stepscope {

// What the name of an event says about a remote call: Paddle's "SendRPC" of a
// trainer is "RequestSend" of a server, with what it is about behind a colon.
struct RpcName {
  bool is_handling = false;
  std::string method;  // "send", the same on both sides
  std::string about;   // "fc_0.w_0@GRAD"; empty: not stated
};
std::optional<RpcName> ParseRpcName(std::string_view name);

// The calls of one file that lies by one clock.
struct RpcMember {
  std::vector<const RankCalls*> calls;
  ClockPrior prior;
};

// Lays clocks that AlignClocks() left alone beside those whose requests they
// handled, or who handled theirs. Calls are paired by a stated sequence number,
// else in their order, if a server states who asked or only one asks for that.
// Returns how many pairs were used.
uint64_t AlignByRpc(std::span<const RpcMember> members,
                    std::vector<AlignedClock>& clocks);

}  // namespace stepscope
