// SPDX-License-Identifier: Apache-2.0
//
// Header: what a document says beside its events. Its members come in any
// order, before the events and after them.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/build/trace_builder.h"

namespace stepscope::json {

class Header {
 public:
  // Takes a member as it is written. All of them become metadata of the
  // file's process.
  void Add(TraceBuilder& builder, uint32_t process, std::string_view key,
           std::string_view value);

  // What was recorded, where the file says it: in the end, because times may
  // count from `origin_ns`.
  void AddWindow(TraceBuilder& builder, int64_t origin_ns) const;

  // The keys of a file by Paddle, or by our exporter.
  bool has_paddle_keys() const { return paddle_; }
  // Written by Paddle itself: names end in their duration, times are whole
  // microseconds and stand more exactly in the arguments.
  bool by_paddle() const { return paddle_ && !has_base_; }
  bool by_kineto() const { return kineto_ && !paddle_; }
  bool has_base() const { return has_base_; }
  // Memory events of Paddle state peaks of the process's life. Ours do so where
  // the recorder did.
  bool stated_peaks() const { return stated_peaks_; }
  // UTC of time 0, if has_base().
  int64_t base_ns() const { return base_ns_; }
  bool epoch_known() const { return epoch_known_; }

 private:
  bool paddle_ = false;
  bool kineto_ = false;
  bool has_base_ = false;
  bool epoch_known_ = true;
  int64_t base_ns_ = 0;
  bool stated_peaks_ = true;
  bool has_window_ = false;
  int64_t window_begin_ns_ = 0;
  int64_t window_end_ns_ = 0;
};

}  // namespace stepscope::json
