// SPDX-License-Identifier: Apache-2.0
//
// Which box is under the pointer, and how far it reaches beyond the tile that
// it was found in. Pure.
import {
  BEGINS_BEFORE, classOf, countOf, ENDS_AFTER, fillOf, flagsOf, lowerBound,
  MIXED, nameOf, ONE_EVENT, rowOf, slotOf, slotOfTrack, depthOf, UNITS,
  widthOf, xOf, type Tile,
} from "./records.ts";
import { tileLength } from "./tiles.ts";

export interface Hit {
  row: number;
  track: number;
  depth: number;
  name: number;
  class: number;
  /** Events that the box stands for; 1: the event itself. */
  count: number;
  /** Share of the mark's time that is busy, 0..1. */
  busy: number;
  /** True when no name has half of a mark's time. */
  mixed: boolean;
  t0: number;
  t1: number;
}

function hitOf(tile: Tile, n: number, track: number): Hit {
  const unit = tileLength(tile.k) / UNITS;
  const t0 = tile.i * tileLength(tile.k) + xOf(tile, n) * unit;
  const fill = fillOf(tile, n);
  return {
    row: rowOf(tile, n), track, depth: depthOf(tile, n),
    name: nameOf(tile, n), class: classOf(tile, n),
    count: fill === ONE_EVENT ? 1 : countOf(tile, n),
    busy: fill === ONE_EVENT ? 1 : fill / 254,
    mixed: (flagsOf(tile, n) & MIXED) !== 0,
    t0, t1: t0 + Math.max(1, widthOf(tile, n)) * unit,
  };
}

/** The box of a lane at `time`, or the nearest within `slack` ns of it. */
export function hitTile(tile: Tile, track: number, depth: number,
  time: number, slack: number): { hit: Hit; n: number } | null {
  const slot = slotOfTrack(tile, track);
  if (slot < 0) return null;
  const unit = tileLength(tile.k) / UNITS;
  const x = (time - tile.i * tileLength(tile.k)) / unit;
  const after = lowerBound(tile, slot, depth, Math.ceil(x));
  let best: { hit: Hit; n: number } | null = null;
  let nearest = slack;
  // Boxes do not overlap on a lane: the one before and the one after do.
  for (const n of [after - 1, after]) {
    if (n < 0 || n >= tile.count) continue;
    if (slotOf(tile, n) !== slot || depthOf(tile, n) !== depth) continue;
    const hit = hitOf(tile, n, track);
    const away = Math.max(hit.t0 - time, time - hit.t1, 0);
    if (away > nearest || (away === nearest && best)) continue;
    nearest = away;
    best = { hit, n };
  }
  return best;
}

/** Lengthens a box that tile borders cut, from the neighbours' parts. */
export function joinParts(hit: Hit, tile: Tile, n: number,
  get: (k: number, i: number) => Tile | undefined): Hit {
  const whole = { ...hit };
  const unit = tileLength(tile.k) / UNITS;
  let flags = flagsOf(tile, n);
  for (let i = tile.i - 1; flags & BEGINS_BEFORE; i--) {
    const part = find(get(tile.k, i), hit, UNITS - 1, true);
    if (!part) break;
    whole.t0 = i * tileLength(tile.k) + xOf(part.tile, part.n) * unit;
    flags = flagsOf(part.tile, part.n);
  }
  flags = flagsOf(tile, n);
  for (let i = tile.i + 1; flags & ENDS_AFTER; i++) {
    const part = find(get(tile.k, i), hit, 0, false);
    if (!part) break;
    whole.t1 = i * tileLength(tile.k) +
      (xOf(part.tile, part.n) + widthOf(part.tile, part.n)) * unit;
    flags = flagsOf(part.tile, part.n);
  }
  return whole;
}

function find(tile: Tile | undefined, hit: Hit, x: number, last: boolean)
  : { tile: Tile; n: number } | null {
  if (!tile) return null;
  const slot = slotOfTrack(tile, hit.track);
  if (slot < 0) return null;
  const n = last ? lowerBound(tile, slot, hit.depth + 1, 0) - 1
    : lowerBound(tile, slot, hit.depth, x);
  if (n < 0 || n >= tile.count || rowOf(tile, n) !== hit.row) return null;
  return { tile, n };
}
