// SPDX-License-Identifier: Apache-2.0
//
// The fields of a partial in the order in which they are stored. To add one is
// to raise kPartialVersion. docs/formats/partial.md has the same list.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/partial/archive.h"
#include "analysis/partial/partial.h"

namespace stepscope {

// One object for writing and for reading: `archive` is either.
template <typename Archive>
class PartialFields {
 public:
  explicit PartialFields(Archive& archive) : a_(archive) {}

  void Head(PartialHead& head) {
    All(head.stamp.name, head.stamp.bytes, head.stamp.changed_ns,
        head.stamp.hash);
    FileFacts& facts = head.facts;
    All(facts.format, facts.reader, facts.job, facts.run);
    List(facts.processes, [&](FileFacts::Owner& owner) {
      All(owner.pid, owner.host, owner.rank);
    });
    All(facts.world, facts.epoch_known, facts.begin_ns, facts.end_ns);
    List(facts.rhythm.beats,
         [&](CollectiveRhythm::Beat& beat) { All(beat.name, beat.end_ns); });
    if (facts.rhythm.beats.size() > CollectiveRhythm::kMostBeats) Refuse();
  }

  void Body(PartialBody& body) {
    List(body.sources, [&](Source& source) { Of(source); });
    List(body.processes, [&](PartialProcess& process) { Of(process); });
    All(body.events.any, body.events.open, body.events.dropped, body.window,
        body.has_window, body.events_span, body.cpu_process, body.cpu_system,
        body.no_launch, body.outlives_parent);
    List(body.steps, [&](StepRow& row) {
      All(row.index, row.start_ns, row.dur_ns, row.period_ns,
          row.device_start_ns, row.device_end_ns, row.warmup, row.rank);
    });
    List(body.periods, [&](ProcessPeriods& process) {
      Numbers(process.settled_ns);
      Numbers(process.warmup_ns);
      All(process.device_paced);
    });
    List(body.costs, [&](StepCost& cost) {
      All(cost.index, cost.batch_ns, cost.reader_ns);
    });
    All(body.gpu_ns, body.all_gpu_ns, body.model.has_steps);
    for (ModelSums::Stage& stage : body.model.stages)
      All(stage.calls, stage.cpu, stage.gpu, stage.inferred);
    All(body.model.outside_cpu_ns, body.model.outside_gpu_ns);
    List(body.devices, [&](DeviceUse& device) {
      All(device.kind, device.id, device.process, device.busy_ns,
          device.after_ns, device.window_ns, device.own_window);
    });
    Of(body.waterfall);
    List(body.idle_devices, [&](IdleDevice& device) { Of(device); });
    Sums(body.operators);
    All(body.outermost_cpu_ns, body.outermost_gpu_ns);
    Optional(body.lost, [&](NamedSum& sum) { Of(sum); });
    Sums(body.kernels);
    Sums(body.user_defined);
    Sums(body.memory_manipulation);
    All(body.memory_of_device);
    Sums(body.python);
    List(body.flops, [&](PartialFlops& flops) {
      All(flops.name, flops.row.calls, flops.row.counted_calls, flops.row.flops,
          flops.row.gpu_ns, flops.row.gpu_flops, flops.row.host_ns,
          flops.row.moved_bytes, flops.row.bytes_known);
    });
    All(body.total_flops, body.step_flops, body.counted_gpu_ns);
    Of(body.launch);
    Of(body.launch_calls);
    Of(body.launch_delays);
    Of(body.digest);
  }

 private:
  template <typename... Values>
  void All(Values&... values) {
    (Of(values), ...);
  }
  template <typename Value>
  requires std::is_integral_v<Value> || std::is_enum_v<Value>
  void Of(Value& value) { Whole(a_, value); }
  void Of(bool& value) {
    uint64_t number = value;
    a_.Number(number);
    value = number != 0;
  }
  void Of(double& value) { a_.Real(value); }
  void Of(std::string& value) { a_.Text(value); }
  void Of(Interval& range) { All(range.begin, range.end); }
  void Of(TimeStats& time) { All(time.total_ns, time.max_ns, time.min_ns); }
  void Of(std::optional<int64_t>& value) {
    Optional(value, [&](int64_t& number) { Of(number); });
  }

