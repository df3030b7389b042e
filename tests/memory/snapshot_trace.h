// SPDX-License-Identifier: Apache-2.0
//
// Traces of snapshots, made by hand and real ones.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "importers/input/input_source.h"
#include "importers/registry.h"
#include "importers/torch_memory/pickle_writer_test_support.h"

namespace stepscope {

inline std::shared_ptr<const Trace> TraceOf(
    const torch_memory::SnapshotSpec& spec) {
  const std::string bytes = torch_memory::WriteSnapshot(spec);
  const auto input = InputSource::FromBytes(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
      "a.pickle");
  EXPECT_TRUE(input);
  const auto trace = ImportSource(**input);
  EXPECT_TRUE(trace) << trace.error().message;
  return *trace;
}

// Null: it is not here.
inline std::shared_ptr<const Trace> Shared(const std::string& name) {
  const std::string path = STEPSCOPE_SHARED_TRACES "/memory/" + name;
  if (!std::filesystem::exists(path)) return nullptr;
  const auto trace = ImportFile(path);
  EXPECT_TRUE(trace) << trace.error().message;
  return *trace;
}

}  // namespace stepscope
