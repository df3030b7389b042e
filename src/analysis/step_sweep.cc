// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_sweep.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

constexpr uint32_t kNoDevice = 0xffffffffu;
// Operators that are worth a look when they launch nothing.
constexpr int64_t kLongOperatorNs = 100'000;

// What the sweep tells apart: the parts that are recorded, with the two kinds
// of communication by themselves.
enum Activity : uint8_t {
  kKernel,
  kCopy,
  kDeviceCommunication,
  kHostCommunication,
  kPending,
  kInput,
  kSync,
  kHost,
};
constexpr size_t kActivities = 8;
constexpr size_t kOnDevice = 3;

// Where the sweep stands on a track.
struct Cursor {
  enum Kind : uint8_t { kThread, kDevice, kLaunches };
  Kind kind = kThread;
  bool waits_for_input = false;  // kThread: its Dataloader events stall
  uint32_t device = kNoDevice;   // of the process
  size_t next = 0;               // row, or index of the work
  size_t last = 0;
  // kLaunches: the work in order of its launches, where the stream runs it in
  // another one; `next` and `last` are then positions in here.
  std::vector<uint32_t> by_launch;
  int64_t host_until = INT64_MIN;
  int64_t loader_until = INT64_MIN;
  int64_t operator_until = INT64_MIN;
};

// The events of one process, taken in windows of increasing time.
class ProcessSweep {
 public:
  ProcessSweep(const EventTree& tree, NameClasses& names,
               const Communication& communication)
      : tree_(tree), names_(names), communication_(communication) {
    until_.fill(INT64_MIN);
  }

  void AddThread(const Track& track, bool waits_for_input) {
    Cursor cursor;
    cursor.waits_for_input = waits_for_input;
    cursor.next = track.first;
    cursor.last = track.last;
    Add(cursor);
  }
  // `first` and `last`: range of the track in EventTree::work().
  void AddStream(uint32_t device, size_t first, size_t last) {
    Cursor cursor;
    cursor.kind = Cursor::kDevice;
    cursor.device = device;
    cursor.next = first;
    cursor.last = last;
    Add(cursor);
    cursor.kind = Cursor::kLaunches;
    SortLaunches(cursor);
    Add(cursor);
    devices_ = std::max<size_t>(devices_, device + 1);
  }

  void Fill(StepWindow& window) {
    busy_until_.resize(devices_, INT64_MIN);
    busy_.resize(devices_ > 1 ? devices_ : 0);
    Consume(window.range.begin, nullptr);
    window_ = window.range;
    for (size_t i = 0; i < kActivities; ++i) {
      active_[i].Add(window_.begin, std::min(until_[i], window_.end));
    }
    for (size_t i = 0; i < busy_.size(); ++i) {
      busy_[i].Add(window_.begin, std::min(busy_until_[i], window_.end));
    }
    Consume(window_.end, &window);
    Divide(window);
  }

 private:
  const DeviceWork& LaunchedWork(const Cursor& cursor) const {
    return tree_.work()[cursor.by_launch.empty()
                            ? cursor.next
                            : cursor.by_launch[cursor.next]];
  }

  // A stream runs in the order of its launches, as a rule.
  void SortLaunches(Cursor& cursor) const {
    const auto start = tree_.trace().start_ns();
    const auto launched = [&](size_t i) {
      const Row launch = tree_.work()[i].launch;
      return launch == kNoRow ? INT64_MIN : start[launch];
    };
    int64_t last = INT64_MIN;
    bool sorted = true;
    for (size_t i = cursor.next; i < cursor.last && sorted; ++i) {
      const int64_t time = launched(i);
      if (time == INT64_MIN) continue;
      sorted = time >= last;
      last = time;
    }
    if (sorted) return;
    for (size_t i = cursor.next; i < cursor.last; ++i) {
      cursor.by_launch.push_back(static_cast<uint32_t>(i));
    }
    std::stable_sort(cursor.by_launch.begin(), cursor.by_launch.end(),
                     [&](uint32_t a, uint32_t b) {
                       return launched(a) < launched(b);
                     });
    cursor.next = 0;
    cursor.last = cursor.by_launch.size();
  }

