// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/memory.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "importers/tensorflow/tensor.h"

namespace stepscope::proto::tf {
namespace {

using Role = DeviceName::Role;

// Behind the processes of devices, which are numbered from 1.
constexpr int64_t kTensorsPid = 1000;
constexpr int64_t kAllocatorsPid = 2000;

// An allocation or, with negative bytes, a free.
struct Change {
  std::string_view allocator;
  int64_t time_ns = 0;
  int64_t bytes = 0;
  uint64_t address = 0;
  uint32_t track = 0;
};

struct Lifetime {
  const TfNode* node = nullptr;
  TfTensor tensor;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t consumers = 0;
};

class Memory {
 public:
  Memory(const TfStep& step, Recorder& out) : step_(step), out_(out) {}

  void Add(const std::vector<TfEdge>& edges) {
    FindStep();
    FindLastUses(edges);
    for (const TfDevice& device : step_.devices)
      if (device.parsed.role == Role::kExecutor) AddTensors(device);
    AddRecorded();
    AddFollowing();
    AddChanges();
  }

 private:
  using Output = std::pair<const TfNode*, int64_t>;  // node, slot
  struct Use {
    int64_t end_ns = INT64_MIN;
    int64_t count = 0;
    bool fetched = false;
  };

  uint32_t TrackOf(const TfNode& node) const {
    return out_.builder().track_of(node.row);
  }
  int64_t EndOf(const TfNode& node) const {
    return out_.builder().start_ns(node.row) + out_.builder().dur_ns(node.row);
  }

  template <typename Visit>
  static void ForEachPlaced(const TfDevice& device, Visit visit) {
    for (const std::span<const TfNode> part : device.parts)
      for (const TfNode& node : part)
        if (node.row != kNoRow) visit(node);
  }
  template <typename Visit>
  void ForEachPlaced(Visit visit) const {
    for (const TfDevice& device : step_.devices) ForEachPlaced(device, visit);
  }

  void FindStep() {
    ForEachPlaced([this](const TfNode& node) {
      begin_ns_ = std::min(begin_ns_, out_.builder().start_ns(node.row));
      end_ns_ = std::max(end_ns_, EndOf(node));
    });
  }

  // "/job:worker/replica:0/task:1" of the first device.
  std::string Worker() const {
    for (const TfDevice& device : step_.devices)
      if (device.parsed.role == Role::kExecutor)
        return std::string(device.name.substr(0, device.name.find("/device:")));
    return {};
  }

  // Control successors do not hold data.
  void FindLastUses(const std::vector<TfEdge>& edges) {
    const TfNode* last = nullptr;  // one may take many
    bool fetches = false;
    for (const TfEdge& edge : edges) {
      if (edge.slot < 0) continue;
      if (edge.consumer != last) {
        last = edge.consumer;
        fetches = last->text->name.starts_with("_retval_") ||
                  ParseOpLabel(last->text->label).op == "_Retval";
      }
      Use& use = uses_[{edge.producer, edge.slot}];
      use.end_ns = std::max(use.end_ns, EndOf(*edge.consumer));
      ++use.count;
      // What is fetched goes out of the step alive.
      use.fetched |= fetches;
    }
  }

  Lifetime LifetimeOf(const TfNode& node, const TfTensor& tensor,
                      bool persistent) const {
    Lifetime life = {&node, tensor, out_.builder().start_ns(node.row),
                     EndOf(node), 0};
    if (const auto use = uses_.find({&node, tensor.slot}); use != uses_.end()) {
      life.end_ns = std::max(
          life.end_ns, use->second.fetched ? end_ns_ : use->second.end_ns);
      life.consumers = use->second.count;
    }
    if (persistent) {
      life.begin_ns = begin_ns_;
      life.end_ns = end_ns_;
    }
    return life;
  }

  void AddTensors(const TfDevice& device) {
    TraceBuilder& builder = out_.builder();
    Track track;
    track.kind = TrackKind::kAsync;
    track.name = out_.Intern("Tensors");
    bool made = false;
    uint32_t index = 0;
    ForEachPlaced(device, [&](const TfNode& node) {
      const bool persistent = IsPersistent(node.bytes());
      for (const TfTensor& tensor : ReadOutputs(node.bytes())) {
        if (!made) {
          Process process;
          process.name = out_.Intern(std::string(device.name) + " Tensors");
          const uint32_t of = builder.track(TrackOf(node)).process;
          process.pid = builder.process(of).pid - kTensorsPid;
          track.process = builder.AddProcess(std::move(process));
          index = builder.AddTrack(track);
          made = true;
        }
        lives_.push_back(LifetimeOf(node, tensor, persistent));
        AddTensor(lives_.back(), index);
      }
    });
  }

