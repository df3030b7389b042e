// SPDX-License-Identifier: Apache-2.0
//
// The boxes of a few tiles as bars, for the minimap: each bucket is as high as
// the fullest box in it is busy. Pure.
import { fillOf, ONE_EVENT, widthOf, xOf, type Tile } from "./records.ts";
import { BUCKETS } from "./tiles.ts";

const UNITS_PER_BUCKET = 64;

export function skyline(tiles: Tile[], k: number)
  : { t: number[]; last: number[]; max: number[] } {
  const heights = new Float64Array(tiles.length * BUCKETS);
  tiles.forEach((tile, n) => {
    for (let r = 0; r < tile.count; r++) {
      const from = Math.floor(xOf(tile, r) / UNITS_PER_BUCKET);
      const to = Math.min(BUCKETS, Math.ceil(
        (xOf(tile, r) + widthOf(tile, r)) / UNITS_PER_BUCKET));
      const fill = fillOf(tile, r);
      const high = fill === ONE_EVENT
        ? Math.min(1, widthOf(tile, r) / UNITS_PER_BUCKET) : fill / 254;
      for (let b = from; b < to; b++) {
        const at = n * BUCKETS + b;
        if (high > heights[at]!) heights[at] = high;
      }
    }
  });
  const last = [...heights];
  const first = (tiles[0]?.i ?? 0) * BUCKETS;
  return { t: last.map((_, n) => (first + n) * 2 ** k), last, max: last };
}