  void Add(const Cursor& cursor) {
    cursors_.push_back(cursor);
    Queue(static_cast<uint32_t>(cursors_.size() - 1));
  }

  // Work without a launch is not in the queue of launches.
  void Queue(uint32_t index) {
    Cursor& cursor = cursors_[index];
    if (cursor.kind == Cursor::kLaunches) {
      while (cursor.next < cursor.last &&
             LaunchedWork(cursor).launch == kNoRow) {
        ++cursor.next;
      }
    }
    if (cursor.next < cursor.last) queue_.emplace(Time(cursor), index);
  }

  int64_t Time(const Cursor& cursor) const {
    const auto start = tree_.trace().start_ns();
    switch (cursor.kind) {
      case Cursor::kThread:
        return start[cursor.next];
      case Cursor::kDevice:
        return start[tree_.work()[cursor.next].row];
      case Cursor::kLaunches:
        break;
    }
    return start[LaunchedWork(cursor).launch];
  }

  // Takes all that begins before `limit`.
  void Consume(int64_t limit, StepWindow* window) {
    collecting_ = window;
    while (!queue_.empty() && queue_.top().first < limit) {
      const uint32_t index = queue_.top().second;
      queue_.pop();
      Cursor& cursor = cursors_[index];
      switch (cursor.kind) {
        case Cursor::kThread:
          TakeThread(cursor, limit);
          break;
        case Cursor::kDevice:
          TakeDevice(cursor, limit);
          break;
        case Cursor::kLaunches:
          TakeLaunches(cursor, limit);
          break;
      }
      Queue(index);
    }
  }

  void Mark(Activity activity, int64_t begin, int64_t end) {
    until_[activity] = std::max(until_[activity], end);
    if (collecting_ == nullptr) return;
    active_[activity].Add(std::max(begin, window_.begin),
                          std::min(end, window_.end));
  }

  void TakeThread(Cursor& cursor, int64_t limit) {
    const Trace& trace = tree_.trace();
    const auto start = trace.start_ns();
    const auto type = trace.type();
    for (; cursor.next < cursor.last; ++cursor.next) {
      const Row row = static_cast<Row>(cursor.next);
      const int64_t begin = start[row];
      if (begin >= limit) return;
      const int64_t end = tree_.end_ns(row);
      const uint16_t kind = type[row];
      if (kind == STEPSCOPE_PROFILE_STEP) continue;
      if (kind == STEPSCOPE_DATALOADER) {
        if (cursor.waits_for_input) {
          Mark(kInput, begin, end);
        } else {
          cursor.loader_until = std::max(cursor.loader_until, end);
        }
        continue;
      }
      // What a loader thread does in the background holds nobody up.
      if (end <= cursor.loader_until) continue;
      if (end > cursor.host_until) {
        cursor.host_until = end;
        Mark(kHost, begin, end);
      }
      if (IsApiCall(kind) || kind == STEPSCOPE_SYNCHRONIZATION) {
        if (!IsApiCall(kind) || names_.sync_call(trace.name()[row])) {
          Mark(kSync, begin, end);
        }
      } else if (communication_.IsHostEvent(row)) {
        // As a rule, what launches work on a device communicates there.
        if (tree_.gpu_ns(row) == 0 ||
            names_.host_side_collective(trace.name()[row])) {
          Mark(kHostCommunication, begin, end);
        }
      } else if (kind == STEPSCOPE_OPERATOR && end > cursor.operator_until &&
                 trace.dur_ns()[row] >= kLongOperatorNs && devices_ > 0 &&
                 tree_.gpu_ns(row) == 0) {
        cursor.operator_until = end;
        if (collecting_ != nullptr) collecting_->host_operators.push_back(row);
      }
    }
  }

