// SPDX-License-Identifier: Apache-2.0
//
// What the category and the name of an event say about it: its type, the kind
// of row that it belongs to, and which of its arguments mean something. The
// words are those of torch.profiler of all years, of Paddle, of TensorFlow's
// timeline and of our own exporter.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace stepscope::importers {

enum class TrackPlace : uint8_t {
  kHost,    // a thread
  kStream,  // device work
  kAside,   // what lies over rows and must not count as part of them
};

// Who wrote a category of that name.
enum class Dialect : uint8_t { kChrome, kKineto, kPaddle };

struct Category {
  std::string_view name;
  uint16_t type = 0;
  TrackPlace row = TrackPlace::kHost;
  Dialect dialect = Dialect::kChrome;
  bool unstated = false;  // the event has no category
};

// By name; what is not known is the user's event on a thread.
Category FindCategory(std::string_view name);

// What torch, TensorFlow and JAX call their own ranges, and what follows.
enum class NameKind : uint8_t {
  kPlain,
  kStep,         // ProfilerStep#3
  kDataLoader,   // enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__
  kOptimizer,    // Optimizer.step#SGD.step
  kZeroGrad,     // Optimizer.zero_grad#SGD.zero_grad
  kCollective,   // nccl:all_reduce, gloo:all_reduce
  kGraphLaunch,  // cudaGraphLaunch
  kPythonFrame,  // $train.py:12 step, as TensorFlow and JAX write it
};
NameKind KindOfName(std::string_view name);

// The type of an event and its flags, given its category's and its name's.
struct TypeAndFlags {
  uint16_t type = 0;
  uint16_t flags = 0;
};
TypeAndFlags TypeOf(const Category& category, NameKind name);

}  // namespace stepscope::importers
