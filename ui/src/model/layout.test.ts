// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { GroupInfo, TrackInfo } from "../generated/answers.ts";
import { DENSITIES, groupHeight, LABEL_HEIGHT } from "./density.ts";
import {
  boxPlace, hasTiles, laneAt, layoutOf, noSettings, rowAt,
  rowOfTrack, rowsIn, stripTop, withStages, type TrackRow,
} from "./layout.ts";

const groups: GroupInfo[] = [
  { id: 0, name: "python3", detail: "pid 393", kind: "process" },
  { id: 1, name: "GPU 0", detail: "NVIDIA H200", kind: "device" },
];
const track = (id: number, group: number, kind: TrackInfo["kind"],
  name: string, depth = 1): TrackInfo =>
  ({ id, group, kind, name, detail: "", events: 1, depth });
const tracks = [
  track(0, 0, "python", "python functions", 3),
  track(1, 0, "thread", "main", 5),
  track(2, 1, "stream", "Stream 7"),
  track(3, 1, "busy", "GPU busy"),
];
const names = (settings: Partial<typeof noSettings>) =>
  layoutOf(groups, tracks, { ...noSettings, ...settings }).rows
    .map((row) => row.name);

test("groups with their tracks, one below the other", () => {
  const layout = layoutOf(groups, tracks, noSettings);
  expect(layout.rows.map((row) => row.name)).toEqual(
    ["python3", "python functions", "main", "GPU 0", "Stream 7", "GPU busy"]);
  let y = 0;
  for (const row of layout.rows) {
    expect(row.y).toBe(y);
    y += row.height;
  }
  expect(layout.height).toBe(y);
});

test("one stream of a device says why that is idle", () => {
  const streams = [7, 8, 9].map((id) => track(id, 1, "stream", `Stream ${id}`));
  const { rows } = layoutOf(groups, [...tracks.slice(0, 2), ...streams],
    noSettings);
  expect(rows.filter((row) => "strip" in row && row.strip > 0)
    .map((row) => row.name)).toEqual(["Stream 7"]);
});

test("a pinned track says its rank where there are several", () => {
  const ofRanks = [{ ...groups[0]!, rank: 0 }, { ...groups[1]!, rank: 1 }];
  const rows = layoutOf(ofRanks, tracks, { ...noSettings, pinned: [2] }).rows;
  expect(rows[1]).toMatchObject({ name: "Rank 1 · Stream 7", rank: 1 });
  expect(rows[3]).toMatchObject({ name: "python functions", rank: 0 });
  // One rank, or none, needs no word.
  const one = layoutOf([ofRanks[0]!, groups[1]!], tracks,
    { ...noSettings, pinned: [0] }).rows;
  expect(one[1]).toMatchObject({ name: "python functions", rank: null });
});

test("pinned first, folded groups empty, filtered and hidden ones gone", () => {
  expect(names({ pinned: [2] })).toEqual(
    ["Pinned", "Stream 7", "python3", "python functions", "main", "GPU 0",
      "GPU busy"]);
  expect(names({ foldedGroups: [0] })).toEqual(
    ["python3", "GPU 0", "Stream 7", "GPU busy"]);
  expect(names({ filter: "gpu stream" })).toEqual(["GPU 0", "Stream 7"]);
  expect(names({ hidden: [0, 1] })).toEqual(
    ["GPU 0", "Stream 7", "GPU busy"]);
  expect(names({ filter: "nothing like it" })).toEqual([]);
});

test("a track moves before another of its group only", () => {
  expect(names({ moved: [{ id: 1, by: 0, after: false }] })).toEqual(
    ["python3", "main", "python functions", "GPU 0", "Stream 7", "GPU busy"]);
  expect(names({ moved: [{ id: 3, by: 0, after: false }] })).toEqual(names({}));
});

test("a folded track has one lane", () => {
  const open = rowOfTrack(layoutOf(groups, tracks, noSettings), 1)!;
  const shut = rowOfTrack(
    layoutOf(groups, tracks, { ...noSettings, foldedTracks: [1] }), 1)!;
  expect([open.lanes, shut.lanes]).toEqual([5, 1]);
  expect(shut.height).toBeLessThan(open.height);
  expect(boxPlace(shut, 4).y).toBe(shut.y + shut.top);
});

test("rows and lanes by height", () => {
  const layout = layoutOf(groups, tracks, noSettings);
  expect(rowAt(layout, 0)?.name).toBe("python3");
  expect(rowAt(layout, groupHeight("normal"))?.name).toBe("python functions");
  expect(rowAt(layout, layout.height)).toBeNull();
  expect(rowAt(layout, -1)).toBeNull();
  const row = rowOfTrack(layout, 1) as TrackRow;
  for (let depth = 0; depth < 5; depth++)
    expect(laneAt(row, boxPlace(row, depth).y + 1)).toBe(depth);
  expect(laneAt(row, row.y)).toBe(-1);
  expect(rowsIn(layout, row.y, 1).map((one) => one.name)).toEqual(["main"]);
});

test("in every density a box is in its lane and in no other", () => {
  const heights = DENSITIES.map((density) => {
    const layout = layoutOf(groups, tracks, noSettings, density);
    for (const row of layout.rows) {
      if (row.type === "group") continue;
      for (let lane = 0; lane < row.lanes; lane++) {
        const { y, height } = boxPlace(row, lane);
        expect(height).toBeGreaterThanOrEqual(4);
        expect(rowAt(layout, y + height - 1)).toBe(row);
        for (const at of [y, y + height - 1])
          expect(laneAt(row, at)).toBe(lane);
      }
      if (row.strip === 0) continue;
      expect(laneAt(row, stripTop(row))).toBe(-1);
      expect(stripTop(row) + row.strip).toBeLessThan(row.y + row.height);
    }
    return layout.height;
  });
  expect(heights[1]).toBeLessThan(heights[0]! * 0.6);
  expect(heights[2]).toBeLessThan(heights[1]! * 0.7);
});

test("names fit usual boxes, and those of a compact stream", () => {
  const box = (track: number, density: (typeof DENSITIES)[number]) =>
    rowOfTrack(layoutOf(groups, tracks, noSettings, density), track)!
      .boxHeight >= LABEL_HEIGHT;
  expect(DENSITIES.map((density) => [box(1, density), box(2, density)]))
    .toEqual([[true, true], [false, true], [false, false]]);
});

test("stages are a track on top of their group", () => {
  const stage = (group: number | null) =>
    ({ name: "Forward", start: 0, end: 1, dur: 1, group, inferred: false });
  const all = withStages(tracks, [stage(0), stage(0), stage(null)]);
  const rows = layoutOf(groups, all, noSettings).rows;
  expect(rows.slice(0, 3).map((row) => row.name))
    .toEqual(["python3", "Stages", "python functions"]);
  expect(hasTiles("stage")).toBe(false);
  expect(withStages(tracks, [])).toEqual(tracks);
});

test("a track that is pinned and hidden is hidden", () => {
  expect(names({ pinned: [1, 2], hidden: [2] })).toEqual(
    ["Pinned", "main", "python3", "python functions", "GPU 0", "GPU busy"]);
});
