// SPDX-License-Identifier: Apache-2.0
#include "gpu/counters.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "gpu/devices_in_use.h"

namespace stepscope::gpu {
namespace {

constexpr int64_t kLookNs = 200'000'000;
// Each time an image is prepared, which costs as much as a hundred samples.
constexpr int64_t kDrainNs = 20'000'000;

constexpr const char* kNoCounters = "no counters of";

}  // namespace

void Counters::Start(const stepscope_plugin_host* host, const CuptiApi& api,
                     Decoder& decoder) {
  host_ = host;
  api_ = &api;
  decoder_ = &decoder;
  Begin();
  SetText();
}

bool Counters::SetText() {
  std::string text = Text();
  if (text == text_) return false;
  text_ = std::move(text);
  return true;
}

void Counters::Begin() {
  interval_us_ = host_->counters_us;
  look_ns_ = drain_ns_ = 0;
  gaps_.Clear();
  remarks_.Clear();
  if (interval_us_ == 0) return;
  loaded_ = sampling_.Load(*api_);
  clock_.Start(host_, api_, false, DeviceClock::WallTime);
  nanoseconds_.Start(host_, api_, false, DeviceClock::MonotonicTime);
}

std::string Counters::Text() const {
  if (interval_us_ == 0) return "";
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  const auto any = [this](auto is) {
    return std::ranges::any_of(devices_, [is](const auto& device) {
      return device->sampler.open() && is(*device);
    });
  };
  if (!loaded_) add("no counters: CUPTI of CUDA 12.6 or later samples them");
  if (any([](const Device& device) { return !device.sampler.stuck(); }))
    add("counters every " + std::to_string(interval_us_) + " us" +
        (any([this](const Device& device) {
          return device.interval_us != interval_us_;
        })
             ? " at first"
             : ""));
  else if (any([](const Device&) { return true; }))
    add("no counters any more");
  add(gaps_.Text());
  add(remarks_.Text());
  return text;
}

uint32_t Counters::Key(uint32_t device, const char* words) {
  char name[80];
  const int length =
      std::snprintf(name, sizeof(name), "GPU %u: %s", device, words);
  return host_->intern(host_->context, name, static_cast<size_t>(length),
                       STEPSCOPE_USER_DEFINED);
}

void Counters::Add(uint32_t number) {
  auto device = std::make_unique<Device>();
  device->device = number;
  char bus[64] = {};
  char why[300] = "the driver does not say where the device is";
  device->energy = std::make_unique<Energy>();
  if (PciBusId(number, bus, sizeof(bus)) &&
      device->energy->Open(bus, why, sizeof(why)))
    device->energy_keys = {Key(number, "power (W)"), Key(number, "energy (J)"),
                           Key(number, "energy counter step (J)")};
  else
    GiveUpEnergy(*device, why);
  if (loaded_ &&
      device->sampler.Open(sampling_, number, interval_us_, why, sizeof(why))) {
    device->interval_us = interval_us_;
    for (const CounterKind* kind : device->sampler.kinds())
      device->keys.push_back(Key(number, kind->words));
  } else if (loaded_) {
    gaps_.Add(kNoCounters, number, why);
  }
  devices_.push_back(std::move(device));
}

// By readings that are 20 ms apart, at the least.
double Counters::SecondsOf(uint64_t ticks) const {
  const auto now = static_cast<uint64_t>(NowNs());
  return static_cast<double>(ticks) /
         static_cast<double>(nanoseconds_.ToTicks(now + 1'000'000'000) -
                             nanoseconds_.ToTicks(now));
}

// Samples have the time of CUPTI's records: our ticks where its clock is
// shared, else nanoseconds since 1970. The two are years apart.
bool Counters::IsInTicks(uint64_t time) const {
  const auto apart = [time](uint64_t now) {
    return time > now ? time - now : now - time;
  };
  uint64_t wall = 0;
  return !DeviceClock::WallTime(*api_, &wall) ||
         apart(clock_.now()) < apart(wall);
}

CounterSampler::Visit Counters::VisitorOf(Device& device) {
  return
      [this, &device](uint64_t start, uint64_t end, std::span<double> values) {
        if (device.times == Device::kUnknown)
          device.times = IsInTicks(end) ? Device::kTicks : Device::kWallTime;
        if (device.times == Device::kWallTime) {
          start = clock_.ToTicks(start);
          end = clock_.ToTicks(end);
        }
        const double seconds = SecondsOf(end - start);
        for (size_t i = 0; i < values.size(); ++i)
          if (device.sampler.kinds()[i]->sum) values[i] /= seconds;
        decoder_->Sample(start, end, device.device, device.keys.data(),
                         values.data(), static_cast<uint32_t>(values.size()));
      };
}

void Counters::GiveUpEnergy(Device& device, const char* why) {
  remarks_.Add("no energy of", device.device, why);
  device.energy.reset();
}

void Counters::MeasureEnergy(Device& device) {
  if (device.energy == nullptr) return;
  Energy::Window window;
  char why[300];
  switch (
      device.energy->Read(NowNs(), clock_.now(), &window, why, sizeof(why))) {
    case Energy::Found::kNothing:
      return;
    case Energy::Found::kWindow: {
      const double values[] = {
          window.watts, static_cast<double>(window.millijoules) / 1e3,
          static_cast<double>(window.step_millijoules) / 1e3};
      return decoder_->Sample(window.start, window.end, device.device,
                              device.energy_keys.data(), values,
                              static_cast<uint32_t>(std::size(values)));
    }
    case Energy::Found::kWentBack:
      return remarks_.Add("energy is not whole of", device.device,
                          "its counter went back");
    case Energy::Found::kFailed:
      return GiveUpEnergy(device, why);
  }
}

void Counters::Measure(Device& device) {
  MeasureEnergy(device);
  CounterSampler& sampler = device.sampler;
  if (!sampler.open()) return;
  if (sampler.started()) {
    decoder_->Lose(Reason::kSample,
                   sampler.Drain(VisitorOf(device), decoder_->works()));
    return SayGaps(device);
  }
  char why[300];
  if (!decoder_->in_window() || sampler.Start(why, sizeof(why))) return;
  sampler.Close({});
  gaps_.Add(kNoCounters, device.device, why);
}

void Counters::SayGaps(Device& device) {
  const CounterSampler& sampler = device.sampler;
  if (!sampler.trouble().empty())
    gaps_.Add("counters were interrupted on", device.device,
              sampler.trouble().c_str());
  if (sampler.interval_us() == device.interval_us) return;
  uint64_t begin = 0;
  uint64_t end = 0;
  host_->window(host_->context, &begin, &end);
  char what[40];
  char why[100];
  std::snprintf(what, sizeof(what), "every %u us on", sampler.interval_us());
  std::snprintf(
      why, sizeof(why),
      "from second %.1f on, since %u us was too short to keep up with",
      SecondsOf(clock_.now() - begin), device.interval_us);
  gaps_.Add(what, device.device, why);
  device.interval_us = sampler.interval_us();
}

bool Counters::Poll() {
  if (interval_us_ != host_->counters_us) {
    Stop();
    Begin();
  }
  if (interval_us_ != 0) Look();
  return SetText();
}

void Counters::Look() {
  clock_.Tend();
  nanoseconds_.Tend();
  const int64_t now = NowNs();
  if (now >= look_ns_) {
    look_ns_ = now + kLookNs;
    for (const uint32_t device : DevicesInUse())
      if (std::ranges::none_of(devices_, [&](const auto& known) {
            return known->device == device;
          }))
        Add(device);
  }
  if (now >= drain_ns_) {
    drain_ns_ = now + kDrainNs;
    for (const auto& device : devices_) Measure(*device);
  }
}

void Counters::Stop() {
  if (!devices_.empty()) clock_.Tend();
  for (const auto& device : devices_)
    decoder_->Lose(Reason::kSample, device->sampler.Close(VisitorOf(*device)));
  devices_.clear();
}

}  // namespace stepscope::gpu
