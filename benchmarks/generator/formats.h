// SPDX-License-Identifier: Apache-2.0
//
// The formats that the generator writes. Each writer walks the workload and
// keeps no more than one step in memory.
#pragma once

#include <initializer_list>
#include <span>

#include "base/result.h"
#include "exporters/out_buffer.h"
#include "generator/workload.h"

namespace stepscope::generator {

struct FileFormat {
  const char* name;
  const char* what;
  Dialect dialect;
  uint32_t carries;  // bit (1 << Kind): the file has such records
  Status (*write)(const Workload& workload, OutBuffer& out);

  bool Carries(Kind kind) const {
    return (carries >> static_cast<uint32_t>(kind) & 1) != 0;
  }
};

constexpr uint32_t Mask(std::initializer_list<Kind> kinds) {
  uint32_t mask = 0;
  for (const Kind kind : kinds) mask |= 1u << static_cast<uint32_t>(kind);
  return mask;
}
inline constexpr uint32_t kAllKinds = (1u << kKinds) - 1;

std::span<const FileFormat> Formats();
const FileFormat* FindFormat(std::string_view name);

Status WriteCapture(const Workload& workload, OutBuffer& out);
Status WriteChrome(const Workload& workload, OutBuffer& out);
Status WriteFluid(const Workload& workload, OutBuffer& out);
Status WriteKineto(const Workload& workload, OutBuffer& out);
Status WriteNsys(const Workload& workload, OutBuffer& out);
Status WritePaddleJson(const Workload& workload, OutBuffer& out);
Status WritePaddlePb(const Workload& workload, OutBuffer& out);
Status WriteStepStats(const Workload& workload, OutBuffer& out);
Status WriteXPlane(const Workload& workload, OutBuffer& out);

}  // namespace stepscope::generator
