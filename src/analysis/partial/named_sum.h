// SPDX-License-Identifier: Apache-2.0
//
// NamedSum: what events of one name add up to. The rows of every table that is
// by name are made of them, and those of two ranks add up to those of both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/duration_sketch.h"
#include "analysis/kernel_use.h"
#include "analysis/stats.h"
#include "analysis/tables/rows.h"

namespace stepscope {

struct NamedSum {
  std::string name;
  uint64_t calls = 0;
  uint64_t nested_calls = 0;
  TimeStats cpu;
  TimeStats gpu;
  int64_t self_cpu_ns = 0;
  int64_t self_gpu_ns = 0;
  StepShare share;  // of host events that are no operators
  DurationSketch cpu_sketch;
  DurationSketch gpu_sketch;
  KernelUse use;
  std::vector<NamedSum> inner;   // of an operator
  std::vector<NamedSum> device;  // of an operator or what is inside it

  // Of the same name.
  void Add(const NamedSum& other);
};

void AddStats(const TimeStats& from, TimeStats& to);
// `column` of events that occurred: their minimum is that of a call.
TimeStats StatsOf(const TimeColumn& column);

// Rows by name, in the order in which names came first.
class NamedSums {
 public:
  void Add(const std::vector<NamedSum>& rows);
  const std::vector<NamedSum>& rows() const { return rows_; }

 private:
  std::vector<NamedSum> rows_;
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace stepscope
