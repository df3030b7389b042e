// SPDX-License-Identifier: Apache-2.0
#include "gpu/remarks.h"

#include <algorithm>

namespace stepscope::gpu {

void Remarks::Add(const char* what, uint32_t device, const char* why) {
  auto same = std::ranges::find_if(all_, [&](const Remark& remark) {
    return remark.what == what && remark.why == why;
  });
  if (same == all_.end()) same = all_.insert(same, {what, why, {}});
  if (std::ranges::find(same->devices, device) == same->devices.end())
    same->devices.push_back(device);
}

std::string Remarks::Text() const {
  std::string text;
  for (const Remark& remark : all_) {
    text += (text.empty() ? "" : "; ") + remark.what + " GPU ";
    for (size_t i = 0; i < remark.devices.size(); ++i) {
      if (i > 0) text += i + 1 < remark.devices.size() ? ", " : " and ";
      text += std::to_string(remark.devices[i]);
    }
    text += ": " + remark.why;
  }
  return text;
}

}  // namespace stepscope::gpu
