// SPDX-License-Identifier: Apache-2.0
//
// Which tiles a view needs. Level k has buckets of 2^k ns; a tile is 1,024
// buckets; a bucket is one to two pixels wide. Pure.
import { nsPerPixel, type Range } from "./axis.ts";

export const BUCKETS = 1024;
export interface Levels {
  min: number;
  max: number;
}
export interface Span {
  k: number;
  i0: number;
  i1: number;
}

export const tileLength = (k: number) => BUCKETS * 2 ** k;

export function levelFor(range: Range, width: number, levels: Levels)
  : number {
  const k = Math.ceil(Math.log2(nsPerPixel(range, width)) - 1e-9);
  return Math.min(levels.max, Math.max(levels.min, k));
}

/** The tiles (first and last) that a range touches; none of before 0. */
export function tilesFor(range: Range, k: number, traceSpan: number): Span {
  const length = tileLength(k);
  const last = Math.max(0, Math.ceil(traceSpan / length) - 1);
  const clamp = (i: number) => Math.min(last, Math.max(0, i));
  return {
    k,
    i0: clamp(Math.floor(range.t0 / length)),
    i1: clamp(Math.ceil(range.t1 / length) - 1),
  };
}

export const tileKey = (track: number, k: number, i: number) =>
  `${track}/${k}/${i}`;

/** "0-3,7": how a request names tracks. */
export function formatTracks(tracks: number[]): string {
  const sorted = [...new Set(tracks)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length;) {
    let end = at;
    while (end + 1 < sorted.length && sorted[end + 1] === sorted[end]! + 1)
      end++;
    parts.push(end === at ? `${sorted[at]}` : `${sorted[at]}-${sorted[end]}`);
    at = end + 1;
  }
  return parts.join(",");
}

export interface Ask extends Span {
  tracks: number[];
}

/** One request for whatever is missing, or null. */
export function askFor(span: Span, tracks: number[],
  have: (track: number, k: number, i: number) => boolean): Ask | null {
  const wanted: number[] = [];
  let i0 = Infinity;
  let i1 = -Infinity;
  for (const track of tracks) {
    let missing = false;
    for (let i = span.i0; i <= span.i1; i++) {
      if (have(track, span.k, i)) continue;
      missing = true;
      i0 = Math.min(i0, i);
      i1 = Math.max(i1, i);
    }
    if (missing) wanted.push(track);
  }
  return wanted.length ? { k: span.k, i0, i1, tracks: wanted } : null;
}

/**
 * True when an answer on its way would no longer be of use. A neighbour of
 * what is wanted is: it was asked for ahead of the next move.
 */
export function isStale(ask: Span, wanted: Span): boolean {
  if (Math.abs(ask.k - wanted.k) >= 2) return true;
  const [own, other] = [tileLength(ask.k), tileLength(wanted.k)];
  const [from, to] = [(wanted.i0 - 1) * other, (wanted.i1 + 2) * other];
  return (ask.i1 + 1) * own <= from || to <= ask.i0 * own;
}

interface Piece<T> {
  tile: T;
  k: number;
  i: number;
  /** The part of the tile to draw, in ns. */
  t0: number;
  t1: number;
}

/**
 * What there is to draw in a wanted tile's place: itself, else the nearest
 * coarser one cut to its range, else finer ones.
 */
export function standIns<T>(k: number, i: number, levels: Levels,
  get: (k: number, i: number) => T | undefined): Piece<T>[] {
  const length = tileLength(k);
  const t0 = i * length;
  const t1 = t0 + length;
  const own = get(k, i);
  if (own !== undefined) return [{ tile: own, k, i, t0, t1 }];
  let parent = i;
  for (let up = k + 1; up <= levels.max; up++) {
    parent = Math.floor(parent / 2);
    const tile = get(up, parent);
    if (tile !== undefined) return [{ tile, k: up, i: parent, t0, t1 }];
  }
  const pieces: Piece<T>[] = [];
  for (let down = k - 1; down >= Math.max(levels.min, k - 3); down--) {
    const share = 2 ** (k - down);
    for (let j = i * share; j < (i + 1) * share; j++) {
      const tile = get(down, j);
      const at = tileLength(down) * j;
      if (tile !== undefined)
        pieces.push(
          { tile, k: down, i: j, t0: at, t1: at + tileLength(down) });
    }
    if (pieces.length) return pieces;
  }
  return pieces;
}