  void TakeDevice(Cursor& cursor, int64_t limit) {
    const Trace& trace = tree_.trace();
    for (; cursor.next < cursor.last; ++cursor.next) {
      const DeviceWork& work = tree_.work()[cursor.next];
      const int64_t begin = trace.start_ns()[work.row];
      if (begin >= limit) return;
      const int64_t end = tree_.end_ns(work.row);
      const bool copies = trace.type()[work.row] != STEPSCOPE_KERNEL;
      Mark(copies                           ? kCopy
           : communication_.IsKernel(work) ? kDeviceCommunication
                                            : kKernel,
           begin, end);
      if (busy_.empty()) continue;
      int64_t& until = busy_until_[cursor.device];
      until = std::max(until, end);
      if (collecting_ == nullptr) continue;
      busy_[cursor.device].Add(std::max(begin, window_.begin),
                               std::min(end, window_.end));
    }
  }

  void TakeLaunches(Cursor& cursor, int64_t limit) {
    const auto start = tree_.trace().start_ns();
    for (; cursor.next < cursor.last; ++cursor.next) {
      const DeviceWork& work = LaunchedWork(cursor);
      if (work.launch == kNoRow) continue;
      if (start[work.launch] >= limit) return;
      Mark(kPending, start[work.launch], start[work.row]);
    }
  }

  // Deals the window out to the parts.
  void Divide(StepWindow& window) {
    std::array<IntervalSet, kActivities> sets;
    for (size_t i = 0; i < kActivities; ++i) sets[i] = active_[i].Finish();
    IntervalSet rest;
    if (window_.begin < window_.end) rest.push_back(window_);
    IntervalSet unused;
    const auto take = [&](size_t activity, StepPart part, IntervalSet& taken) {
      if (sets[activity].empty()) return;
      window.part_ns[static_cast<size_t>(part)] +=
          Take(sets[activity], rest, taken);
    };
    take(kKernel, StepPart::kKernel, unused);
    take(kCopy, StepPart::kCopy, unused);
    take(kDeviceCommunication, StepPart::kCommunication, unused);
    window.idle.assign(devices_, {});
    if (devices_ == 1) window.idle[0] = rest;
    for (size_t i = 0; i < busy_.size(); ++i) {
      const Interval whole[] = {window_};
      window.idle[i] = Difference(whole, busy_[i].Finish());
    }
    auto& pieces = window.pieces;
    take(kHostCommunication, StepPart::kCommunication, pieces[0]);
    take(kPending, StepPart::kLaunchGap, pieces[1]);
    take(kInput, StepPart::kInputStall, pieces[2]);
    take(kSync, StepPart::kHostSync, pieces[3]);
    take(kHost, StepPart::kOtherCpu, pieces[4]);
    window.part_ns[static_cast<size_t>(StepPart::kUnexplained)] =
        TotalLength(rest);
    pieces[5] = std::move(rest);
    for (size_t i = kOnDevice; i < kActivities; ++i) {
      window.causes[i - kOnDevice] = std::move(sets[i]);
    }
  }

  const EventTree& tree_;
  NameClasses& names_;
  const Communication& communication_;
  size_t devices_ = 0;
  std::vector<Cursor> cursors_;
  // (time of the next event, cursor), earliest first.
  using Next = std::pair<int64_t, uint32_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue_;
  Interval window_;
  StepWindow* collecting_ = nullptr;
  // What is still going on when a window begins.
  std::array<int64_t, kActivities> until_;
  std::vector<int64_t> busy_until_;
  std::array<IntervalCollector, kActivities> active_;
  std::vector<IntervalCollector> busy_;  // by device, where there are several
};

// The steps of the stepping thread, cut so that none overlaps another.
std::vector<StepWindow> WindowsOf(const EventTree& tree,
                                  const StepTable& steps, uint32_t process) {
  std::vector<StepWindow> windows;
  StepWindow window;
  window.process = process;
  if (steps.steps().empty()) {
    window.range = steps.window();
    windows.push_back(window);
    return windows;
  }
  int64_t until = INT64_MIN;
  for (const StepSpan& step : steps.steps()) {
    if (step.thread != steps.main_thread(process)) continue;
    if (tree.threads()[step.thread].process != process) continue;
    window.step = &step;
    window.range = {std::max(step.range.begin, until),
                    std::max(step.range.end, until)};
    until = window.range.end;
    windows.push_back(window);
  }
  return windows;
}

}  // namespace

