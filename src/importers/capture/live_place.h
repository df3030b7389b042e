// SPDX-License-Identifier: Apache-2.0
//
// Where the live file of a capture may be. A capture and the link beside it
// only say its name: a path that somebody else wrote is never opened.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "format/block.h"

namespace stepscope::capture {

// Of a reader that may only read what lies in a folder
// (ImportOptions::formats).
struct LiveOptions {
  // The ring of a recording is read all the same where recorders put it, which
  // is shared memory as a rule.
  bool elsewhere = false;
};

// In the order in which they are tried: beside `capture`; then under the name
// that the link there and `stated`, the path in the capture, end in: in the
// folder of the capture, in STEPSCOPE_LIVE_DIR and in /dev/shm. `capture` is
// empty where the bytes have no place, `stated` where it was not read.
std::vector<std::string> LivePlaces(const std::string& capture,
                                    std::string_view stated);

// The first of LivePlaces(capture, "") that is there, or "".
std::string LiveBeside(const std::string& capture);

// The first that is the ring of that capture: a regular file, not a link, of
// the owner of `capture` or of this user. `confined` is as in ImportOptions.
std::optional<File> OpenLive(const File& capture,
                             const format::FileHeader& header,
                             std::span<const std::string> places,
                             bool confined = false);

// Whether a process still records into this ring. Of one on another machine,
// or of another container, that is not known: false.
bool IsBeingRecorded(const File& live);
// The same of a capture that lies in a folder; no link but the one beside it
// is looked at.
bool IsBeingRecorded(const std::string& capture);

}  // namespace stepscope::capture
