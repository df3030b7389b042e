// SPDX-License-Identifier: Apache-2.0
//
// Times as whole pixels. While the length that is seen stays the same, all
// pictures share one grid: what a pan moves, it moves by whole pixels, so that
// a picture can be made from the last one. Pure.
import type { Range } from "../model/axis.ts";

export interface Columns {
  /** The time of column 0 of the grid, ns. */
  origin: number;
  /** Device pixels per ns. */
  scale: number;
  /** The column of the grid at the left edge of the picture. */
  first: number;
}

/** Views whose widths differ by less than this, in pixels, share a grid. */
const ALIKE = 0.05;
/** Columns are 32-bit numbers in the rasteriser, with room to spare. */
const FARTHEST = 2 ** 24;

/** The grid that begins at the left edge of a range. */
export const columnsOf = (range: Range, width: number): Columns => ({
  origin: range.t0, scale: width / (range.t1 - range.t0), first: 0 });

/** The column of the grid, not of the picture. */
export const columnAt = ({ origin, scale }: Columns, time: number) =>
  Math.floor((time - origin) * scale + 0.5);

export const isSameGrid = (a: Columns, b: Columns) =>
  a.origin === b.origin && a.scale === b.scale;

/** What is seen when the picture begins at its first column. */
export function rangeOf({ origin, scale, first }: Columns, width: number)
  : Range {
  return { t0: origin + first / scale, t1: origin + (first + width) / scale };
}

/** A range on the grid of the last picture if it can be, else on its own. */
export function columnsAfter(last: Columns | null, range: Range,
  width: number): Columns {
  if (!last) return columnsOf(range, width);
  const wide = (range.t1 - range.t0) * last.scale;
  const first = Math.round((range.t0 - last.origin) * last.scale);
  return Math.abs(wide - width) < ALIKE && Math.abs(first) < FARTHEST
    ? { ...last, first } : columnsOf(range, width);
}
