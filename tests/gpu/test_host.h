// SPDX-License-Identifier: Apache-2.0
//
// A host for one plugin, in a test: keeps names, blocks and reports, and runs
// the entry points on the calling thread.
#pragma once

#include <stepscope/plugin.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "fake.h"

class TestHost {
 public:
  TestHost() {
    table_ = {sizeof(table_),
              STEPSCOPE_PLUGIN_ABI,
              this,
              Now,
              Intern,
              Reserve,
              Commit,
              Report,
              Window,
              0,
              0,
              Thread};
    void* library = Fake::Open(CUPTI_PLUGIN);
    const auto entry = reinterpret_cast<const stepscope_plugin* (*)()>(
        dlsym(library, "stepscope_plugin_v1"));
    plugin_ = entry();
  }

  void SetEarly() { table_.flags = STEPSCOPE_HOST_EARLY; }
  void SampleCounters(uint32_t us) { table_.counters_us = us; }
  int Query() { return plugin_->query(&table_); }
  int Attach() { return plugin_->attach(&table_); }
  // Attached and recording from now on.
  bool Record() {
    begin = end = 0;
    if (Attach() != STEPSCOPE_OK) return false;
    begin = Now(this);
    return true;
  }
  void Poll(bool flush = true) {
    plugin_->poll(&table_, flush ? uint32_t{STEPSCOPE_POLL_FLUSH} : 0);
  }
  bool SetRecording(bool on) {
    return plugin_->set_recording(&table_, on ? 1 : 0) == STEPSCOPE_OK;
  }
  void Detach(uint32_t timeout_ms = 200) {
    end = Now(this);
    plugin_->detach(&table_, timeout_ms);
  }
  // As when the process exits: recording has not been stopped.
  void DetachAtExit(uint32_t timeout_ms = 200) {
    plugin_->detach(&table_, timeout_ms);
  }

  // All records of a kind so far.
  template <typename Record>
  std::vector<Record> All(uint16_t kind) const {
    std::vector<Record> found;
    for (const std::vector<uint8_t>& block : blocks) {
      for (size_t at = 0; at < block.size();) {
        stepscope_record_head head;
        std::memcpy(&head, block.data() + at, sizeof(head));
        if (head.kind == kind) {
          Record record;
          std::memcpy(&record, block.data() + at, sizeof(record));
          found.push_back(record);
        }
        at += head.bytes;
      }
    }
    return found;
  }
  std::vector<stepscope_record_work> Work() const {
    return All<stepscope_record_work>(STEPSCOPE_RECORD_WORK);
  }
  std::vector<stepscope_record_call> Calls() const {
    return All<stepscope_record_call>(STEPSCOPE_RECORD_CALL);
  }
  const std::string& NameOf(uint32_t id) const { return names_[id].first; }
  uint32_t TypeOf(uint32_t id) const { return names_[id].second; }
  // The last count under `name`; 0 if there is none.
  uint64_t Count(const std::string& name) const {
    uint64_t count = 0;
    for (const auto& stats :
         All<stepscope_record_stats>(STEPSCOPE_RECORD_STATS))
      if (NameOf(stats.head.name) == name) count = stats.count;
    return count;
  }
  // Every record seen was written or counted.
  bool Balanced() const {
    uint64_t rejected = 0;
    std::map<std::string, uint64_t> last;
    for (const auto& stats :
         All<stepscope_record_stats>(STEPSCOPE_RECORD_STATS))
      if (stats.meaning == STEPSCOPE_STATS_REJECTED)
        last[NameOf(stats.head.name)] = stats.count;
    for (const auto& [name, count] : last) rejected += count;
    const uint64_t written =
        Work().size() + Calls().size() +
        All<stepscope_record_wait>(STEPSCOPE_RECORD_WAIT).size() +
        All<stepscope_record_memory>(STEPSCOPE_RECORD_MEMORY).size() +
        All<stepscope_record_note>(STEPSCOPE_RECORD_NOTE).size() +
        All<stepscope_record_node>(STEPSCOPE_RECORD_NODE).size() +
        All<stepscope_record_sample>(STEPSCOPE_RECORD_SAMPLE).size() +
        All<stepscope_record_overhead>(STEPSCOPE_RECORD_OVERHEAD).size();
    return Count("gpu: records") == written + rejected;
  }

  std::vector<std::vector<uint8_t>> blocks;
  uint32_t state = 0;  // as reported last
  std::string report;
  int reports = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  bool refuse_blocks = false;
  uint64_t ticks_per_us = 1000;

 private:
  static uint64_t Now(void* self) {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto ns = static_cast<uint64_t>(int64_t{now.tv_sec} * 1'000'000'000 +
                                          now.tv_nsec);
    return ns * static_cast<TestHost*>(self)->ticks_per_us / 1000;
  }
  static uint32_t Thread(void*) { return static_cast<uint32_t>(gettid()); }
  static uint32_t Intern(void* self, const char* name, size_t length,
                         uint32_t type) {
    auto* host = static_cast<TestHost*>(self);
    const std::pair<std::string, uint32_t> key(std::string(name, length), type);
    const auto [it, fresh] =
        host->ids_.try_emplace(key, static_cast<uint32_t>(host->names_.size()));
    if (fresh) host->names_.push_back(key);
    return it->second;
  }
  static void* Reserve(void* self, size_t bytes) {
    auto* host = static_cast<TestHost*>(self);
    if (host->refuse_blocks) return nullptr;
    host->open_.resize(bytes);
    return host->open_.data();
  }
  static int Commit(void* self, void*, size_t bytes, uint32_t) {
    auto* host = static_cast<TestHost*>(self);
    host->blocks.emplace_back(
        host->open_.begin(),
        host->open_.begin() + static_cast<ptrdiff_t>(bytes));
    return STEPSCOPE_OK;
  }
  static void Report(void* self, uint32_t state, const char* text) {
    auto* host = static_cast<TestHost*>(self);
    host->state = state;
    host->report = text;
    ++host->reports;
  }
  static void Window(void* self, uint64_t* begin, uint64_t* end) {
    *begin = static_cast<TestHost*>(self)->begin;
    *end = static_cast<TestHost*>(self)->end;
  }

  stepscope_plugin_host table_ = {};
  const stepscope_plugin* plugin_ = nullptr;
  std::map<std::pair<std::string, uint32_t>, uint32_t> ids_;
  std::vector<std::pair<std::string, uint32_t>> names_{{"", 0}};
  std::vector<uint8_t> open_;
};
