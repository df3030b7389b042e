// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { MOST_ROWS, placeLabels } from "./band_labels.ts";

test("a label stands in the middle of its band, inside of the view", () => {
  expect(placeLabels([
    { x0: 100, x1: 200, width: 40 },
    { x0: 0, x1: 10, width: 40 },
    { x0: 990, x1: 1000, width: 40 },
  ], 1000)).toEqual([
    { x: 130, row: 0 }, { x: 0, row: 0 }, { x: 960, row: 0 }]);
});

test("labels that would meet stand one below the other", () => {
  expect(placeLabels([
    { x0: 100, x1: 110, width: 60 },
    { x0: 120, x1: 130, width: 60 },
    { x0: 140, x1: 150, width: 60 },
    { x0: 170, x1: 180, width: 60 },
  ], 1000).map(({ row }) => row)).toEqual([0, 1, 2, 0]);
});

test("labels do not fill the whole view", () => {
  const many = Array.from({ length: 20 }, () =>
    ({ x0: 500, x1: 510, width: 80 }));
  const rows = placeLabels(many, 1000).map(({ row }) => row);
  expect(Math.max(...rows)).toBe(MOST_ROWS - 1);
});
