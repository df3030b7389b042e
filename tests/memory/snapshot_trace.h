// SPDX-License-Identifier: Apache-2.0
//
// Traces of snapshots, made by hand and real ones.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "importers/input/input_source.h"
#include "importers/load_inputs.h"
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

// A job, with one of these per rank.
inline std::shared_ptr<const Trace> RanksOf(
    const std::vector<torch_memory::SnapshotSpec>& specs) {
  const std::string folder = testing::TempDir() + "memory_ranks";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (size_t rank = 0; rank < specs.size(); ++rank)
    std::ofstream(folder + "/rank" + std::to_string(rank) + ".pickle",
                  std::ios::binary)
        << torch_memory::WriteSnapshot(specs[rank]);
  auto inputs = ImportInputs({folder}, {});
  EXPECT_TRUE(inputs) << inputs.error().message;
  EXPECT_EQ(inputs->jobs.size(), 1u);
  const auto trace = JoinInputs(*std::move(inputs), folder);
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
