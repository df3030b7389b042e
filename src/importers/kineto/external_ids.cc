// SPDX-License-Identifier: Apache-2.0
#include "importers/kineto/external_ids.h"

#include <algorithm>
#include <span>
#include <vector>

namespace stepscope::json {
namespace {

// A sorted list, asked for values that as a rule come in its own order.
class Sorted {
 public:
  explicit Sorted(std::span<int64_t> values) : values_(values) {
    if (!std::is_sorted(values.begin(), values.end()))
      std::sort(values.begin(), values.end());
  }
  bool Has(int64_t value) {
    if (at_ < values_.size() && values_[at_] < value) ++at_;
    if (at_ == values_.size() || values_[at_] != value)
      at_ = static_cast<size_t>(
          std::lower_bound(values_.begin(), values_.end(), value) -
          values_.begin());
    return at_ < values_.size() && values_[at_] == value;
  }

 private:
  std::span<const int64_t> values_;
  size_t at_ = 0;
};

}  // namespace

void ExternalIds::Finish(TraceBuilder& builder, uint32_t process) {
  const auto add = [&](Row row, int64_t id) {
    builder.AddLink(
        {process, LinkSpace::kExternal, static_cast<uint64_t>(id), row});
  };
  if (refused_) builder.SetOutOfMemory();
  Sorted calls(calls_.span());
  std::vector<int64_t> ids;
  for (const Device& device : devices_.view()) {
    if (device.correlation >= 0 && calls.Has(device.correlation)) continue;
    add(device.row, device.id);
    ids.push_back(device.id);
  }
  if (!ids.empty()) {
    Sorted wanted(ids);
    for (const Host& host : hosts_.view())
      if (wanted.Has(host.id)) add(host.row, host.id);
  }
  *this = ExternalIds();
}

}  // namespace stepscope::json
