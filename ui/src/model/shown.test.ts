// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { leftOut } from "./shown.ts";

const links = (launched: number, all = launched, flows = 0) =>
  ({ launched: { length: launched }, launched_count: all,
    flows: { length: flows } });

test("nothing is said where all is shown", () => {
  expect(leftOut(links(0), true)).toBe("");
  expect(leftOut(links(50, 50, 50), true)).toBe("");
  expect(leftOut(links(100), false)).toBe("");
});

test("what is left out is said", () => {
  expect(leftOut(links(51), true)).toBe("Arrows: the first 50 only.");
  expect(leftOut(links(100, 1300), false))
    .toBe("100 of 1,300 launches shown.");
  expect(leftOut(links(1, 1, 100), true)).toContain("first 100 flows");
});
