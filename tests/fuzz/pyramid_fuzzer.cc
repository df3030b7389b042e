// SPDX-License-Identifier: Apache-2.0
//
// A pyramid that was kept as bytes and damaged: the input is a list of changes,
// six bytes each, where (32 bits) and to what (16 bits). What is not refused is
// asked for boxes at every zoom.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "timeline/pyramid.h"
#include "timeline/tile_query.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

constexpr size_t kChange = 6;

// Two threads, nested, some of Python's: long, short and without duration.
std::shared_ptr<const Trace> MakeTrace() {
  TraceBuilder builder;
  builder.AddProcess({});
  for (int64_t id = 0; id < 2; ++id) {
    Track track;
    track.id = id;
    const uint32_t index = builder.AddTrack(track);
    int64_t time = 0;
    for (int64_t i = 0; i < 200; ++i) {
      EventSpec event;
      event.track = index;
      event.start_ns = time;
      event.dur_ns = (i * 31) % 257 + (i % 50 == 0 ? 60'000 : 0);
      event.type = i % 3 == 0 ? STEPSCOPE_PYTHON_OP : STEPSCOPE_OPERATOR;
      event.name = builder.Intern("n" + std::to_string(i % 11));
      builder.AddEvent(event);
      EventSpec inner = event;
      inner.dur_ns /= 2;
      inner.type = STEPSCOPE_CUDA_RUNTIME;
      builder.AddEvent(inner);
      time += event.dur_ns + (i % 5) * 100;
    }
  }
  auto trace = builder.Finish();
  if (!trace) abort();
  return *trace;
}

// As FromBytes() wants them, with nothing behind the last.
struct alignas(16) Unit16 {
  std::byte bytes[16];
};

struct Kept {
  std::shared_ptr<const Trace> trace = MakeTrace();
  std::vector<Unit16> bytes;

  Kept() {
    PyramidOptions options;
    options.block_rows = 50;  // so that there are tops
    const Pyramid pyramid(*trace, options);
    pyramid.AppendTo([this](std::span<const std::byte> piece) {
      const size_t at = bytes.size();
      bytes.resize(at + piece.size() / sizeof(Unit16));
      std::memcpy(&bytes[at], piece.data(), piece.size());
    });
  }
};

void AskAll(const Pyramid& pyramid) {
  std::vector<TilePart> parts;
  for (uint32_t t = 0; t < pyramid.trace().tracks().size(); ++t)
    for (const LineKind kind : {LineKind::kNative, LineKind::kPython})
      parts.push_back({static_cast<uint8_t>(t), t, 0,
                       std::min(pyramid.depths(t, kind), 100u), 0, kind});
  Executor alone(1);
  TileQuery query(pyramid, alone);
  for (int k = 0; k <= 18; k += 2)
    (void)query.Run(k, k < 8 ? 3 : 0, 4, parts).Tile(1);
}

void Damage(const Kept& kept, const uint8_t* data, size_t size, bool plant) {
  // Just as many as there are, so that what lies behind them is nobody's.
  const auto bytes = std::make_unique<Unit16[]>(kept.bytes.size());
  std::copy(kept.bytes.begin(), kept.bytes.end(), bytes.get());
  const size_t all = kept.bytes.size() * sizeof(Unit16);
  auto* const raw = reinterpret_cast<uint8_t*>(bytes.get());
  size_t changes = 0;
  for (; size >= kChange; size -= kChange, data += kChange, ++changes) {
    uint32_t at = 0;
    std::memcpy(&at, data, sizeof at);
    std::memcpy(raw + at % (all - 1), data + sizeof at, 2);
  }
  const auto pyramid = Pyramid::FromBytes(
      {reinterpret_cast<const std::byte*>(raw), all}, nullptr, *kept.trace, {});
  if (!pyramid) return;
  AskAll(*pyramid);
  // No seed has more than two changes.
  if (plant && changes > 2) {
    volatile uint8_t beyond = raw[all + 32];
    (void)beyond;
  }
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const kept = new stepscope::Kept();
  static const bool plant = getenv("STEPSCOPE_FUZZ_PLANT") != nullptr;
  stepscope::Damage(*kept, data, size, plant);
  return 0;
}
