// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { BEGINS_BEFORE, ENDS_AFTER } from "../model/records.ts";
import { sampleTile } from "../model/sample_tile.ts";
import { tileLength } from "../model/tiles.ts";
import { labelsOf, type Label } from "./labels.ts";
import { sampleScene } from "./scene_support.ts";

function labels(scene: ReturnType<typeof sampleScene>): Label[] {
  const list: Label[] = [];
  labelsOf(scene.tracks[0]!, scene.view, (label) => list.push(label));
  return list;
}
/** A lane that is high enough for names. */
const sceneOf = (tiles: Parameters<typeof sampleScene>[0],
  view: Parameters<typeof sampleScene>[1], height = 18) =>
  sampleScene(tiles, view, 1, height);
const LENGTH = tileLength(6);

test("wide boxes have a label, narrow ones and marks have none", () => {
  const tile = sampleTile([
    { x: 0, w: 20, row: 1 }, { x: 100, w: 100, row: 2, name: 2 },
    { x: 300, w: 100, row: 3, fill: 100, count: 9 },
  ]);
  expect(labels(sceneOf([tile], { t0: 0, t1: 1000, width: 1000 })))
    .toEqual([{ x0: 100, x1: 200, y: 0, height: 18, name: 2 }]);
});

test("a label of a box that begins before the view is at its edge", () => {
  const tile = sampleTile([{ x: 0, w: 500, row: 1 }]);
  expect(labels(sceneOf([tile], { t0: 400, t1: 600, width: 200 })))
    .toEqual([{ x0: 0, x1: 100, y: 0, height: 18, name: 0 }]);
});

test("a box that tile borders cut is one label", () => {
  const tiles = [
    sampleTile([{ x: 65000, w: 536, row: 8, flags: ENDS_AFTER }], { i: 0 }),
    sampleTile([{ x: 0, w: 65535, row: 8,
      flags: BEGINS_BEFORE | ENDS_AFTER }], { i: 1 }),
    sampleTile([{ x: 0, w: 1000, row: 8, flags: BEGINS_BEFORE },
      { x: 2000, w: 60000, row: 9 }], { i: 2 }),
  ];
  const found = labels(sceneOf(tiles,
    { t0: 0, t1: 3 * LENGTH, width: 3000 }));
  expect(found.length).toBe(2);
  expect(found[0]!.x0).toBeCloseTo((65000 / LENGTH) * 1000, 3);
  expect(found[0]!.x1).toBeCloseTo(2000 + (1000 / LENGTH) * 1000, 3);
});

test("another event after the border is another label", () => {
  const tiles = [
    sampleTile([{ x: 30000, w: 35536, row: 8, flags: ENDS_AFTER }]),
    sampleTile([{ x: 0, w: 30000, row: 9, flags: BEGINS_BEFORE }], { i: 1 }),
  ];
  expect(labels(sceneOf(tiles, { t0: 0, t1: 2 * LENGTH, width: 1000 }))
    .length).toBe(2);
});

test("a stand-in counts only in its place", () => {
  const tile = sampleTile([{ x: 0, w: 65535, row: 1,
    flags: BEGINS_BEFORE | ENDS_AFTER }]);
  const scene = sceneOf([tile], { t0: 0, t1: LENGTH, width: 1000 });
  scene.tracks[0]!.pieces[0]!.t1 = LENGTH / 2;
  expect(labels(scene)[0]!.x1).toBeCloseTo(500, 1);
});

test("a lane that is too low for text has no label", () => {
  const tile = sampleTile([{ x: 100, w: 100, row: 2 }]);
  const view = { t0: 0, t1: 1000, width: 1000 };
  expect([18, 12, 11, 4].map((height) =>
    labels(sceneOf([tile], view, height)).length)).toEqual([1, 1, 0, 0]);
});
