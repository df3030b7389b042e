// SPDX-License-Identifier: Apache-2.0
#include "python/node_layout.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <set>

namespace {

constexpr size_t kBytes = 384;  // of a node, and of what lies behind it
constexpr size_t kFewest = 16;
// Behind the header of every Python object, where pybind11 keeps a pointer to
// what the object stands for.
constexpr size_t kValueOffset = 2 * sizeof(void*);

// Copies memory through a pipe: the kernel refuses what an ordinary read would
// end the process for. A sandbox that allows no more than files allows this.
class SafeReader {
 public:
  SafeReader() {
    if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
  }
  ~SafeReader() {
    if (ends_[0] < 0) return;
    close(ends_[0]);
    close(ends_[1]);
  }
  SafeReader(const SafeReader&) = delete;
  SafeReader& operator=(const SafeReader&) = delete;

  bool Read(const void* from, void* to, size_t bytes) const {
    if (ends_[0] < 0) return false;
    const ssize_t sent = write(ends_[1], from, bytes);
    // Also where only a part can be read: nothing may stay in the pipe.
    return sent > 0 && read(ends_[0], to, static_cast<size_t>(sent)) == sent &&
           static_cast<size_t>(sent) == bytes;
  }

 private:
  int ends_[2];
};

const char* NodeOf(const SafeReader& memory, const void* object) {
  const char* node = nullptr;
  const auto* at = static_cast<const char*>(object) + kValueOffset;
  return memory.Read(at, &node, sizeof(node)) ? node : nullptr;
}

struct Probe {
  const SafeReader* memory = nullptr;
  const NodeSample* sample = nullptr;
  std::array<char, kBytes> bytes = {};

  template <typename Value>
  Value At(size_t offset) const {
    Value value;
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return value;
  }
};

bool HasName(const Probe& probe) {
  const std::string& name = probe.sample->name;
  std::string read(name.size() + 1, '\1');
  return probe.memory->Read(probe.At<const char*>(0), read.data(),
                            read.size()) &&
         read.compare(0, name.size(), name) == 0 && read.back() == '\0';
}

bool HasChildren(const Probe& probe, size_t offset) {
  const auto begin = probe.At<uintptr_t>(offset);
  const auto end = probe.At<uintptr_t>(offset + sizeof(void*));
  const auto room = probe.At<uintptr_t>(offset + 2 * sizeof(void*));
  const std::vector<const void*>& children = probe.sample->children;
  if (end - begin != children.size() * sizeof(void*) || room < end)
    return false;
  for (size_t i = 0; i < children.size(); ++i) {
    const char* child = nullptr;
    const auto* at = reinterpret_cast<const void*>(begin + i * sizeof(child));
    if (!probe.memory->Read(at, &child, sizeof(child)) || child == nullptr ||
        child != NodeOf(*probe.memory, children[i]))
      return false;
  }
  return true;
}

// The only offset at which `fits` holds for all.
template <typename Fits>
std::optional<size_t> Only(const std::vector<Probe>& probes, size_t step,
                           size_t bytes, Fits fits) {
  std::optional<size_t> found;
  for (size_t at = 0; at + bytes <= kBytes; at += step) {
    bool all = true;
    for (const Probe& probe : probes) all = all && fits(probe, at);
    if (!all) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

// Whether samples differ in everything that is looked for.
bool CanTell(const std::vector<NodeSample>& samples) {
  std::set<int32_t> types;
  std::set<int64_t> starts;
  std::set<size_t> children;
  for (const NodeSample& sample : samples) {
    types.insert(sample.type);
    starts.insert(sample.start_ns);
    children.insert(sample.children.size());
  }
  return samples.size() >= kFewest && types.size() >= 2 && starts.size() >= 2 &&
         children.size() >= 2;
}

}  // namespace

const char* NodeBehind(const void* object) {
  const char* node = nullptr;
  std::memcpy(&node, static_cast<const char*>(object) + kValueOffset,
              sizeof(node));
  return node;
}

std::optional<NodeLayout> FindNodeLayout(
    const std::vector<NodeSample>& samples) {
  if (!CanTell(samples)) return std::nullopt;
  const SafeReader memory;
  std::vector<Probe> probes(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    Probe& probe = probes[i];
    probe.memory = &memory;
    probe.sample = &samples[i];
    const char* node = NodeOf(memory, samples[i].object);
    if (node == nullptr || !memory.Read(node, probe.bytes.data(), kBytes) ||
        !HasName(probe))
      return std::nullopt;
  }
  const auto type = Only(probes, 4, 4, [](const Probe& probe, size_t at) {
    return probe.At<int32_t>(at) == probe.sample->type;
  });
  const auto start = Only(probes, 8, 8, [](const Probe& probe, size_t at) {
    return probe.At<int64_t>(at) == probe.sample->start_ns;
  });
  const auto end = Only(probes, 8, 8, [](const Probe& probe, size_t at) {
    return probe.At<int64_t>(at) == probe.sample->end_ns;
  });
  const auto children = Only(probes, 8, 24, HasChildren);
  if (!type || !start || !end || !children) return std::nullopt;
  return NodeLayout{*type, *start, *end, *children};
}