  void AddTensor(const Lifetime& life, uint32_t track) {
    TraceBuilder& builder = out_.builder();
    const TfTensor& tensor = life.tensor;
    std::string name(life.node->text->name);
    if (tensor.slot > 0) {
      name += ':';
      name += std::to_string(tensor.slot);
    }
    EventSpec event;
    event.track = track;
    event.start_ns = life.begin_ns;
    event.dur_ns =
        std::min(life.end_ns - life.begin_ns, Recorder::kMaxTimeNs - 1);
    event.name = out_.Intern(name);
    event.type = STEPSCOPE_USER_DEFINED;
    event.flags = kEventInferred;
    const Row row = builder.AddEvent(event);
    if (row == kNoRow) return;
    builder.AddInt(row, "bytes", tensor.bytes);
    builder.AddText(row, "allocator", tensor.allocator);
    builder.AddInt(row, "consumers", life.consumers);
    builder.AddText(row, "tensor", TypeText(tensor));
    if (tensor.pointer != 0)
      builder.AddInt(row, "addr", static_cast<int64_t>(tensor.pointer));
  }

  void AddRecorded() {
    ForEachPlaced([this](const TfNode& node) {
      for (const TfAllocation& allocation : ReadAllocations(node.bytes())) {
        int64_t time = allocation.time_ns;
        if (!out_.Shift(&time)) continue;
        recorded_.insert(allocation.allocator);
        changes_.push_back(
            {allocation.allocator, time, allocation.bytes, 0, TrackOf(node)});
      }
    });
  }

  // Of allocators that recorded nothing: one buffer an address while tensors
  // there touch each other, and one a tensor without an address.
  void AddFollowing() {
    std::map<std::pair<std::string_view, uint64_t>, std::vector<Lifetime>> at;
    for (const Lifetime& life : lives_) {
      const TfTensor& tensor = life.tensor;
      if (tensor.bytes <= 0 || recorded_.contains(tensor.allocator)) continue;
      if (tensor.pointer == 0) {
        AddBuffer(life, tensor.bytes);
      } else {
        at[{tensor.allocator, tensor.pointer}].push_back(life);
      }
    }
    for (auto& [key, lives] : at) {
      std::stable_sort(lives.begin(), lives.end(),
                       [](const Lifetime& a, const Lifetime& b) {
                         return a.begin_ns < b.begin_ns;
                       });
      Lifetime buffer = lives.front();
      int64_t bytes = buffer.tensor.bytes;
      for (size_t i = 1; i < lives.size(); ++i) {
        if (lives[i].begin_ns > buffer.end_ns) {
          AddBuffer(buffer, bytes);
          buffer = lives[i];
          bytes = buffer.tensor.bytes;
        }
        buffer.end_ns = std::max(buffer.end_ns, lives[i].end_ns);
        bytes = std::max(bytes, lives[i].tensor.bytes);
      }
      AddBuffer(buffer, bytes);
    }
  }

  void AddBuffer(const Lifetime& life, int64_t bytes) {
    const TfTensor& tensor = life.tensor;
    changes_.push_back({tensor.allocator, life.begin_ns, bytes, tensor.pointer,
                        TrackOf(*life.node)});
    changes_.push_back({tensor.allocator, life.end_ns, -bytes, tensor.pointer,
                        TrackOf(*life.node)});
  }

  // Frees before allocations of the same time.
  void AddChanges() {
    TraceBuilder& builder = out_.builder();
    std::stable_sort(
        changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
          return std::pair(a.time_ns, a.bytes) < std::pair(b.time_ns, b.bytes);
        });
    struct Counter {
      uint32_t track = 0;
      int64_t bytes = 0;
      bool made = false;
    };
    std::map<std::string_view, Counter> counters;
    uint32_t process = 0;
    for (const Change& change : changes_) {
      if (counters.empty()) {
        Process allocators;
        allocators.name = out_.Intern(Worker() + " Allocators");
        allocators.pid = -kAllocatorsPid;
        process = builder.AddProcess(std::move(allocators));
      }
      Counter& counter = counters[change.allocator];
      if (!counter.made) {
        Track track;
        track.process = process;
        track.kind = TrackKind::kCounter;
        track.id = static_cast<int64_t>(counters.size());
        track.name = out_.Intern(change.allocator);
        counter.track = builder.AddTrack(track);
        counter.made = true;
      }
      // More may be freed than was seen allocated: it was there before.
      if (__builtin_add_overflow(counter.bytes, change.bytes, &counter.bytes))
        counter.bytes = 0;
      CounterSample sample;
      sample.time_ns = change.time_ns;
      sample.track = counter.track;
      sample.integer = true;
      sample.int_value = counter.bytes;
      sample.value = static_cast<double>(counter.bytes);
      builder.AddCounter(sample);
      MemoryEvent event;
      event.time_ns = change.time_ns;
      event.address = change.address;
      event.bytes = change.bytes;
      event.total_allocated =
          static_cast<uint64_t>(std::max<int64_t>(counter.bytes, 0));
      event.place = out_.Intern(change.allocator);
      event.track = change.track;
      event.kind = change.bytes < 0 ? MemoryKind::kFree : MemoryKind::kAllocate;
      builder.AddMemory(event);
    }
  }

  const TfStep& step_;
  Recorder& out_;
  int64_t begin_ns_ = INT64_MAX;
  int64_t end_ns_ = INT64_MIN;
  std::map<Output, Use> uses_;
  std::vector<Lifetime> lives_;
  std::set<std::string_view> recorded_;  // allocators with records
  std::vector<Change> changes_;
};

}  // namespace

void AddTfMemory(const TfStep& step, const std::vector<TfEdge>& edges,
                 Recorder& out) {
  Memory(step, out).Add(edges);
}

}  // namespace stepscope::proto::tf
