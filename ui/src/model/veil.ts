// SPDX-License-Identifier: Apache-2.0
//
// What of a lane stands out, in whole pixels, and what lies between. Pure.
import { timeToX, type Range } from "./axis.ts";

interface Column {
  track: number;
  depth: number;
  x0: number;
  x1: number;
}

/** Those that are seen, at least a pixel wide: [track, depth, start, dur]. */
export function columnsBetween(parts: [number, number, number, number][],
  range: Range, width: number): Column[] {
  return parts.flatMap(([track, depth, start, dur]) => {
    const end = start + dur;
    if (end < range.t0 || start > range.t1) return [];
    const x0 = Math.max(0, Math.floor(timeToX(range, width, start)));
    const x1 = Math.min(width, Math.ceil(timeToX(range, width, end)));
    return [{ track, depth, x0: Math.min(x0, width - 1),
      x1: Math.max(x0 + 1, x1) }];
  });
}

/** The rest of a lane, from left to right. */
export function veilOf(columns: Pick<Column, "x0" | "x1">[], width: number)
  : [number, number][] {
  const veil: [number, number][] = [];
  let from = 0;
  for (const { x0, x1 } of columns.toSorted((a, b) => a.x0 - b.x0)) {
    if (x0 > from) veil.push([from, x0]);
    from = Math.max(from, x1);
  }
  if (from < width) veil.push([from, width]);
  return veil;
}
