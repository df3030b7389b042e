// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  barsOf, niceTicks, partColour, partsByStep, stackOf, wholeOf,
} from "./waterfall.ts";

const part = (name: string, mean_ns: number, ratio: number) =>
  ({ part: name, mean_ns, ratio, formula: "" });
const parts = [part("kernel", 60, 0.6), part("copy", 0, 0),
  part("other CPU", 40, 0.4), part("unexplained", 0, 0), part("step", 100, 1)];

test("bars stand behind each other and add up to the step", () => {
  const bars = barsOf(parts);
  expect(bars.map((bar) => bar.part))
    .toEqual(["kernel", "other CPU", "unexplained"]);
  expect(bars[1]!.x).toBeCloseTo(0.6);
  expect(wholeOf(parts)?.mean_ns).toBe(100);
  expect(barsOf([])).toEqual([]);
});

test("columns of the steps, with their marks", () => {
  const row = (index: number, name: string, time_ns: number) =>
    ({ index, pid: 1, part: name, time_ns, step_ns: 100 });
  const { names, steps } = partsByStep([row(4, "a", 70), row(4, "b", 30),
    row(5, "a", 50), row(5, "b", 50)]);
  expect(names).toEqual(["a", "b"]);
  const { columns, most } = stackOf(steps, names, () => "kernel",
    { warmup: new Set([4]), outliers: new Set([5]) });
  expect(most).toBe(100);
  expect(columns[0]).toMatchObject({ total: 100, warmup: true });
  expect(columns[1]).toMatchObject({ total: 100, outlier: true });
  expect(columns[0]!.parts[1]).toMatchObject({ y: 0.7, h: 0.3 });
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
