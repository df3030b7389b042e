// SPDX-License-Identifier: Apache-2.0
//
// Which rows of a long list are on screen. Browsers limit an element's height
// (Firefox at 17.9 million px), so the spacer is capped and the scroll bar
// then stands for more rows than pixels. Pure.
export const ROW_HEIGHT = 27;
export const MOST_SPACER = 8_000_000;
const BEYOND = 6;
/**
 * The end of a capped scroll bar: all of it is the last row. Higher than any
 * screen, so that a place of the bar is the same row at any height: a browser
 * moves the bar when a box becomes higher, and says so late.
 */
const END = 20_000;
const SCALED_ROOM = MOST_SPACER - END;

export interface Span {
  first: number;
  last: number;
  /** Where the first drawn row stands in the spacer. */
  offset: number;
}

export function spacerHeight(count: number): number {
  return Math.min(count * ROW_HEIGHT, MOST_SPACER);
}

/** Whether the scroll bar no longer moves by single rows. */
export function isScaled(count: number): boolean {
  return count * ROW_HEIGHT > MOST_SPACER;
}

/** The row at the top, as a number with a fraction. */
export function topRow(
  scrollTop: number, height: number, count: number): number {
  const most = Math.max(0, count - height / ROW_HEIGHT);
  const row = isScaled(count) ? scrollTop / SCALED_ROOM * count
    : scrollTop / ROW_HEIGHT;
  return Math.min(most, Math.max(0, row));
}

/** The other way round: where to scroll so that `row` is at the top. */
export function scrollFor(
  row: number, height: number, count: number): number {
  if (!isScaled(count)) return Math.max(0, row * ROW_HEIGHT);
  const most = count - height / ROW_HEIGHT;
  return row >= most ? SCALED_ROOM
    : Math.max(0, row / count) * SCALED_ROOM;
}

export function visibleSpan(
  scrollTop: number, height: number, count: number): Span {
  const top = topRow(scrollTop, height, count);
  const first = Math.max(0, Math.floor(top) - BEYOND);
  const last = Math.min(
    count, Math.ceil(top + height / ROW_HEIGHT) + BEYOND);
  return { first, last, offset: isScaled(count)
    ? scrollTop - (top - first) * ROW_HEIGHT : first * ROW_HEIGHT };
}

/** The row at the top, moved no further than needed to see all of `row`. */
export function topToSee(row: number, top: number, height: number): number {
  const least = row + 1 - height / ROW_HEIGHT;
  if (row < top) return row;
  return least > top + 1e-6 ? least : top;
}
