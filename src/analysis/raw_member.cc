// SPDX-License-Identifier: Apache-2.0
#include "analysis/raw_member.h"

#include "base/json_fragment.h"

namespace stepscope {

std::string_view RawMember(std::string_view members, std::string_view key) {
  std::string_view found;
  ForEachJsonMember(members,
                    [&](std::string_view name, std::string_view value) {
                      if (name == key) found = value;
                      return name != key;
                    });
  return found;
}

}  // namespace stepscope
