// SPDX-License-Identifier: Apache-2.0
//
// What the names and labels of TensorFlow's step statistics say.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace stepscope::proto::tf {

// "[alloc 1.2MB 3.4MB] name = OpType(in0, in1:1, ^ctrl)".
struct OpLabel {
  std::string_view op;  // empty: the label has another form
  std::vector<std::string_view> inputs;
};
OpLabel ParseOpLabel(std::string_view label);

// "<kernel> regs:.. grid:.. @@opname:OpType#key=value#", or the node's name
// "opname:OpType".
struct KernelLabel {
  std::string_view kernel;
  std::string_view node;  // whose operator launched it
  std::string_view op;
};
KernelLabel ParseKernelLabel(std::string_view node_name,
                             std::string_view label);

// "[1024B] edge_160_x/read from /job:ps/.. to /job:worker/..".
struct TransferLabel {
  int64_t bytes = -1;
  std::string_view edge;  // empty: the label has another form
  std::string_view from;
  std::string_view to;
};
TransferLabel ParseTransferLabel(std::string_view label);

// "x" and 2 of the input "x:2"; "^x" is a control input and has slot -1.
struct InputName {
  std::string_view node;
  int64_t slot = 0;
};
InputName ParseInput(std::string_view input);

// What a device of the file is.
struct DeviceName {
  enum class Role : uint8_t {
    kExecutor,    // operators as the host scheduled them
    kStream,      // one stream of a device
    kAllStreams,  // all of them once more
    kCopies,      // all copies once more
    kSync,        // host calls that wait for the device
  };
  Role role = Role::kExecutor;
  std::string_view base;  // of other roles: the device it belongs to
  std::string_view type;  // "GPU", "CPU"
  int64_t number = -1;
  int64_t stream = -1;
  std::string_view stream_kind;  // "MemcpyH2D" of "stream:14<MemcpyH2D>"
};
DeviceName ParseDevice(std::string_view name);

// "float32" of DT_FLOAT; references are the same. Empty: unknown.
std::string_view DataTypeName(uint64_t type);

}  // namespace stepscope::proto::tf
