// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { hitTile, joinParts } from "./hit.ts";
import { BEGINS_BEFORE, ENDS_AFTER, MIXED } from "./records.ts";
import { sampleTile } from "./sample_tile.ts";
import { tileLength } from "./tiles.ts";

// Level 6: one unit of x is one nanosecond.
const tile = sampleTile([
  { x: 100, w: 50, row: 1, depth: 0 },
  { x: 200, w: 1, row: 2, depth: 0 },
  { x: 300, w: 100, row: 3, depth: 0, count: 40, fill: 127, flags: MIXED,
    name: 2 },
  { x: 120, w: 10, row: 4, depth: 1 },
  { x: 0, w: 9, row: 5, depth: 0, slot: 1 },
], { tracks: [7, 9] });

const rowAt = (track: number, depth: number, time: number, slack = 0) =>
  hitTile(tile, track, depth, time, slack)?.hit.row;

test("the box under the pointer", () => {
  expect(rowAt(7, 0, 100)).toBe(1);
  expect(rowAt(7, 0, 149.5)).toBe(1);
  expect(rowAt(7, 0, 160)).toBeUndefined();
  expect(rowAt(7, 1, 125)).toBe(4);
  expect(rowAt(9, 0, 5)).toBe(5);
  expect(rowAt(8, 0, 5)).toBeUndefined();
});

test("a thin box is hit from a little beside it, the nearest one", () => {
  expect(rowAt(7, 0, 195, 6)).toBe(2);
  expect(rowAt(7, 0, 195, 3)).toBeUndefined();
  expect(rowAt(7, 0, 153, 60)).toBe(1);
  expect(rowAt(7, 1, 5, 200)).toBe(4);
});

test("a mark says how many events it is and how busy", () => {
  const { hit } = hitTile(tile, 7, 0, 350, 0)!;
  expect(hit).toMatchObject({ count: 40, busy: 0.5, mixed: true, name: 2 });
});

test("a box that borders cut is joined", () => {
  const length = tileLength(6);
  const parts = [
    sampleTile([{ x: 60000, w: 5536, row: 8, flags: ENDS_AFTER }], { i: 0 }),
    sampleTile([{ x: 0, w: 65535, row: 8,
      flags: BEGINS_BEFORE | ENDS_AFTER }], { i: 1 }),
    sampleTile([{ x: 0, w: 400, row: 8, flags: BEGINS_BEFORE }], { i: 2 }),
  ];
  const middle = parts[1]!;
  const found = hitTile(middle, 0, 0, length * 1.5, 0)!;
  const whole = joinParts(found.hit, middle, found.n, (_, i) => parts[i]);
  expect(whole.t0).toBe(60000);
  expect(whole.t1).toBe(2 * length + 400);
  // Another event at the border is not a part of it.
  parts[2] = sampleTile([{ x: 0, w: 400, row: 9, flags: BEGINS_BEFORE }],
    { i: 2 });
  expect(joinParts(found.hit, middle, found.n, (_, i) => parts[i]).t1)
    .toBe(found.hit.t1);
});
