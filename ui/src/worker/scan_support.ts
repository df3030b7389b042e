// SPDX-License-Identifier: Apache-2.0
//
// For tests of the rasteriser: pictures of random boxes, and the same pictures
// made in the plainest way, pixel by pixel from what the looks say.
import type { TrackRow } from "../model/layout.ts";
import {
  classOf, depthOf, ENDS_AFTER, fillOf, flagsOf, MIXED, nameOf, ONE_EVENT,
  slotOf, UNITS, widthOf, xOf, type Tile,
} from "../model/records.ts";
import { SHADES } from "../model/palette.ts";
import { sampleTile, type Box } from "../model/sample_tile.ts";
import { tileLength } from "../model/tiles.ts";
import { columnAt, rangeOf, type Columns } from "./columns.ts";
import { shadeOf, type Paints } from "./paints.ts";
import type { Scene } from "./scene.ts";

/** Numbers from 0 to 1, the same in every run. */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** Boxes and marks of one lane, one after the other, of all widths. */
function randomLane(random: () => number, slot: number, depth: number)
  : Box[] {
  const boxes: Box[] = [];
  const spread = 4 ** (4 + Math.floor(random() * 4));
  for (let x = Math.floor(random() * spread); x < UNITS;) {
    const w = Math.min(0xffff, Math.floor(random() ** 3 * spread * 4));
    const one = random() < 0.5;
    boxes.push({ x, w, row: boxes.length, slot, depth,
      name: Math.floor(random() * 5), class: Math.floor(random() * 3),
      flags: (random() < 0.2 ? ENDS_AFTER : 0) |
        (random() < 0.4 ? MIXED : 0),
      count: one ? 1 : 7, fill: one ? ONE_EVENT
        : Math.floor(random() * ONE_EVENT) });
    x += Math.max(1, w) + Math.floor(random() ** 2 * spread);
  }
  return boxes;
}

/** A tile of a few tracks; its boxes end in it or a little later. */
export function randomTile(random: () => number, k: number, i: number,
  lanes: number[]): Tile {
  return sampleTile(lanes.flatMap((count, slot) =>
    Array.from({ length: count }, (_, depth) =>
      randomLane(random, slot, depth)).flat()),
  { k, i, tracks: lanes.map((_, slot) => slot) });
}

export function rowsOf(lanes: number[], boxHeight: number): TrackRow[] {
  let y = 0;
  return lanes.map((count, track) => {
    const height = count * (boxHeight + 1) + 3;
    const row: TrackRow = { type: "track", track, group: 0, kind: "thread",
      name: "",
      detail: "", unit: "", pinned: false, folded: false, strip: 0, y, height,
      top: 1, lanes: count, laneHeight: boxHeight + 1, boxHeight };
    y += height;
    return row;
  });
}

/** All tracks from the same tiles, which are drawn where they are. */
export function sceneOf(rows: TrackRow[], tiles: Tile[], columns: Columns,
  width: number, height: number, scroll: number): Scene {
  return {
    view: { ...rangeOf(columns, width), width, height, scroll, ratio: 1 },
    columns, layout: { rows, height: 1e6 },
    span: { k: tiles[0]!.k, i0: 0, i1: 0 }, coarse: 0, blank: 0,
    tracks: rows.map((row) => ({ row, pieces: tiles.map((tile) => ({ tile,
      slot: row.track, t0: tile.i * tileLength(tile.k),
      t1: (tile.i + 1) * tileLength(tile.k) })) })),
  };
}

/** The picture of a scene, by its rules and without any haste. */
export function plainPicture(scene: Scene, paints: Paints, name: number | null,
  width: number, height: number): Uint32Array {
  const pixels = new Uint32Array(width * height).fill(paints.page);
  const { columns, view } = scene;
  const column = (time: number) => columnAt(columns, time) - columns.first;
  for (const { row, pieces } of scene.tracks) {
    for (const { tile, slot, t0, t1 } of pieces)
      for (let n = 0; n < tile.count; n++) {
        if (slotOf(tile, n) !== slot) continue;
        const start = tile.i * tileLength(tile.k);
        const unit = tileLength(tile.k) / UNITS;
        const x0 = column(start + xOf(tile, n) * unit);
        let x1 = column(start + (xOf(tile, n) + widthOf(tile, n)) * unit);
        if (x1 - x0 > 2 && !(flagsOf(tile, n) & ENDS_AFTER)) x1--;
        x1 = Math.max(x1, x0 + 1);
        const top = row.y + row.top + depthOf(tile, n) * row.laneHeight -
          view.scroll;
        const fill = fillOf(tile, n);
        const bar = fill === ONE_EVENT ? row.boxHeight
          : Math.max(1, Math.round((fill / 254) * row.boxHeight));
        const paint = classOf(tile, n) * SHADES + shadeOf(nameOf(tile, n));
        const dim = name !== null && nameOf(tile, n) !== name;
        const mixed = !dim && fill !== ONE_EVENT && flagsOf(tile, n) & MIXED;
        for (let x = Math.max(0, x0, column(t0));
          x < Math.min(width, x1, column(t1)); x++)
          for (let y = 0; y < row.boxHeight; y++) {
            if (top + y < 0 || top + y >= height) continue;
            const solid = mixed && (x + columns.first & 3) === 0
              ? paints.hatch : paints.box[paint]!;
            pixels[(top + y) * width + x] =
              dim || y < row.boxHeight - bar ? paints.tint[paint]! : solid;
          }
      }
    const line = row.y + row.height - 1 - view.scroll;
    if (line >= 0 && line < height)
      pixels.fill(paints.line, line * width, (line + 1) * width);
  }
  return pixels;
}
