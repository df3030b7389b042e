// SPDX-License-Identifier: Apache-2.0
//
// Step statistics that several readers share make the trace that one makes.
#include <gtest/gtest.h>

#include <random>

#include "importers/proto/pb_writer_test_support.h"
#include "importers/proto/whole_text_test_support.h"
#include "importers/tensorflow/texts.h"

namespace stepscope::proto::tf {
namespace {

class StepGenerator {
 public:
  explicit StepGenerator(uint32_t seed) : random_(seed) {}

  std::string Step() {
    constexpr std::string_view kDevices[] = {
        "/job:w/task:0/device:CPU:0", "/job:w/task:0/device:GPU:0",
        "/device:GPU:0/stream:13",    "/device:GPU:0/stream:all",
        "/device:GPU:0/memcpy",       "/job:w/task:0/device:CPU:0",
        "/device:GPU:0/sync",         ""};
    Pb step;
    for (uint64_t i = 1 + Below(6); i > 0; --i) {
      const std::string_view name = kDevices[Below(std::size(kDevices))];
      const bool late = OneIn(8);
      Pb device;
      if (!late) device.Text(1, name);
      for (uint64_t j = Below(60); j > 0; --j) {
        device.Sub(2, Node());
        if (OneIn(20)) device.Sub(3, Pb().Int(1, Number(4)).Text(2, "pool"));
      }
      if (late) device.Text(1, name);
      if (OneIn(15)) device.Raw("\x07");
      step.Sub(1, device);
    }
    return step.str();
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  int64_t Number(uint64_t n) { return static_cast<int64_t>(Below(n)); }
  std::string Name() {
    std::string name = "scope/name_" + std::to_string(Below(9));
    if (OneIn(5)) name += "/_" + std::to_string(Below(3));
    return name;
  }

  Pb Node() {
    const std::string name = OneIn(12) ? "RecvTensor" : Name();
    const int64_t start = kSampleTime / 1000 + Number(500);
    Pb node;
    if (!OneIn(9)) node.Text(1, name);
    if (!OneIn(15)) node.Int(2, OneIn(20) ? INT64_MAX : start);
    if (OneIn(2)) node.Int(3, Number(3)).Int(4, Number(int64_t{1} << 40));
    node.Int(5, Number(30) - (OneIn(9) ? 20 : 0));
    for (uint64_t i = Below(3); i > 0; --i) node.Sub(7, Output());
    if (!OneIn(9)) node.Text(8, Label(name));
    if (OneIn(3)) node.Int(9, OneIn(9) ? INT64_MIN / 1000 : start - Number(9));
    if (OneIn(2)) node.Int(10, Number(3));
    if (OneIn(4)) node.Int(13, start * 1000 + 1).Int(16, 999).Int(17, 5);
    if (OneIn(9)) node.Text(1, name);
    if (OneIn(30)) node.Double(4, 1);
    return node;
  }
  Pb Output() {
    Pb tensor;
    tensor.Int(1, Number(12));
    if (OneIn(2)) tensor.Sub(2, Pb().Sub(2, Pb().Int(1, Number(9))));
    tensor.Sub(4, Pb().Int(1, 64).Text(3, "bfc"));
    return Pb().Int(1, Number(3)).Sub(3, tensor);
  }
  std::string Label(const std::string& name) {
    if (OneIn(6)) return "kernel regs:3 @@" + Name() + ":Op#id=1#";
    if (OneIn(6)) return "[8B] edge from /job:ps to /job:w";
    std::string label = name + " = Op(";
    for (uint64_t i = Below(3); i > 0; --i) label += Name() + ", ";
    return label + "^" + Name() + ":1)";
  }

  std::mt19937_64 random_;
};

TEST(TfPartsTest, SeveralReadersSeeWhatOneDoes) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::string bytes = StepGenerator(seed).Step();
    if (seed % 4 == 0) bytes.resize(bytes.size() / 2);
    const std::string one = ReadAtOnceText(ImportStepStats, bytes, 1);
    for (const unsigned readers : {2u, 3u, 7u})
      ASSERT_EQ(one, ReadAtOnceText(ImportStepStats, bytes, readers)) << seed;
  }
}

// More nodes than one thread writes in a go, and more arguments than there is
// room for at first.
TEST(TfPartsTest, ManyNodesWithManyInputs) {
  Pb device = Pb().Text(1, "/cpu:0");
  for (int64_t i = 0; i < 30'000; ++i) {
    const std::string name = "name_" + std::to_string(i % 7);
    std::string label = name + " = Op(name_0";
    for (int64_t input = 0; input < i % 70; ++input)
      label += ", name_" + std::to_string(input % 9);
    device.Sub(2, Pb().Text(1, name)
                      .Int(2, kSampleTime / 1000 + i)
                      .Int(5, 1 + i % 3)
                      .Text(8, label + ")"));
  }
  const std::string bytes = Pb().Sub(1, device).str();
  const std::string one = ReadAtOnceText(ImportStepStats, bytes, 1);
  EXPECT_NE(one.find("input69"), std::string::npos);
  EXPECT_EQ(one, ReadAtOnceText(ImportStepStats, bytes, 4));
}

TEST(TfPartsTest, NumbersThatAreLarge) {
  Pb node = Pb().Text(1, "n").Int(13, kSampleTime).Int(16, 9).Text(8, "n");
  node.Int(14, int64_t{1} << 40).Int(15, -(int64_t{1} << 41));
  node.Int(10, INT64_MAX).Int(17, kSampleTime - (int64_t{1} << 42));
  const Pb step = Pb().Sub(1, Pb().Text(1, "/cpu:0").Sub(2, node));
  const auto trace = ImportBytes(ImportStepStats, step.str());
  EXPECT_EQ(ArgText(*trace, "n", "op_start_ns"), "1099511627776");
  EXPECT_EQ(ArgText(*trace, "n", "op_end_ns"), "-2199023255552");
  EXPECT_EQ(ArgText(*trace, "n", "scheduled_before_ns"), "4398046511104");
  EXPECT_EQ(ArgText(*trace, "n", "thread_id"), "9223372036854775807");
}

TEST(TfTextsTest, EachIsKeptOnceForADevice) {
  TfTexts texts;
  texts.NextDevice();
  std::vector<std::string> names;
  for (int i = 0; i < 5'000; ++i) names.push_back(std::to_string(i));
  std::vector<const TfText*> first;
  for (const std::string& name : names) first.push_back(texts.Add(name, ""));
  size_t again = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const TfText* const text = texts.Add(names[i], "");
    EXPECT_EQ(text->name, names[i]);
    again += text == first[i];
  }
  EXPECT_GT(again, names.size() * 9 / 10);
  // The same name with another label, and that of another device, are others.
  EXPECT_NE(texts.Add(names[0], "label"), first[0]);
  texts.NextDevice();
  EXPECT_NE(texts.Add(names[0], ""), first[0]);
}

}  // namespace
}  // namespace stepscope::proto::tf
