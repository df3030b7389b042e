// SPDX-License-Identifier: Apache-2.0
#include "profiler/step_timer.h"

#include "base/text.h"

namespace stepscope::profiler {

void StepFigures::Add(int64_t batch_ns, std::optional<int64_t> reader_ns,
                      int64_t num_samples) {
  batch.Add(batch_ns);
  if (reader_ns) reader.Add(*reader_ns);
  if (num_samples < 0 || batch_ns <= 0) return;
  double speed = static_cast<double>(num_samples) / Seconds(batch_ns);
  bool first = batch.count() == 1;
  if (first || speed > max_samples_per_second) max_samples_per_second = speed;
  if (first || speed < min_samples_per_second) min_samples_per_second = speed;
  samples += num_samples;
}

void StepTimer::Begin(int64_t now) {
  *this = StepTimer();
  step_begin_ = now;
}

void StepTimer::BeginRead(const void* reader, int64_t now) {
  if (paused_) return;  // it is not the loader of the steps
  if (!reader_known_) {
    reader_known_ = true;
    reader_ = reader;
  }
  if (reader != reader_) {
    other_reader_ = true;
  } else if (other_reader_) {
    other_reader_ = false;
    step_begin_ = now;
    pause_begin_ = now;
    read_ns_.reset();
  }
}

void StepTimer::EndRead(const void* reader, int64_t dur) {
  if (resting() || !reader_known_ || reader != reader_) return;
  read_ns_ = read_ns_.value_or(0) + dur;
}

void StepTimer::EndStep(int64_t now, int64_t num_samples) {
  if (resting()) return;
  if (num_samples < 0) in_samples_ = false;
  int64_t batch_ns = now - step_begin_;
  StepFigures& figures = steps_ < kWarmUpSteps ? early_ : later_;
  figures.Add(batch_ns, read_ns_, num_samples);
  recent_.Add(batch_ns, read_ns_, num_samples);
  ++steps_;
}

void StepTimer::BeginStep(int64_t now) {
  step_begin_ = now;
  pause_begin_ = now;
  read_ns_.reset();
}

void StepTimer::Pause(int64_t now) {
  if (paused_) return;
  paused_ = true;
  pause_begin_ = now;
}

void StepTimer::Resume(int64_t now) {
  if (!paused_) return;
  paused_ = false;
  step_begin_ += now - pause_begin_;
}

std::string StepTimer::ips_unit() const {
  return (in_samples_ ? unit_ : "steps") + "/s";
}

std::string StepTimer::StepInfo(const std::string& unit) {
  if (!unit.empty()) unit_ = unit;
  std::string info;
  double reader = Seconds(recent_.reader.Mean());
  double batch = Seconds(recent_.batch.Mean());
  double total = Seconds(recent_.batch.total());
  int64_t work = in_samples_ ? recent_.samples : recent_.batch.count();
  double ips = total > 0 ? static_cast<double>(work) / total : 0;
  if (reader != 0) info += Format(" reader_cost: %.5f s", reader);
  if (batch != 0) info += Format(" batch_cost: %.5f s", batch);
  if (ips != 0) info += Format(" ips: %.3f %s", ips, ips_unit().c_str());
  recent_ = StepFigures();
  return info;
}

}  // namespace stepscope::profiler