  template <typename Value, typename Each>
  void List(std::vector<Value>& list, Each each) {
    const size_t size = a_.Length(list.size());
    if constexpr (!Archive::kReads) {
      for (Value& value : list) each(value);
    } else {
      list.clear();
      // Grown as it is read: what a damaged file claims costs nothing.
      for (size_t i = 0; i < size && !a_.failed(); ++i)
        each(list.emplace_back());
    }
  }
  void Numbers(std::vector<int64_t>& list) {
    List(list, [&](int64_t& number) { Of(number); });
  }
  template <typename Value, typename Each>
  void Optional(std::optional<Value>& value, Each each) {
    bool is_there = value.has_value();
    Of(is_there);
    if constexpr (Archive::kReads) {
      value.reset();
      if (is_there) value.emplace();
    }
    if (is_there) each(*value);
  }
  void Sums(std::vector<NamedSum>& sums) {
    List(sums, [&](NamedSum& sum) { Of(sum); });
  }

  void Of(ClockMap& map) {
    int64_t from = map.from_ns();
    int64_t to = map.to_ns();
    int64_t rate_to = map.rate_to();
    int64_t rate_from = map.rate_from();
    All(from, to, rate_to, rate_from);
    if constexpr (Archive::kReads)
      map = ClockMap::FromParts(from, to, rate_to, rate_from);
  }

  void Of(Source& source) {
    All(source.format, source.path, source.epoch_ns, source.clock.source,
        source.clock.anchors, source.clock.worst_error_ns,
        source.clock.ticks_per_second, source.clock.epoch_known,
        source.to_trace, source.complete);
    List(source.notes, [&](std::string& note) { Of(note); });
    uint64_t kept = source.ledger.kept();
    Of(kept);
    if constexpr (Archive::kReads) source.ledger.Keep(kept);
    Bins(source.ledger, source.ledger.repaired(), &Ledger::Repair);
    Bins(source.ledger, source.ledger.rejected(), &Ledger::Reject);
  }

  // Counts and the first example of each reason.
  using BinMap = std::map<std::string, Ledger::Bin, std::less<>>;
  using AddToBin = void (Ledger::*)(std::string_view, uint64_t,
                                    std::string_view, uint64_t);
  void Bins(Ledger& ledger, const BinMap& bins, AddToBin add) {
    struct OneBin {
      std::string reason;
      uint64_t count = 0;
      Ledger::Example example;
    };
    std::vector<OneBin> list;
    if constexpr (!Archive::kReads) {
      for (const auto& [reason, bin] : bins)
        list.push_back(
            {reason, bin.count,
             bin.examples.empty() ? Ledger::Example() : bin.examples.front()});
    }
    List(list, [&](OneBin& bin) {
      All(bin.reason, bin.count, bin.example.offset, bin.example.what);
    });
    if constexpr (Archive::kReads) {
      for (const OneBin& bin : list)
        (ledger.*add)(bin.reason, bin.example.offset, bin.example.what,
                      bin.count);
    }
  }

  void Of(PartialProcess& process) {
    All(process.pid, process.rank, process.name, process.host, process.source,
        process.start_ns);
    List(process.metadata, [&](std::pair<std::string, std::string>& fact) {
      All(fact.first, fact.second);
    });
  }

  void Parts(std::array<int64_t, kStepParts>& part_ns) {
    for (int64_t& part : part_ns) Of(part);
  }

  void Of(Waterfall& waterfall) {
    All(waterfall.step_ns, waterfall.processes, waterfall.device_events,
        waterfall.device_events_launched, waterfall.host_events,
        waterfall.other_threads_steps);
    Parts(waterfall.part_ns);
    List(waterfall.steps, [&](StepParts& step) {
      // Whether there is an event is all that is shown of it.
      bool has_row = step.row != kNoRow;
      All(step.index, step.process, has_row, step.range);
      if constexpr (Archive::kReads) step.row = has_row ? 0 : kNoRow;
      Parts(step.part_ns);
    });
  }

  void Of(IdleDevice& device) {
    All(device.name, device.process, device.step_ns, device.idle_ns,
        device.around_sync_ns, device.in_backward_ns, device.backward_ns);
    for (IdleRow& row : device.rows) {
      All(row.cause, row.time_ns, row.gaps, row.longest_ns, row.longest_at_ns);
      if (row.cause >= StepPart{kStepParts}) Refuse();
    }
  }

