// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/event_classes.h"

#include <stepscope/c.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/looks.h"
#include "analysis/name_class.h"

namespace stepscope::server {
namespace {

PyramidClasses ClassesByType() {
  PyramidClasses classes;
  for (uint16_t type = 0; type < classes.of_type.size(); ++type)
    classes.of_type[type] = static_cast<uint8_t>(EventClassOf(type));
  return classes;
}

}  // namespace

std::optional<PyramidClasses> EventClassesFrom(std::vector<uint8_t> of_name,
                                               const Trace& trace) {
  const auto known = [](uint8_t of) {
    return of < std::size(kEventClassLooks) || of == PyramidClasses::kByType;
  };
  if ((!of_name.empty() && of_name.size() != trace.strings().size()) ||
      !std::all_of(of_name.begin(), of_name.end(), known))
    return std::nullopt;
  PyramidClasses classes = ClassesByType();
  classes.of_name = std::move(of_name);
  return classes;
}

PyramidClasses MakeEventClasses(const Trace& trace) {
  PyramidClasses classes = ClassesByType();
  std::vector<bool> seen(trace.strings().size(), false);
  for (Row row = 0; row < trace.size(); ++row) {
    const StringId name = trace.name()[row];
    if (trace.type()[row] != STEPSCOPE_KERNEL || seen[name.v]) continue;
    seen[name.v] = true;
    if (!IsCollectiveKernel(trace.str(name))) continue;
    if (classes.of_name.empty())
      classes.of_name.assign(seen.size(), PyramidClasses::kByType);
    classes.of_name[name.v] = static_cast<uint8_t>(EventClass::kCommunication);
  }
  return classes;
}

}  // namespace stepscope::server
