// SPDX-License-Identifier: Apache-2.0
#include "importers/json/external_ids.h"

#include <algorithm>

namespace stepscope::json {

void ExternalIds::Finish(TraceBuilder& builder, uint32_t process) {
  if (!std::is_sorted(calls_.begin(), calls_.end()))
    std::sort(calls_.begin(), calls_.end());
  std::erase_if(devices_, [&](const Device& device) {
    return device.correlation >= 0 &&
           std::binary_search(calls_.begin(), calls_.end(),
                              device.correlation);
  });
  std::vector<int64_t> wanted;
  for (const Device& device : devices_) wanted.push_back(device.id);
  std::sort(wanted.begin(), wanted.end());
  const auto add = [&](Row row, int64_t id) {
    builder.AddLink(
        {process, LinkSpace::kExternal, static_cast<uint64_t>(id), row});
  };
  for (const Device& device : devices_) add(device.row, device.id);
  if (!wanted.empty()) {
    for (const Host& host : hosts_)
      if (std::binary_search(wanted.begin(), wanted.end(), host.id))
        add(host.row, host.id);
  }
  hosts_.clear();
  devices_.clear();
  calls_.clear();
}

}  // namespace stepscope::json
