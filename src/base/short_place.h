// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace stepscope {

// "Place(gpu:0)" without what all places have in common: "gpu:0".
inline std::string_view ShortPlace(std::string_view place) {
  constexpr std::string_view kHead = "Place(";
  if (place.starts_with(kHead) && place.ends_with(')'))
    place = place.substr(kHead.size(), place.size() - kHead.size() - 1);
  return place;
}

}  // namespace stepscope
