// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  barsOf, niceTicks, partColour, partsByStep, processNames, stackOf, wholeOf,
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
    { warmup: new Set([4]), outliers: new Set([5]), processes: new Map() });
  expect(most).toBe(100);
  expect(columns[0]).toMatchObject({ total: 100, warmup: true });
  expect(columns[1]).toMatchObject({ total: 100, outlier: true });
  expect(columns[0]!.parts[1]).toMatchObject({ y: 0.7, h: 0.3 });
});

test("columns of several processes say whose they are", () => {
  const step = (pid: number) => ({ index: 4, pid, values: [9], total: 9 });
  const group = (pid: number, rank: number | null) => ({ id: pid, name: "",
    detail: "", kind: "process" as const, pid, rank });
  const processes = processNames([group(7, 0), group(8, 1), group(9, null)]);
  const of = (...pids: number[]) => stackOf(pids.map(step), ["a"],
    () => "kernel", { warmup: new Set(), outliers: new Set(), processes })
    .columns.map((column) => column.process);
  expect(of(7, 8, 9)).toEqual(["rank 0", "rank 1", "process 9"]);
  expect(of(8, 8)).toEqual(["", ""]);
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
