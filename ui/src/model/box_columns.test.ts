// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { BOX_COLUMNS, isCopy } from "./box_columns.ts";

test("what is cut off at the box, and what is of whole events", () => {
  const saying = (words: string) => BOX_COLUMNS
    .filter(([, , meaning]) => meaning.includes(words)).map(([key]) => key);
  expect(saying("time inside the box")).toEqual(["total", "self"]);
  expect(saying("counted in full"))
    .toEqual(["mean", "min", "p50", "p90", "p99", "max"]);
});

test("a copy of a range of the host is told from it", () => {
  expect(isCopy({ on: "stream", class: "user" })).toBe(true);
  expect(isCopy({ on: "thread", class: "user" })).toBe(false);
  expect(isCopy({ on: "stream", class: "kernel" })).toBe(false);
});
