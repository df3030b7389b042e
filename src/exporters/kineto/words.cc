// SPDX-License-Identifier: Apache-2.0
#include "exporters/kineto/words.h"

#include <stepscope/c.h>

#include <cctype>
#include <iterator>
#include <string>

#include "trace/event_type.h"

namespace stepscope::kineto {
namespace {

struct Names {
  std::string_view now;
  std::string_view old;  // of torch 1.8 to 1.10
};

// By Word.
constexpr Names kNames[] = {
    {"cpu_op", "Operator"},
    {"user_annotation", "Operator"},
    {"python_function", "python_function"},
    {"cuda_runtime", "Runtime"},
    {"cuda_driver", "Runtime"},
    {"cpu_instant_event", ""},
    {"kernel", "Kernel"},
    {"gpu_memcpy", "Memcpy"},
    {"gpu_memset", "Memset"},
    {"gpu_user_annotation", "gpu_user_annotation"},
    {"cuda_sync", "cuda_sync"},
    {"cuda_event", "cuda_event"},
    {"overhead", "overhead"},
    {"collective_comm", "collective_comm"},
    {"Trace", "Trace"},
    {"", ""},
};
static_assert(std::size(kNames) == static_cast<size_t>(Word::kNone) + 1);

// cuLaunchKernel, not cudaLaunchKernel.
bool IsDriverCall(std::string_view name) {
  return name.size() > 2 && name.starts_with("cu") &&
         std::isupper(static_cast<unsigned char>(name[2])) != 0;
}

Word WordOnThread(const Trace& trace, Row row) {
  const std::string_view name = trace.str(trace.name()[row]);
  switch (trace.type()[row]) {
    case STEPSCOPE_CUDA_RUNTIME:
    case STEPSCOPE_GRAPH_LAUNCH:
    case STEPSCOPE_SYNCHRONIZATION:
      return IsDriverCall(name) ? Word::kDriver : Word::kRuntime;
    case STEPSCOPE_PYTHON_FUNCTION:
      return Word::kPythonFunction;
    case STEPSCOPE_OVERHEAD:
      return Word::kOverhead;
    case STEPSCOPE_BACKWARD:
      // Nodes of autograd are operators to torch.
      return IsOwnStage(trace, row) ? Word::kUserAnnotation : Word::kCpuOp;
    case STEPSCOPE_OPERATOR:
    case STEPSCOPE_OPERATOR_INNER:
    case STEPSCOPE_PYTHON_OP:
    case kDygraphKernelLaunch:
    case kStaticKernelLaunch:
      return Word::kCpuOp;
    default:
      return Word::kUserAnnotation;
  }
}

Word WordOnStream(uint16_t type) {
  switch (type) {
    case STEPSCOPE_MEMCPY:
      return Word::kMemcpy;
    case STEPSCOPE_MEMSET:
      return Word::kMemset;
    case STEPSCOPE_SYNCHRONIZATION:
      return Word::kSync;
    case STEPSCOPE_OVERHEAD:
      return Word::kOverhead;
    case STEPSCOPE_USER_DEFINED:
    case STEPSCOPE_PYTHON_USER_DEFINED:
      return Word::kGpuUserAnnotation;
    default:
      return Word::kKernel;
  }
}

// Told from waits by the name; the arguments are slow to reach.
bool IsEventRecord(const Trace& trace, Row row) {
  const std::string_view name = trace.str(trace.name()[row]);
  if (name.find("Sync") != name.npos || name.find("Wait") != name.npos)
    return false;
  const std::string args = trace.raw_args(row);
  return args.find("\"cuda_sync_kind\"") == args.npos &&
         args.find("\"event_id\"") != args.npos;
}

Word WordAside(const Trace& trace, Row row, const Track& track) {
  const bool instant = (trace.flags()[row] & kEventInstant) != 0;
  if (instant) return Word::kNone;
  switch (trace.type()[row]) {
    case STEPSCOPE_SYNCHRONIZATION:
      return IsEventRecord(trace, row) ? Word::kEvent : Word::kSync;
    case STEPSCOPE_OVERHEAD:
      return Word::kOverhead;
    case STEPSCOPE_COMMUNICATION:
      return Word::kCollective;
    default:
      break;
  }
  if (track.device >= 0) return Word::kGpuUserAnnotation;
  const std::string_view name = trace.str(track.name);
  return name.starts_with("Spans ") || name.starts_with("Traces ")
             ? Word::kSpan
             : Word::kUserAnnotation;
}

}  // namespace

bool IsOwnStage(const Trace& trace, Row row) {
  switch (trace.type()[row]) {
    case STEPSCOPE_DATALOADER:
    case STEPSCOPE_FORWARD:
    case STEPSCOPE_BACKWARD:
    case STEPSCOPE_OPTIMIZATION:
      return trace.str(trace.name()[row]) == EventTypeName(trace.type()[row]);
    default:
      return false;
  }
}

Word WordOf(const Trace& trace, Row row) {
  const Track& track = trace.tracks()[trace.track()[row]];
  switch (track.kind) {
    case TrackKind::kStream:
      return WordOnStream(trace.type()[row]);
    case TrackKind::kThread:
      return (trace.flags()[row] & kEventInstant) != 0
                 ? Word::kInstant
                 : WordOnThread(trace, row);
    case TrackKind::kAsync:
    case TrackKind::kCounter:
      break;
  }
  return WordAside(trace, row, track);
}

std::string_view CategoryOf(Word word, const Form& form) {
  const Names& names = kNames[static_cast<size_t>(word)];
  return form.old_words ? names.old : names.now;
}

}  // namespace stepscope::kineto
