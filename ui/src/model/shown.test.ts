// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { leftOut, MOST_ARROWS, someOf } from "./shown.ts";

const links = (launched: number, all = launched, flows = 0) =>
  ({ launched: { length: launched }, launched_count: all,
    flows: { length: flows } });

test("nothing is said where all is shown", () => {
  expect(leftOut(links(0), true)).toBe("");
  expect(leftOut(links(12, 12, 12), true)).toBe("");
  expect(leftOut(links(100), false)).toBe("");
});

test("what is left out is said", () => {
  expect(leftOut(links(51), true)).toBe("Arrows to 12 of them are drawn.");
  expect(leftOut(links(100, 1300), false))
    .toBe("100 of 1,300 launches shown.");
  expect(leftOut(links(1, 1, 100), true)).toContain("first 100 flows");
});

test("a few of many, from the first to the last", () => {
  const many = Array.from({ length: 50 }, (_, n) => n);
  const some = someOf(many);
  expect(some).toHaveLength(MOST_ARROWS);
  expect(some[0]).toBe(0);
  expect(some.at(-1)).toBe(49);
  expect(new Set(some).size).toBe(MOST_ARROWS);
  expect(someOf([1, 2])).toEqual([1, 2]);
});
