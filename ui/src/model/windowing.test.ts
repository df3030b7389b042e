// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  isScaled, MOST_SPACER, ROW_HEIGHT, scrollFor, spacerHeight, topRow,
  topToSee, visibleSpan,
} from "./windowing.ts";

const HEIGHT = 10 * ROW_HEIGHT;
const MILLION = 1_000_000;

test("few rows are all there", () => {
  expect(visibleSpan(0, HEIGHT, 4)).toEqual({ first: 0, last: 4, offset: 0 });
  expect(spacerHeight(4)).toBe(4 * ROW_HEIGHT);
});

test("many rows: only those near the view", () => {
  const span = visibleSpan(1000 * ROW_HEIGHT, HEIGHT, 5000);
  expect(span.first).toBeLessThanOrEqual(1000);
  expect(span.last).toBeGreaterThanOrEqual(1010);
  expect(span.last - span.first).toBeLessThan(30);
  expect(span.offset).toBe(span.first * ROW_HEIGHT);
});

test("a million rows: the spacer is capped, every row can be reached", () => {
  expect(isScaled(MILLION)).toBe(true);
  expect(spacerHeight(MILLION)).toBe(MOST_SPACER);
  const bottom = MOST_SPACER - HEIGHT;
  expect(visibleSpan(bottom, HEIGHT, MILLION).last).toBe(MILLION);
  expect(visibleSpan(0, HEIGHT, MILLION).first).toBe(0);
  for (const row of [1, 17, 123_456, 777_777, 999_989]) {
    const at = scrollFor(row, HEIGHT, MILLION);
    expect(topRow(at, HEIGHT, MILLION)).toBeCloseTo(row, 4);
    const span = visibleSpan(at, HEIGHT, MILLION);
    // The top row is drawn where the view begins.
    expect(span.offset + (row - span.first) * ROW_HEIGHT).toBeCloseTo(at, 2);
  }
});

test("a place of a capped bar is the same row at any height", () => {
  for (const height of [1, 300, 556, 2000, 15_000]) {
    expect(topRow(4_000_000, height, MILLION))
      .toBe(topRow(4_000_000, HEIGHT, MILLION));
    // As far as a box of that height can be scrolled, and at its own end.
    for (const at of [MOST_SPACER - height,
      scrollFor(MILLION, height, MILLION), scrollFor(MILLION - 1, HEIGHT,
        MILLION)])
      expect(visibleSpan(at, height, MILLION).last).toBe(MILLION);
  }
});

test("nothing breaks without room or rows", () => {
  expect(visibleSpan(0, 0, 0)).toEqual({ first: 0, last: 0, offset: 0 });
  expect(topRow(500, HEIGHT, 3)).toBe(0);
});

test("a row is brought into sight, and no further", () => {
  expect(topToSee(50, 45, HEIGHT)).toBe(45);
  expect(topToSee(44, 45, HEIGHT)).toBe(44);
  expect(topToSee(54, 45, HEIGHT)).toBe(45);
  expect(topToSee(55, 45, HEIGHT)).toBe(46);
  // The last row at the end, where the box is no whole number of rows high.
  const odd = HEIGHT + 11;
  const end = topRow(MOST_SPACER, odd, MILLION);
  expect(topToSee(MILLION - 1, end, odd)).toBe(end);
});
