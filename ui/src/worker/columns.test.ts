// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnAt, columnsAfter, columnsOf, isSameGrid, rangeOf } from
  "./columns.ts";

test("a pan stays on the grid, at the nearest column", () => {
  const one = columnsOf({ t0: 1000, t1: 3000 }, 500);
  const next = columnsAfter(one, { t0: 1033, t1: 3033 }, 500);
  expect(isSameGrid(one, next)).toBe(true);
  expect(next.first).toBe(8);
  expect(rangeOf(next, 500)).toEqual({ t0: 1032, t1: 3032 });
  expect(columnAt(next, 1000)).toBe(0);
  expect(columnAt(next, 1001.9)).toBe(0);
  expect(columnAt(next, 1002)).toBe(1);
});

test("many small pans never leave the view by more than half a pixel", () => {
  let columns = columnsOf({ t0: 1e12, t1: 1e12 + 777 }, 1650);
  const grid = columns;
  for (let n = 1; n < 2000; n++) {
    const t0 = 1e12 + n * 0.0917;
    columns = columnsAfter(columns, { t0, t1: t0 + 777 }, 1650);
    const off = (rangeOf(columns, 1650).t0 - t0) * columns.scale;
    expect(Math.abs(off)).toBeLessThan(0.51);
  }
  expect(isSameGrid(columns, grid)).toBe(true);
});

test("a zoom, another width and a far place have a grid of their own", () => {
  const one = columnsOf({ t0: 0, t1: 1000 }, 500);
  for (const [range, width] of [[{ t0: 0, t1: 1001 }, 500],
    [{ t0: 0, t1: 1000 }, 499], [{ t0: 4e7, t1: 4e7 + 1000 }, 500]] as const)
    expect(columnsAfter(one, range, width)).toEqual(columnsOf(range, width));
  // Step by step as well: what differs adds up.
  let columns = one;
  for (let n = 1; n <= 1000; n++)
    columns = columnsAfter(columns, { t0: 0, t1: 1000 + n * 0.01 }, 500);
  expect(Math.abs(rangeOf(columns, 500).t1 - 1010)).toBeLessThan(0.11);
});
