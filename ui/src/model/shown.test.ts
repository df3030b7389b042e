// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { leftOut } from "./shown.ts";

const links = (launched: number, flows = 0) =>
  ({ launched: { length: launched }, flows: { length: flows } });

test("nothing is said where all is shown", () => {
  expect(leftOut(links(0), true)).toBe("");
  expect(leftOut(links(50, 50), true)).toBe("");
  expect(leftOut(links(99), false)).toBe("");
});

test("what is left out is said", () => {
  expect(leftOut(links(51), true))
    .toBe("Arrows: the first 50 of 51 launches.");
  expect(leftOut(links(100), false)).toBe(
    "Only the first 100 launches are known here; there may be more.");
  expect(leftOut(links(1, 100), true)).toContain("first 50 of 100 flows");
});
