// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { stepLabels } from "./steps.ts";

const step = (index: number, start: number, end: number, group?: number) =>
  ({ index, start, end, dur: end - start, warmup: false,
    group: group ?? null });

test("names are as long as there is room", () => {
  const labels = stepLabels([step(0, 0, 200), step(1, 200, 260),
    step(2, 260, 280), step(3, 280, 281)], { t0: 0, t1: 1000 }, 1000);
  expect(labels.map((label) => [label.step.index, label.x, label.text]))
    .toEqual([[0, 0, "long"], [1, 200, "short"], [2, 260, ""]]);
});

test("of several workers, the first one's steps", () => {
  const labels = stepLabels([step(0, 0, 100, 1), step(0, 5, 105, 2),
    step(1, 100, 200, 1)], { t0: 0, t1: 1000 }, 1000);
  expect(labels.map((label) => label.step.start)).toEqual([0, 100]);
});
