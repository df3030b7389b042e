// SPDX-License-Identifier: Apache-2.0
#include "analysis/name_class.h"

#include <algorithm>
#include <array>
#include <string>

namespace stepscope {
namespace {

std::string Lower(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

template <size_t kCount>
bool ContainsAny(std::string_view text,
                 const std::array<std::string_view, kCount>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != text.npos;
  });
}

// Libraries, and what only communication is called.
constexpr std::array<std::string_view, 18> kCollectives = {
    "nccl",          "rccl",           "xccl",      "hccl",
    "gloo:",         "gloo::",         "allreduce", "all_reduce",
    "allgather",     "all_gather",     "alltoall",  "all_to_all",
    "reducescatter", "reduce_scatter", "nvshmem",   "cross_device_reduce",
    "sendrecv",      "send_recv"};

// Of host events only: too short or too common among kernels.
constexpr std::array<std::string_view, 7> kHostCollectives = {
    "c10d::", "record_param_comms", "send_v2",     "recv_v2",
    "mpi:",   "partial_send",       "partial_recv"};

// Array operations, not communication.
constexpr std::array<std::string_view, 6> kBroadcastShapes = {
    "broadcast_to",  "broadcast_tensors", "broadcast_in_dim",
    "broadcast_add", "broadcast_shape",   "broadcast_like"};

constexpr std::array<std::string_view, 3> kMemoryWords = {
    "memcpy", "memorycopy", "memset"};

constexpr std::array<std::string_view, 3> kCopyCalls = {
    "cudamemcpy", "cumemcpy", "hipmemcpy"};

constexpr std::array<std::string_view, 15> kMatrixWords = {
    "gemm",  "convolve", "implicit_con", "conv2d_",   "conv3d_",
    "xmma",  "cutlass",  "nvjet",        "wgrad",     "dgrad",
    "fprop", "winograd", "fmha",         "flash_fwd", "flash_bwd"};

// Instruction shapes and names of the tensor units, as libraries put them
// into the names of their kernels.
constexpr std::array<std::string_view, 19> kTensorWords = {
    "hmma",      "imma",      "dmma",   "gmma",        "wmma",
    "tensorop",  "s884",      "h884",   "i8816",       "s1688",
    "h1688",     "s16816",    "h16816", "tf32",        "nvjet",
    "flash_fwd", "flash_bwd", "fmha",   "bf16_s161616"};

constexpr std::array<std::string_view, 4> kHalfWords = {"f16f16", "bf16bf16",
                                                        "e4m3", "i8i8"};

bool SyncCall(std::string_view lower) {
  if (lower.find("synchronize") != lower.npos) return true;
  const bool copies = std::any_of(
      kCopyCalls.begin(), kCopyCalls.end(),
      [&](std::string_view word) { return lower.starts_with(word); });
  return copies && lower.find("async") == lower.npos;
}

bool TensorCore(std::string_view lower) {
  if (ContainsAny(lower, kTensorWords)) return true;
  return lower.find("xmma") != lower.npos && ContainsAny(lower, kHalfWords);
}

bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

// "rpc" as a word: not within another one.
bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos;
       at = text.find(word, at + 1)) {
    const size_t after = at + word.size();
    if ((at == 0 || !IsLetter(text[at - 1])) &&
        (after == text.size() || !IsLetter(text[after])))
      return true;
  }
  return false;
}

bool OnHost(std::string_view lower) {
  return lower.find("gloo") != lower.npos || lower.starts_with("mpi:") ||
         HasWord(lower, "rpc");
}

bool CollectiveEvent(std::string_view lower) {
  if (ContainsAny(lower, kCollectives)) return true;
  if (ContainsAny(lower, kHostCollectives)) return true;
  if (HasWord(lower, "rpc")) return true;
  return lower.find("broadcast") != lower.npos &&
         !ContainsAny(lower, kBroadcastShapes);
}

}  // namespace

bool IsCollectiveEvent(std::string_view name) {
  return CollectiveEvent(Lower(name));
}

bool IsCollectiveKernel(std::string_view name) {
  return ContainsAny(Lower(name), kCollectives);
}

bool IsMemoryManipulation(std::string_view name) {
  return ContainsAny(Lower(name), kMemoryWords);
}

bool IsHostSideCollective(std::string_view name) { return OnHost(Lower(name)); }

bool IsSyncCall(std::string_view name) { return SyncCall(Lower(name)); }

bool IsLaunchCall(std::string_view name) {
  return Lower(name).find("launch") != std::string::npos;
}

bool IsMatrixKernel(std::string_view name) {
  return ContainsAny(Lower(name), kMatrixWords);
}

bool IsTensorCoreKernel(std::string_view name) {
  return TensorCore(Lower(name));
}

bool IsTensorCoreUnknown(std::string_view name) {
  constexpr std::array<std::string_view, 5> kWords = {"cijk_", "ck_tile", "xdl",
                                                      "aiter", "_gfx9"};
  return ContainsAny(Lower(name), kWords);
}

uint16_t NameClasses::Classify(StringId id) {
  const std::string lower = Lower(strings_.view(id));
  uint16_t result = kKnown;
  if (CollectiveEvent(lower)) result |= kEvent;
  if (ContainsAny(lower, kCollectives)) result |= kKernel;
  if (ContainsAny(lower, kMemoryWords)) result |= kMemory;
  if (OnHost(lower)) result |= kOnHost;
  if (SyncCall(lower)) result |= kSync;
  if (lower.find("launch") != lower.npos) result |= kLaunch;
  if (ContainsAny(lower, kMatrixWords)) result |= kMatrix;
  if (TensorCore(lower)) result |= kTensor;
  return classes_[id.v] = result;
}

std::string_view WithoutArguments(std::string_view kernel) {
  const size_t open = kernel.find('<');
  const size_t close = kernel.rfind(">(");
  if (open == kernel.npos || open == 0 || close == kernel.npos ||
      close < open || kernel.find(')', close) == kernel.npos)
    return kernel;
  return kernel.substr(0, close + 1);
}

}  // namespace stepscope
