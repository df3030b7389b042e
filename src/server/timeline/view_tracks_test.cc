// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/view_tracks.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <map>

#include "server/files/open_trace.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::server {
namespace {

// A track with an event from 10 to 20.
void AddTrack(TraceBuilder& builder, TrackKind kind, int64_t device, int64_t id,
              const std::string& name) {
  Track track;
  track.kind = kind;
  track.device = device;
  track.id = id;
  track.name = builder.Intern(name);
  if (kind == TrackKind::kStream) track.device_type = builder.Intern("GPU");
  const uint32_t index = builder.AddTrack(track);
  builder.AddEvent(
      {index, 10, 10, builder.Intern("event"), STEPSCOPE_KERNEL, 0});
}

// "group: tracks", of tracks with events.
std::string TracksText(const ViewTracks& view) {
  std::string text;
  for (size_t i = 0; i < view.groups.size(); ++i) {
    text += view.groups[i].name + ":";
    for (const ViewTrack& track : view.tracks)
      if (track.group == i && !track.parts.empty())
        text += " [" + track.name + "]";
    text += "\n";
  }
  return text;
}

// The ranges that torch lays over a stream, and its waits.
TEST(ViewTracksTest, WhatLiesOverADeviceStandsWithIt) {
  TraceBuilder builder;
  builder.AddProcess({});
  AddTrack(builder, TrackKind::kThread, -1, 1, "main");
  AddTrack(builder, TrackKind::kAsync, 0, 7, "0 7");
  AddTrack(builder, TrackKind::kAsync, 0, 9, "stream 9");
  AddTrack(builder, TrackKind::kStream, 0, 7, "stream 7");
  AddTrack(builder, TrackKind::kStream, 0, 9, "stream 9");
  // Of no stream that did work; a name of its own; of no known device.
  AddTrack(builder, TrackKind::kAsync, 0, 44, "Steps");
  AddTrack(builder, TrackKind::kAsync, 3, 7, "3 7");
  AddTrack(builder, TrackKind::kAsync, -1, 2, "requests");
  const OpenTrace open(*builder.Finish());
  EXPECT_EQ(TracksText(open.view()),
            "GPU 0: [stream 7] [Stream 7 · annotations] [Steps · annotations] "
            "[stream 9] [Stream 9 · annotations]\n"
            "Process 0: [main] [3 7] [requests]\n");
}

TEST(ViewTracksTest, EventsMayEndBeforeTheRecording) {
  const OpenTrace open(
      TraceFromText("thread 1 main\n 10..30 work\n 90..90 end instant\n"
                    "window 0 100"));
  EXPECT_EQ(open.origin_ns() + open.events_end_ns(), 30);
  EXPECT_EQ(open.origin_ns() + open.span_ns(), 100);
  // What is known last may be a counter.
  const OpenTrace counted(TraceFromText(
      "thread 1 main\n 10..30 work\ncounter 60 loss 0.5\nwindow 0 50"));
  EXPECT_EQ(counted.origin_ns() + counted.events_end_ns(), 60);
  EXPECT_EQ(counted.span_ns(), counted.events_end_ns());
}

// Counters of a device that did nothing here stay with the process.
TEST(ViewTracksTest, CountersOfTheHardwareStandWithTheirDevice) {
  TraceBuilder builder;
  builder.AddProcess({});
  AddTrack(builder, TrackKind::kThread, -1, 1, "main");
  AddTrack(builder, TrackKind::kStream, 0, 7, "stream 7");
  for (const char* name : {"GPU 0: DRAM read (B/s)", "GPU 3: power (W)",
                           "GPU 0: of another tool"}) {
    Track track;
    track.kind = TrackKind::kCounter;
    track.name = builder.Intern(name);
    CounterSample sample;
    sample.track = builder.AddTrack(track);
    sample.time_ns = 10;
    builder.AddCounter(sample);
  }
  const OpenTrace open(*builder.Finish());
  std::map<std::string, std::string> groups;
  for (const ViewTrack& track : open.view().tracks)
    if (track.counter)
      groups[track.name] = open.view().groups[track.group].name +
                           (track.unit.empty() ? "" : ", ") +
                           std::string(track.unit);
  EXPECT_EQ(groups, (std::map<std::string, std::string>{
                        {"DRAM read", "GPU 0, B/s"},
                        {"GPU 3: power (W)", "Process 0"},
                        {"GPU 0: of another tool", "Process 0"}}));
}

}  // namespace
}  // namespace stepscope::server
