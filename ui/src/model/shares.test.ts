// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { mostOf, partOf, percent } from "./shares.ts";

test("bars stay in their room", () => {
  expect(partOf(1, 4)).toBe(0.25);
  expect(partOf(9, 4)).toBe(1);
  expect(partOf(-1, 4)).toBe(0);
  expect(partOf(1, 0)).toBe(0);
  expect(percent(0.25)).toBe("25%");
});

test("bars have something to be measured by", () => {
  expect(mostOf([])).toBe(1);
  expect(mostOf([3, 7, 5])).toBe(7);
});