  void Of(DurationSketch& sketch) {
    bool exact = sketch.exact();
    std::vector<DurationSketch::Entry> entries(sketch.entries().begin(),
                                               sketch.entries().end());
    Of(exact);
    uint64_t before = 0;  // keys ascend: differences are short
    List(entries, [&](DurationSketch::Entry& entry) {
      uint64_t more = entry.first - before;
      All(more, entry.second);
      entry.first = before + more;
      before = entry.first;
    });
    if constexpr (Archive::kReads) {
      if (!DurationSketch::FromParts(exact, std::move(entries), sketch))
        Refuse();
    }
  }

  void Of(KernelUse& use) {
    KernelUse::Parts parts = use.parts();
    bool any = parts != KernelUse::Parts{};
    Of(any);
    if (!any) return;
    for (double& part : parts) Of(part);
    use = KernelUse::FromParts(parts);
  }

  void Of(NamedSum& sum) {
    All(sum.name, sum.calls, sum.nested_calls, sum.cpu, sum.gpu,
        sum.self_cpu_ns, sum.self_gpu_ns, sum.share.inside_ns,
        sum.share.steps_ns, sum.share.loose_threads, sum.cpu_sketch,
        sum.gpu_sketch, sum.use);
    if (++depth_ > kDeepest) return Refuse();
    Sums(sum.inner);
    Sums(sum.device);
    --depth_;
  }

  void Of(LaunchStats& launch) {
    All(launch.device_events, launch.without_launch,
        launch.launches_without_work, launch.call.count, launch.call.time,
        launch.queue_delay.count, launch.queue_delay.time, launch.early,
        launch.short_kernels, launch.short_kernels_ns, launch.short_calls_ns,
        launch.followers, launch.launch_bound);
  }

  void Of(FileDigest& digest) {
    ClockMember& member = digest.member;
    All(member.file, member.prior.epoch_known, member.prior.error_ns,
        member.machine);
    List(member.owners, [&](ClockMember::Owner& owner) {
      All(owner.rank, owner.pid, owner.host);
    });
    All(digest.clock.epoch.ns, digest.clock.epoch.known, digest.clock.first_ns);
    List(digest.ranks, [&](RankDigest& rank) { Of(rank); });
  }

  void Of(RankDigest& rank) {
    All(rank.pid, rank.host, rank.file, rank.clock.method, rank.clock.offset_ns,
        rank.clock.drift_ppm, rank.clock.error_ns, rank.has_device);
    Of(rank.calls);
    List(rank.held.names, [&](HeldName& name) {
      All(name.name, name.kind);
      if (name.kind > HeldKind::kNothing) Refuse();
    });
    List(rank.held.before, [&](std::vector<Held>& before) {
      List(before, [&](Held& held) {
        All(held.name, held.time_ns);
        if (held.name >= rank.held.names.size()) Refuse();
      });
    });
    if (rank.held.before.size() != rank.calls.calls.size()) Refuse();
    List(rank.steps, [&](RankStep& step) {
      All(step.index, step.range, step.computation_ns, step.communication_ns,
          step.overlapped_ns, step.pipeline_ns, step.idle_ns);
      Parts(step.part_ns);
    });
  }

  void Of(RankCalls& calls) {
    All(calls.process, calls.rank);
    List(calls.signatures, [&](CallSignature& signature) {
      All(signature.kind, signature.name, signature.group);
      Numbers(signature.ranks);
      All(signature.group_size, signature.bytes, signature.source,
          signature.target);
      if (signature.kind > CollectiveKind::kOther) Refuse();
    });
    int64_t before = 0;  // calls are by start: differences are short
    List(calls.calls, [&](RankCall& call) {
      int64_t since = Less(call.time.begin, before);
      int64_t length = Less(call.time.end, call.time.begin);
      All(since, length, call.signature, call.seq, call.step, call.on_device);
      if constexpr (Archive::kReads) {
        call.time.begin = Less(before, Less(0, since));
        call.time.end = Less(call.time.begin, Less(0, length));
        if (call.signature >= calls.signatures.size()) Refuse();
      }
      before = call.time.begin;
    });
  }

  // Wraps.
  static int64_t Less(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) -
                                static_cast<uint64_t>(b));
  }

  // What no writer wrote.
  void Refuse() {
    if constexpr (Archive::kReads) a_.Fail();
  }

  static constexpr int kDeepest = 3;  // operator, inside, on the device

  Archive& a_;
  int depth_ = 0;
};

}  // namespace stepscope
