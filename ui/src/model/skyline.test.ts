// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleTile } from "./sample_tile.ts";
import { skyline } from "./skyline.ts";

test("bars are as high as boxes are busy", () => {
  const { t, last } = skyline([
    sampleTile([{ x: 0, w: 128, row: 0 }, { x: 192, w: 32, row: 1 },
      { x: 256, w: 64, row: 2, count: 4, fill: 127 }], { i: 0 }),
    sampleTile([{ x: 64, w: 64, row: 3, count: 2, fill: 254 }], { i: 1 }),
  ], 3);
  expect(last.slice(0, 6)).toEqual([1, 1, 0, 0.5, 0.5, 0]);
  expect(last.slice(1024, 1027)).toEqual([0, 1, 0]);
  expect(t[1]).toBe(8);
  expect(t[1025]).toBe(1025 * 8);
});
