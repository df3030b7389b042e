// SPDX-License-Identifier: Apache-2.0
#include "report/info/human.h"

#include <ctime>

#include "base/text.h"

namespace stepscope {

std::string HumanDuration(int64_t ns) {
  const double value = static_cast<double>(ns);
  if (ns < 0) return "-" + HumanDuration(ns == INT64_MIN ? INT64_MAX : -ns);
  if (ns < 1000) return Format("%lld ns", static_cast<long long>(ns));
  if (ns < 1000000) return Format("%.1f us", value / 1e3);
  if (ns < 1000000000) return Format("%.1f ms", value / 1e6);
  if (ns < 120 * int64_t{1000000000}) return Format("%.2f s", value / 1e9);
  return Format("%lld min %lld s", static_cast<long long>(ns / 60000000000),
                static_cast<long long>(ns / 1000000000 % 60));
}

std::string HumanTime(int64_t epoch_ns) {
  int64_t seconds = epoch_ns / 1000000000;
  int64_t rest = epoch_ns % 1000000000;
  if (rest < 0) {
    rest += 1000000000;
    --seconds;
  }
  const time_t time = static_cast<time_t>(seconds);
  std::tm parts{};
  char text[64];
  if (gmtime_r(&time, &parts) == nullptr ||
      std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts) == 0)
    return "unknown";
  return Format("%s.%03lld UTC", text, static_cast<long long>(rest / 1000000));
}

}  // namespace stepscope
