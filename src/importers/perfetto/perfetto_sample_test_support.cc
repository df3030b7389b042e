// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/perfetto_sample_test_support.h"

#include <zlib.h>

namespace stepscope::proto {
namespace {

Pb Event(int64_t time, const Pb& event) {
  return Pb().Int(8, time).Int(10, 1).Int(13, 2).Sub(11, event);
}

}  // namespace

std::string Zipped(std::string_view plain) {
  uLongf size = compressBound(plain.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  packed.resize(size);
  return packed;
}

std::string PerfettoSample() {
  const auto clock = [](int64_t id, int64_t time) {
    return Pb().Int(1, id).Int(2, time);
  };
  const auto entry = [](int64_t iid, std::string_view text) {
    return Pb().Int(1, iid).Text(2, text);
  };
  const Pb snapshot = Pb().Sub(1, clock(6, 1000))
                          .Sub(1, clock(1, kSampleTime + 1000))
                          .Sub(1, clock(3, 500));
  const Pb names = Pb().Sub(1, entry(1, "cpu_op"))
                       .Sub(1, entry(2, "kernel"))
                       .Sub(2, entry(1, "matmul"))
                       .Sub(2, entry(2, "gemm"))
                       .Sub(2, entry(3, "ProfilerStep#7"))
                       .Sub(3, entry(1, "correlation"))
                       .Sub(3, entry(2, "shape"))
                       .Sub(29, entry(1, "interned"));
  const Pb process = Pb().Int(1, 1).Sub(3, Pb().Int(1, 100).Text(6, "train"));
  const Pb thread =
      Pb().Int(1, 2).Sub(4, Pb().Int(1, 100).Int(2, 7).Text(5, "main"));
  const Pb gpu = Pb().Int(1, 3).Text(2, "GPU 1").Int(5, 1);
  const Pb stream = Pb().Int(1, 4).Text(2, "stream 13").Int(5, 3);
  const Pb counter =
      Pb().Int(1, 5).Text(2, "loss").Int(5, 1).Sub(8, Pb().Int(3, 2));
  const Pb shape =
      Pb().Int(1, 2).Sub(12, Pb().Int(4, 32)).Sub(12, Pb().Int(4, 3));
  const Pb nested = Pb().Text(10, "config")
                        .Sub(11, Pb().Text(10, "a").Int(4, 1))
                        .Sub(11, Pb().Text(10, "b").Sub(12, Pb().Text(6, "x")));
  const Pb packed =
      Pb().Sub(1, Event(2900, Pb().Int(9, 1).Text(23, "packed").Int(11, 2)))
          .Sub(1, Event(2950, Pb().Int(9, 2).Int(11, 2)));
  Pb trace;
  const auto add = [&](const Pb& packet) { trace.Sub(1, packet); };
  add(Pb().Int(10, 1).Int(13, 1).Sub(6, snapshot));
  for (const Pb* track : {&process, &thread, &gpu, &stream, &counter})
    add(Pb().Int(10, 1).Sub(60, *track));
  add(Pb().Int(10, 1).Int(13, 2).Sub(12, names));
  add(Event(2000, Pb().Int(9, 1).Int(10, 3).Int(11, 2)));
  add(Event(2100, Pb().Int(9, 1)
                      .Int(10, 1)
                      .Int(3, 1)
                      .Int(11, 2)
                      .Sub(4, Pb().Int(1, 1).Int(4, 77))
                      .Sub(4, shape)
                      .Sub(4, nested)
                      .Sub(4, Pb().Text(10, "text").Int(17, 1))));
  add(Event(2150, Pb().Int(9, 3).Text(23, "mark").Int(11, 2)));
  add(Event(2300, Pb().Int(9, 2).Int(11, 2)));
  add(Event(2400, Pb().Int(9, 1).Int(10, 2).Int(3, 2).Int(11, 4).Sub(
                      4, Pb().Int(1, 1).Int(4, 77))));
  add(Event(2600, Pb().Int(9, 2).Int(11, 4)));
  add(Event(2650, Pb().Int(9, 4).Int(11, 5).Int(30, 3)));
  add(Event(2660, Pb().Int(9, 4).Int(11, 5).Double(44, 2.5)));
  // Of another clock, and a phase instead of a type.
  add(Pb().Int(8, 2200).Int(58, 3).Int(10, 1).Int(13, 2).Sub(
      11,
      Pb().Text(23, "complete").Int(11, 2).Sub(6, Pb().Int(2, 'X').Int(3, 1))));
  add(Pb().Text(50, Zipped(packed.str())));
  add(Event(3000, Pb().Int(9, 2).Int(11, 2)));
  add(Event(3100, Pb().Int(9, 1).Text(23, "open").Int(11, 2)));
  return trace.str();
}

}  // namespace stepscope::proto
