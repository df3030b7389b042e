// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/options.h"

#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include "cnn_training/dataset.h"

namespace cnn {
namespace {

constexpr int64_t kNoEnd = std::numeric_limits<int32_t>::max();
constexpr int kMaxThreads = 64;

template <typename Int>
bool ParseInt(std::string_view text, int64_t low, int64_t high, Int* out) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return false;
  if (value < low || value > high) return false;
  *out = static_cast<Int>(value);
  return true;
}

// "A:B", half-open.
bool ParseWindow(std::string_view text, Options* options) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  return ParseInt(text.substr(0, colon), 0, kNoEnd, &options->profile_begin) &&
         ParseInt(text.substr(colon + 1), 1, kNoEnd, &options->profile_end) &&
         options->profile_begin < options->profile_end;
}

// Sets the option `name`; an empty return is success.
std::string SetOption(std::string_view name, std::string_view value,
                      Options* options) {
  const auto check = [&](bool ok, const char* expected) {
    if (ok) return std::string();
    return std::string(name) + ": \"" + std::string(value) + "\" is not " +
           expected;
  };
  if (name == "--steps") {
    return check(ParseInt(value, 1, kNoEnd, &options->steps),
                 "a number of steps");
  }
  if (name == "--loader-threads") {
    return check(ParseInt(value, 1, kMaxThreads, &options->loader_threads),
                 "a number from 1 to 64");
  }
  if (name == "--batch") {
    return check(ParseInt(value, 1, kTrainingImages, &options->batch),
                 "a number from 1 to 1024");
  }
  if (name == "--storage-latency-ms") {
    return check(ParseInt(value, 0, 60'000, &options->storage_latency_ms),
                 "a number from 0 to 60000");
  }
  if (name == "--profile") {
    return check(ParseWindow(value, options), "a window A:B with A < B");
  }
  if (name == "--out") {
    options->out = value;
    return check(!value.empty(), "a folder");
  }
  return "unknown option " + std::string(name) + "; try --help";
}

}  // namespace

ParsedOptions ParseOptions(std::span<const char* const> args) {
  ParsedOptions parsed;
  bool window_given = false;
  for (size_t i = 0; i < args.size() && parsed.error.empty(); ++i) {
    std::string_view name = args[i];
    if (name == "--help" || name == "-h") {
      parsed.options.help = true;
    } else if (name == "--forever") {
      parsed.options.forever = true;
    } else if (name == "--no-profile") {
      parsed.options.profile = false;
    } else {
      std::string_view value;
      const size_t equals = name.find('=');
      if (equals != std::string_view::npos) {
        value = name.substr(equals + 1);
        name = name.substr(0, equals);
      } else if (i + 1 < args.size()) {
        value = args[++i];
      }
      window_given |= name == "--profile";
      parsed.error = SetOption(name, value, &parsed.options);
    }
  }
  if (parsed.options.forever && !window_given) {
    parsed.options.profile_begin = 0;
    parsed.options.profile_end = kNoEnd;
  }
  return parsed;
}

const char* HelpText() {
  return R"(Trains a small convolutional network on synthetic images, profiled.

Usage: cnn_training [options]

  --steps N               steps to train (60)
  --loader-threads K      threads that load batches, 1 to 64 (1)
  --batch B               images in a batch, 1 to 1024 (32)
  --storage-latency-ms L  simulated wait for storage, each batch (60)
  --profile A:B           record steps A to B, B not included (10:20)
  --out DIR               where the timeline goes (./profiler_demo)
  --no-profile            train without a profiler
  --forever               train until interrupted or killed; records every
                          step unless --profile is given
  --help                  this text

Example: the loader is the bottleneck with one thread, and not with four.

  cnn_training --loader-threads 1
  cnn_training --loader-threads 4
)";
}

}  // namespace cnn
