// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { binOf } from "./histogram.ts";

test("bins are half open, the last one is closed", () => {
  const edges = [0, 10, 20, 40];
  expect([0, 9, 10, 39, 40].map((value) => binOf(edges, value)))
    .toEqual([0, 0, 1, 2, 2]);
  expect(binOf(edges, 41)).toBe(-1);
  expect(binOf(edges, -1)).toBe(-1);
  expect(binOf([], 1)).toBe(-1);
});
