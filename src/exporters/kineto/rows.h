// SPDX-License-Identifier: Apache-2.0
//
// Pid and tid of each track, as Kineto has them: those of the system for
// threads, the numbers of device and stream for device work. Both are integers,
// which TensorBoard's plugin insists on, but for rows of the profiler itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/kineto/form.h"
#include "exporters/pid_pool.h"
#include "trace/trace.h"

namespace stepscope::kineto {

class RowIds {
 public:
  RowIds(const Trace& trace, const Form& form);

  // `"pid":7,"tid":8`
  const std::string& place(uint32_t track) const { return places_[track]; }
  int64_t pid(uint32_t process) const { return pids_[process]; }
  // Names and order of processes, devices and rows; each entry is followed by
  // a comma and a newline.
  std::string Metadata() const;

 private:
  struct Device {
    int64_t pid = 0;
    uint32_t process = 0;
    int64_t number = 0;
  };

  int64_t DevicePid(uint32_t process, int64_t device);
  std::string PlaceOf(const Track& track);
  std::string PlaceAside(const Track& track);
  void AppendProcess(std::string& out, uint32_t process) const;
  void AppendDevice(std::string& out, const Device& device) const;
  void AppendRow(std::string& out, uint32_t index) const;
  std::string NameOf(const Track& track) const;

  const Trace& trace_;
  const Form& form_;
  PidPool taken_;
  std::vector<int64_t> pids_;  // by process
  std::vector<Device> devices_;
  std::map<std::pair<uint32_t, int64_t>, int64_t> device_pids_;
  std::map<std::pair<uint32_t, int64_t>, bool> threads_;  // process, id
  std::vector<std::string> places_;                       // by track
};

}  // namespace stepscope::kineto
