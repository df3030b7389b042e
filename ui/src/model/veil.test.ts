// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsBetween, veilOf } from "./veil.ts";

test("what is seen of the work, in whole pixels", () => {
  const range = { t0: 100, t1: 200 };
  expect(columnsBetween([[3, 0, 110, 10], [3, 1, 119, 1], [4, 0, 0, 50],
    [4, 0, 190, 100]], range, 50)).toEqual([
    { track: 3, depth: 0, x0: 5, x1: 10 },
    { track: 3, depth: 1, x0: 9, x1: 10 },
    { track: 4, depth: 0, x0: 45, x1: 50 }]);
});

test("the rest of the lane lies under the veil", () => {
  expect(veilOf([], 50)).toEqual([[0, 50]]);
  expect(veilOf([{ x0: 20, x1: 30 }, { x0: 5, x1: 10 }, { x0: 28, x1: 50 }],
    50)).toEqual([[0, 5], [10, 20]]);
  expect(veilOf([{ x0: 0, x1: 50 }], 50)).toEqual([]);
});