std::string_view StepPartName(StepPart part) {
  constexpr std::string_view kNames[] = {
      "kernel",      "copy",      "communication exposed",
      "launch gap",  "input stall", "host sync",
      "other CPU",   "unexplained"};
  return kNames[static_cast<size_t>(part)];
}

std::string_view StepPartFormula(StepPart part) {
  constexpr std::string_view kFormulas[] = {
      "union of the kernels that compute, of all streams",
      "union of copies and sets, less what is above",
      "union of communicating kernels and of communication that the host "
      "does by itself, less what is above",
      "union of [begin of the launch, begin of the work), less what is above",
      "union of Dataloader events of the stepping thread, less what is above",
      "union of calls that wait for the device, less what is above",
      "union of all other host events but the step's, less what is above",
      "what remains of the step"};
  return kFormulas[static_cast<size_t>(part)];
}

StepSweep::StepSweep(const EventTree& tree, const StepTable& steps,
                     NameClasses& names, const Communication& communication)
    : tree_(tree),
      steps_(steps),
      names_(names),
      communication_(communication),
      device_of_track_(tree.trace().tracks().size(), kNoDevice) {
  const Trace& trace = tree.trace();
  using Key = std::tuple<uint32_t, std::string_view, int64_t>;
  std::map<Key, uint32_t> indices;
  std::vector<Key> key_of_track(trace.tracks().size());
  uint32_t last = kNoDevice;
  for (const DeviceWork& work : tree.work()) {
    const uint32_t index = trace.track()[work.row];
    if (index == last) continue;
    last = index;
    const Track& track = trace.tracks()[index];
    key_of_track[index] = {track.process, trace.str(track.device_type),
                           track.device};
    indices[key_of_track[index]] = 0;
    device_of_track_[index] = 0;
  }
  for (auto& [key, index] : indices) {
    const auto& [process, type, id] = key;
    index = static_cast<uint32_t>(devices_.size());
    devices_.push_back({process, (type.empty() ? "GPU" : std::string(type)) +
                                     std::to_string(id)});
  }
  for (size_t i = 0; i < key_of_track.size(); ++i) {
    if (device_of_track_[i] == kNoDevice) continue;
    device_of_track_[i] = indices[key_of_track[i]];
  }
}

void StepSweep::Run(
    const std::function<void(const StepWindow&)>& visit) const {
  const Trace& trace = tree_.trace();
  const auto work = tree_.work();
  for (uint32_t process = 0; process < trace.processes().size(); ++process) {
    std::vector<StepWindow> windows = WindowsOf(tree_, steps_, process);
    if (windows.empty()) continue;
    uint32_t first_device = 0;
    while (first_device < devices_.size() &&
           devices_[first_device].process < process) {
      ++first_device;
    }
    ProcessSweep sweep(tree_, names_, communication_);
    const uint32_t main = steps_.main_thread(process);
    for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
      const Track& track = trace.tracks()[i];
      if (track.process != process || track.first == track.last) continue;
      if (track.kind == TrackKind::kThread) {
        sweep.AddThread(track, main == kNoThread ||
                                   tree_.threads().of_track(i) == main);
      } else if (device_of_track_[i] != kNoDevice) {
        const auto before = [](const DeviceWork& a, Row row) {
          return a.row < row;
        };
        const auto first =
            std::lower_bound(work.begin(), work.end(), track.first, before);
        const auto last =
            std::lower_bound(first, work.end(), track.last, before);
        sweep.AddStream(device_of_track_[i] - first_device,
                        static_cast<size_t>(first - work.begin()),
                        static_cast<size_t>(last - work.begin()));
      }
    }
    for (StepWindow& window : windows) {
      window.first_device = first_device;
      sweep.Fill(window);
      visit(window);
      window = {};  // what it held was as large as the step
    }
  }
}

}  // namespace stepscope
