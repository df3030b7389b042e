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

// Libraries, and what only communication is called. XLA writes "all-reduce".
constexpr std::array<std::string_view, 25> kCollectives = {
    "nccl",
    "rccl",
    "xccl",
    "hccl",
    "gloo:",
    "gloo::",
    "allreduce",
    "all_reduce",
    "all-reduce",
    "allgather",
    "all_gather",
    "all-gather",
    "alltoall",
    "all_to_all",
    "all-to-all",
    "reducescatter",
    "reduce_scatter",
    "reduce-scatter",
    "nvshmem",
    "cross_device_reduce",
    "sendrecv",
    "send_recv",
    "collective-permute",
    "collective_permute",
    "collective-broadcast"};

// Of host events only: too short or too common among kernels.
constexpr std::array<std::string_view, 7> kHostCollectives = {
    "c10d::", "record_param_comms", "send_v2",     "recv_v2",
    "mpi:",   "partial_send",       "partial_recv"};

// As JAX names its collectives, as words.
constexpr std::array<std::string_view, 3> kJaxCollectives = {
    "psum", "psum_invariant", "ppermute"};

// How passes of a compiler over collectives end: they exchange nothing.
constexpr std::array<std::string_view, 6> kCompilerPasses = {
    "decomposer", "combiner",      "simplifier",
    "folder",     "canonicalizer", "promotion"};

// What follows "broadcast" where data goes to other processes. Nearly all
// other words make it an operation on the shape of an array: broadcast_to,
// BroadcastGradientArgs, broadcast_multiply_fusion, broadcast.3.
constexpr std::array<std::string_view, 9> kAfterBroadcast = {
    "",           "_",       "_coalesced",   "_op",
    "_oop",       "_object", "_object_list", "_buffers",
    "_parameters"};

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

// The function alone of "step (/home/me/nccl/train.py:3)", as tracers of
// Python write it: folders communicate with nobody.
std::string_view WithoutPlace(std::string_view name) {
  const size_t place = name.rfind(" (");
  const bool ends = place != name.npos && place > 0 && name.back() == ')' &&
                    name.find(".py", place) != name.npos;
  return ends ? name.substr(0, place) : name;
}

bool OnHost(std::string_view lower) {
  lower = WithoutPlace(lower);
  return lower.find("gloo") != lower.npos || lower.starts_with("mpi:") ||
         HasWord(lower, "rpc");
}

// "c_broadcast", "c10d::broadcast_", "nccl:broadcast", "_broadcast_coalesced",
// "HorovodBroadcast": nothing but a library's prefix stands before the word.
bool Broadcasts(std::string_view lower) {
  constexpr std::string_view kWord = "broadcast";
  // XLA wraps single operations; the broadcast inside is of an array.
  if (lower.find("wrapped_broadcast") != lower.npos) return false;
  const size_t at = lower.rfind(kWord);
  if (at == lower.npos) return false;
  const std::string_view after = lower.substr(at + kWord.size());
  return std::find(kAfterBroadcast.begin(), kAfterBroadcast.end(), after) !=
         kAfterBroadcast.end();
}

// Not within a longer word, where '_' joins words: "psum.3", no "psum_cache".
bool IsJaxCollective(std::string_view lower) {
  const std::string_view word = lower.substr(0, lower.find_first_of(".:-( "));
  return std::find(kJaxCollectives.begin(), kJaxCollectives.end(), word) !=
         kJaxCollectives.end();
}

bool CollectiveEvent(std::string_view lower) {
  // XLA notes on the host when it is through with an operation.
  if (lower.starts_with("end: ")) return false;
  lower = WithoutPlace(lower);
  if (ContainsAny(lower, kCollectives))
    return !std::any_of(
        kCompilerPasses.begin(), kCompilerPasses.end(),
        [&](std::string_view pass) { return lower.ends_with(pass); });
  return ContainsAny(lower, kHostCollectives) || HasWord(lower, "rpc") ||
         Broadcasts(lower) || IsJaxCollective(lower);
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
