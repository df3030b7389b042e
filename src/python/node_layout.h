// SPDX-License-Identifier: Apache-2.0
//
// Where the nodes of Paddle's trees keep what Python reads of them. Asking
// through Python takes 3.5 us per node, which is more than Paddle needs to make
// it; from memory it is read in a tenth of that. Nothing is assumed about the
// layout that some nodes, read both ways, do not confirm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A node as Python shows it.
struct NodeSample {
  const void* object = nullptr;  // the PyObject
  std::string name;
  int32_t type = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::vector<const void*> children;  // PyObjects
};

struct NodeLayout {
  // Offsets in bytes. The name is at 0: a pointer to text that ends with NUL,
  // which is how both ABIs of std::string begin.
  size_t type = 0;
  size_t start = 0;
  size_t end = 0;
  size_t children = 0;  // begin and end of an array of pointers to nodes
};

// The node behind a PyObject of pybind11. REQUIRES: a layout was found for it.
const char* NodeBehind(const void* object);

// The one layout that agrees with all samples; nothing if there is none, if
// there are several, or if the samples are too few or too alike to say. Reads
// memory in a way that cannot fault.
std::optional<NodeLayout> FindNodeLayout(
    const std::vector<NodeSample>& samples);
