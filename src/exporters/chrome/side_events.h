// SPDX-License-Identifier: Apache-2.0
//
// The entries of a file that are no events of a track. Each function writes
// entries that are followed by a comma and a newline.
#pragma once

#include <string>
#include <vector>

#include "exporters/chrome/chrome.h"
#include "exporters/chrome/escaped_names.h"
#include "exporters/chrome/rows.h"
#include "exporters/chrome/time_base.h"
#include "exporters/out_buffer.h"
#include "trace/trace.h"

namespace stepscope::chrome {

// What all of them need.
struct Context {
  const Trace& trace;
  TimeBase base;
  EscapedNames& names;
  Rows& rows;
  OutBuffer& out;
};

// "C": one series per counter.
void WriteCounters(const Context& context);
// "i" entries named [memory], as Paddle writes them, and a "C" series of the
// totals for each place. In Paddle's style each stands behind the event it
// belongs to, or before all of its thread: readers know its owner by that.
class MemoryWriter {
 public:
  MemoryWriter(const Context& context, ChromeStyle style);

  // Of no event of the thread. Before its first one.
  void WriteUnowned(uint32_t track);
  // The event that what follows belongs to; kNoRow: nothing does.
  Row next_owner() const {
    return next_ < owned_.size() ? owned_[next_].event.owner : kNoRow;
  }
  // What belongs to next_owner().
  void WriteOwned();
  // All in the order of time, unless written before.
  void WriteRest();

 private:
  struct Peak {
    uint64_t allocated = 0;
    uint64_t reserved = 0;
  };
  struct Entry {
    MemoryEvent event;
    Peak peak;
  };

  void FindPeaks();
  void Write(const Entry& entry, bool totals);

  const Context& context_;
  const ChromeStyle style_;
  std::vector<Entry> entries_;  // by time
  std::vector<Entry> owned_;    // by owner
  std::vector<Entry> unowned_;  // by track
  size_t next_ = 0;
  std::string text_;
};
// "s", "t" and "f": arrows that the program drew.
void WriteFlows(const Context& context);
// "s" and "f": arrows from a launching call to the device work it caused.
void WriteLaunches(const Context& context);

}  // namespace stepscope::chrome
