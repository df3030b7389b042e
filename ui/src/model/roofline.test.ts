// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { OperatorFlops } from "../generated/answers.ts";
import { labelsOf, rooflineOf } from "./roofline.ts";

const row = (name: string, intensity: number | null, tflops: number,
  more: Partial<OperatorFlops> = {}): OperatorFlops => ({ name, intensity,
  tflops_per_s: tflops, on_device: true, calls: 1, counted_calls: 1, flops: 1,
  time_ns: 10, estimated_bytes: 1, peak_ratio: null, roof_ratio: null,
  ...more });
const none = { peak_tflops_per_s: null, peak_memory_gb_per_s: null };

test("points stand by powers of ten, their size by time", () => {
  const found = rooflineOf([row("a", 1, 10), row("b", 100, 100,
    { time_ns: 5 })], none)!;
  expect(found.points.map(({ name, x, y, size }) => [name, x, y, size]))
    .toEqual([["a", 0, 0, 1], ["b", 1, 1, 0.5]]);
  expect(found.xTicks.map(({ value }) => value)).toEqual([1, 10, 100]);
  expect(found.roof).toEqual([]);
});

test("the roof rises with memory and ends at the peak", () => {
  const found = rooflineOf([row("a", 1, 1)], { peak_tflops_per_s: 100,
    peak_memory_gb_per_s: 1000 })!;
  // One byte more per operation allows 1 TFLOP/s more, up to 100.
  expect(found.roof.map(({ x, y }) => [x, y])).toEqual(
    [[0, 0], [1, 1], [1, 1]]);
  const flat = rooflineOf([row("a", 1, 1)], { ...none,
    peak_tflops_per_s: 10 })!;
  expect(flat.roof.map(({ y }) => y)).toEqual([1, 1]);
  const steep = rooflineOf([row("a", 10, 1)], { ...none,
    peak_memory_gb_per_s: 1000 })!;
  expect(steep.roof).toHaveLength(2);
  for (const { x, y } of steep.roof)
    for (const place of [x, y]) {
      expect(place).toBeGreaterThanOrEqual(0);
      expect(place).toBeLessThanOrEqual(1);
    }
});

test("what has no bytes or ran on the host is no point", () => {
  expect(rooflineOf([row("a", null, 1), row("b", 1, 1, { on_device: false }),
    row("c", 1, 0)], none)).toBeNull();
});

test("bytes that counters saw go before those of shapes", () => {
  const found = rooflineOf([row("a", 1, 1, { measured_intensity: 10 }),
    row("b", 1, 1), row("c", null, 1, { measured_intensity: 100 })], none)!;
  expect(found.points.map(({ x }) => x)).toEqual([0.5, 0, 1]);
});

test("names stand beside circles where there is room", () => {
  const circle = (name: string, x: number, y: number) =>
    ({ name, x, y, radius: 5 });
  expect(labelsOf([circle("first", 100, 50), circle("under it", 101, 51),
    circle("at the end", 390, 100)], 400)).toEqual([
    { name: "first", x: 109, y: 54 },
    { name: "under it", x: 101 - 5 - 4 - 8 * 6.2, y: 55 },
    { name: "at the end", x: 390 - 5 - 4 - 10 * 6.2, y: 104 }]);
});
