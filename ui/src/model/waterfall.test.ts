// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Waterfall } from "../api/documents.ts";
import { barsOf, niceTicks, partColour, stackOf } from "./waterfall.ts";

const waterfall: Waterfall = {
  step_ns: 200, coverage: 1, inputs: { processes: 1, steps: 2 },
  parts: [
    { name: "kernel", time_ns: 120, ratio: 0.6, formula: "" },
    { name: "copy", time_ns: 0, ratio: 0, formula: "" },
    { name: "other CPU", time_ns: 80, ratio: 0.4, formula: "" },
    { name: "unexplained", time_ns: 0, ratio: 0, formula: "" },
  ],
  per_step: [{ index: 4, pid: 1, parts_ns: [70, 0, 30, 0] },
    { index: 5, pid: 1, parts_ns: [50, 0, 50, 0] }],
};

test("bars stand behind each other and add up to the step", () => {
  const bars = barsOf(waterfall);
  expect(bars.map((bar) => bar.name))
    .toEqual(["kernel", "other CPU", "unexplained"]);
  expect(bars.map((bar) => bar.perStep)).toEqual([60, 40, 0]);
  expect(bars[1]!.x).toBeCloseTo(0.6);
  expect(bars.reduce((sum, bar) => sum + bar.w, 0)).toBeCloseTo(1);
});

test("columns of the steps, with their marks", () => {
  const { columns, most } = stackOf(waterfall.per_step.map((step) =>
    ({ ...step, values: step.parts_ns })), ["a", "b", "c", "d"],
  () => "kernel", { warmup: new Set([4]), outliers: new Set([5]) });
  expect(most).toBe(100);
  expect(columns[0]).toMatchObject({ total: 100, warmup: true });
  expect(columns[1]).toMatchObject({ total: 100, outlier: true });
  expect(columns[0]!.parts[2]).toMatchObject({ y: 0.7, h: 0.3 });
});

test("each part has a colour of its own", () => {
  const names = ["kernel", "copy", "communication exposed", "launch gap",
    "input stall", "host sync", "other CPU", "unexplained"];
  expect(new Set(names.map(partColour)).size).toBe(names.length);
});

test.each([
  [62, [0, 20, 40, 60]], [100, [0, 50, 100]], [0, [0]],
  [0.9, [0, 0.5]],
])("round ticks up to %d", (most, ticks) =>
  expect(niceTicks(most, 4)).toEqual(ticks));
