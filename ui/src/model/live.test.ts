// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { barsOf, lastWhole, pathOf } from "./live.ts";

const step = (index: number, dur: number, open = false) =>
  ({ index, start: index, dur, open });

test("bars are as high as their steps are long", () => {
  expect(barsOf([step(0, 50), step(1, 100)]).map((one) => one.height))
    .toEqual([0.5, 1]);
  expect(barsOf([])).toEqual([]);
});

test("a step that goes on is not the last one", () => {
  expect(lastWhole([step(0, 5), step(1, 2, true)])?.index).toBe(0);
  expect(lastWhole([step(0, 5, true)])).toBe(null);
});

test("a value of a counter holds until the next", () => {
  const counter = { name: "loss", last: 0, min: 0, max: 2 };
  expect(pathOf({ ...counter, t: [10, 20, 30], values: [0, 2, 1] }))
    .toBe("M0 19H50V1H100V10H100");
  expect(pathOf({ ...counter, t: [10], values: [0] })).toBe("M0 19H100");
  expect(pathOf({ ...counter, min: 2, t: [10, 20], values: [2, null] }))
    .toBe("M0 10H100");
  expect(pathOf({ ...counter, t: [], values: [] })).toBe("");
});
